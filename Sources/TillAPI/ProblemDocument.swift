/// A problem document (RFC 9457): why a request was not carried out, and what to do with its
/// transaction.
public struct ProblemDocument: Error, Sendable, Hashable, Codable {
    /// A URI that names the kind of problem.
    public var type: String
    /// A few words that are the same for every problem of this kind.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What was wrong this time; for people, never compared.
    public var detail: String?
    /// The stable name of the kind.
    public var code: ProblemCode
    /// Whether the app may let go of the transaction that it reported.
    public var mayFinish: Bool
    /// Whether sending the same again later can help.
    public var isRetryable: Bool
    /// Seconds to wait before that, where the server knows.
    public var retryAfter: Int?
    /// Names the request in the server's log.
    public var requestID: String?
    /// The proofs that were not believed, where a request had several.
    public var refusedProofs: [RefusedProof]?

    /// Makes the document of a known kind; the table gives what is not said here.
    ///
    public init(
        _ kind: ProblemKind, detail: String? = nil, mayFinish: Bool? = nil,
        isRetryable: Bool? = nil, retryAfter: Int? = nil, requestID: String? = nil,
        refusedProofs: [RefusedProof]? = nil
    ) {
        let facts = kind.facts
        type = "urn:till:problem:\(kind.rawValue)"
        title = facts.title
        status = facts.status
        self.detail = detail
        code = ProblemCode(kind)
        self.mayFinish = mayFinish ?? facts.mayFinish
        self.isRetryable = isRetryable ?? facts.isRetryable
        self.retryAfter = retryAfter
        self.requestID = requestID
        self.refusedProofs = refusedProofs
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case title
        case status
        case detail
        case code
        case mayFinish = "finish"
        case isRetryable = "retryable"
        case retryAfter
        case requestID = "requestId"
        case refusedProofs
    }

    /// Decodes a problem of any server, also one that HTTP itself or a proxy made.
    ///
    /// What is missing is read in the way that loses nothing: no word about `finish` is `false`, no word
    /// about `retryable` is what the table or the status says.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        code =
            try container.decodeIfPresent(ProblemCode.self, forKey: .code)
            ?? ProblemCode(rawValue: "unknown")
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? code.rawValue
        type = try container.decodeIfPresent(String.self, forKey: .type) ?? "about:blank"
        detail = try container.decodeIfPresent(String.self, forKey: .detail)
        mayFinish = try container.decodeIfPresent(Bool.self, forKey: .mayFinish) ?? false
        isRetryable =
            try container.decodeIfPresent(Bool.self, forKey: .isRetryable)
            ?? code.kind?.facts.isRetryable ?? (status >= 500 || status == 408 || status == 429)
        retryAfter = try container.decodeIfPresent(Int.self, forKey: .retryAfter)
        requestID = try container.decodeIfPresent(String.self, forKey: .requestID)
        refusedProofs = try container.decodeIfPresent([RefusedProof].self, forKey: .refusedProofs)
    }
}
