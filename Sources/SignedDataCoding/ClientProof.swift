/// Whatever a client sent as proof, told apart and unwrapped; nothing of it is believed.
///
/// Apps read receipts as bytes, base64 or text, put them into JSON, encode them twice, let a web form
/// turn `+` into a space, or send Apple's answer instead. One table of forms undoes all of that.
public struct ClientProof: Sendable, Hashable {
    /// The most bytes that are taken: a receipt of 10,000 purchases in base64 twice.
    public static let maximumBytes = 16 << 20
    /// How many wrappings are undone.
    public static let maximumDepth = 6
    /// How many proofs are taken at once.
    public static let maximumProofs = 1_000

    /// What was inside all the wrappings.
    public enum Content: Sendable, Hashable {
        /// An app receipt.
        case receipt(SignedReceipt)
        /// A transaction receipt of iOS 6 and before.
        case legacyReceipt(LegacyTransactionReceipt)
        /// Anything that is signed as JWS.
        case signedValue(CompactJWS)
    }

    /// What it is.
    public let content: Content
    /// The wrappings that were undone, outermost first; for logs.
    public let wrappings: [Wrapping]

    /// One layer around a proof.
    public enum Wrapping: String, Sendable, Hashable, CaseIterable {
        /// White space around it.
        case space
        /// Quotation marks around it.
        case quotes
        /// `Bearer ` before it.
        case bearer
        /// A `data:` address.
        case dataURL
        /// Percent encoding.
        case percentEncoding
        /// Base64 in any form.
        case base64
        /// Lines of PEM.
        case pem
        /// A field of a JSON object.
        case json
        /// A place in a JSON list, or a line of several.
        case list
        /// Text in sixteen bits.
        case utf16
        /// Characters that nobody sees, as they come along when text is copied.
        case copied
        /// Text as a program prints it.
        case printed
        /// Hexadecimal digits.
        case hexadecimal
        /// A field of a web form.
        case form
        /// Characters by their names, as in a page.
        case markup
    }

    /// Reads exactly one proof.
    public init(decoding bytes: [UInt8]) throws(SignedDataError) {
        let proofs = try Self.decodeAll(bytes)
        guard proofs.count == 1 else { throw SignedDataError(.tooMany) }
        self = proofs[0]
    }

    /// Reads exactly one proof.
    public init(decoding text: String) throws(SignedDataError) {
        try self.init(decoding: Array(text.utf8))
    }

    /// Reads one proof or, out of a JSON list, several; at least one, in their order.
    public static func decodeAll(_ bytes: [UInt8]) throws(SignedDataError) -> [ClientProof] {
        guard bytes.count <= maximumBytes else { throw SignedDataError(.tooLarge) }
        if let usual = usual(bytes) { return [usual] }
        return try unwrap(bytes, [])
    }

    /// What nearly everybody sends: a bare JWS, or a receipt in exact base64.
    ///
    /// The table finds the same, in more steps.
    private static func usual(_ bytes: [UInt8]) -> ClientProof? {
        if bytes.starts(with: [0x65, 0x79]) {
            guard let jws = try? CompactJWS(decoding: bytes), jws.hasPlainHeader else {
                return nil
            }
            return ClientProof(.signedValue(jws), [])
        }
        guard bytes.first == UInt8(ascii: "M"), let der = Base64.decodeStandard(bytes),
            let receipt = try? SignedReceipt(decoding: der)
        else { return nil }
        return ClientProof(.receipt(receipt), [.base64])
    }

    init(_ content: Content, _ wrappings: [Wrapping]) {
        self.content = content
        self.wrappings = wrappings
    }

    /// Finds the first form in the table that the bytes have, and undoes it.
    private static func unwrap(
        _ bytes: [UInt8], _ wrappings: [Wrapping]
    ) throws(SignedDataError) -> [ClientProof] {
        guard wrappings.count <= maximumDepth else { throw SignedDataError(.tooDeep) }
        guard !bytes.isEmpty else { throw SignedDataError(.empty) }
        for form in ProofForm.table where form.matches(bytes) {
            switch try form.open(bytes) {
            case .proof(let content): return [ClientProof(content, wrappings)]
            case .wrapped(let wrapping, let candidates):
                return try first(of: candidates, wrappings + [wrapping])
            case .list(let wrapping, let members):
                guard members.count <= maximumProofs else { throw SignedDataError(.tooMany) }
                var proofs: [ClientProof] = []
                for member in members {
                    proofs += try unwrap(member, wrappings + [wrapping])
                    guard proofs.count <= maximumProofs else { throw SignedDataError(.tooMany) }
                }
                return proofs
            }
        }
        throw SignedDataError(.unrecognised)
    }

    /// The first reading that holds a proof, or else the fault of the first reading.
    private static func first(
        of candidates: [[UInt8]], _ wrappings: [Wrapping]
    ) throws(SignedDataError) -> [ClientProof] {
        var fault: SignedDataError?
        for candidate in candidates {
            do { return try unwrap(candidate, wrappings) } catch { fault = fault ?? error }
        }
        throw fault ?? SignedDataError(.unrecognised)
    }
}
