/// Every problem that the server answers with: code, status, title and help in one place.
///
/// The raw value is the stable `code` of the wire; documentation and the OpenAPI description are made
/// from this table.
public enum ProblemKind: String, CaseIterable, Sendable {
    // The request
    case malformedJSON = "malformedJson"
    case invalidRequest
    case invalidIdempotencyKey
    case contentTooLarge
    case invalidPath
    case notFound
    case methodNotAllowed

    // HTTP itself
    case malformedRequest
    case missingHost
    case ambiguousLength
    case requestTimeout
    case uriTooLong
    case expectationFailed
    case headTooLarge
    case unknownTransferCoding
    case httpVersionNotSupported

    // The caller
    case unauthenticated
    case invalidToken
    case tokenExpired
    case customerRequired
    case invalidCustomer
    case forbidden
    case wrongSharedSecret

    // What is asked for
    case orderNotFound
    case bundleRequired
    case unknownApp
    case unknownProduct
    case idempotencyKeyReused
    case proofMissing
    case offersNotConfigured
    case unknownOffer
    case insufficientBalance
    case nameMissing
    case nameTaken
    case promotionNotFound
    case transactionNotFound
    case taskNotFound
    case belongsToAnother
    case mergeRefused

    // Proofs, in the order in which they are looked for
    case unreadable
    case wrongKind
    case unsupportedAlgorithm
    case wrongCertificateCount
    case untrustedRoot
    case intermediateUnknown
    case unreadableCertificate
    case wrongCertificateUse
    case brokenChain
    case wrongSigner
    case wrongSignature
    case malformedPayload
    case certificateNotValidThen
    case wrongApp
    case wrongAppAppleID
    case unknownEnvironment
    case environmentNotAdmitted
    case rootOfAnotherApp
    case mismatchedParts
    case tooManyTransactions

    // The server
    case storageUnavailable
    case overloaded
    case handlerTimeout
    case internalError

    /// What the table says of one problem.
    public struct Facts: Sendable {
        /// The HTTP status.
        public let status: Int
        /// A few words that never change.
        public let title: String
        /// What the caller can do about it.
        public let help: String
        /// Whether sending the same again later can help.
        public let isRetryable: Bool
        /// Whether the app may let go of the transaction: only where a proof is refused for good and no
        /// mended request or configuration could make it count.
        public let mayFinish: Bool

        init(
            _ status: Int, _ title: String, _ help: String, isRetryable: Bool = false,
            mayFinish: Bool = false
        ) {
            self.status = status
            self.title = title
            self.help = help
            self.isRetryable = isRetryable
            self.mayFinish = mayFinish
        }

        /// A proof that is not believed.
        static func refusal(
            _ title: String, _ help: String, isRetryable: Bool = false, mayFinish: Bool = false
        ) -> Facts {
            Facts(422, title, help, isRetryable: isRetryable, mayFinish: mayFinish)
        }
    }

    /// What can be wrong with a proof, in the order in which it is looked for.
    public static let proofRefusals: [ProblemKind] = [
        .unreadable, .wrongKind, .unsupportedAlgorithm, .wrongCertificateCount, .untrustedRoot,
        .intermediateUnknown, .unreadableCertificate, .wrongCertificateUse, .brokenChain,
        .wrongSigner, .wrongSignature, .malformedPayload, .certificateNotValidThen, .wrongApp,
        .wrongAppAppleID, .unknownEnvironment, .environmentNotAdmitted, .rootOfAnotherApp,
        .mismatchedParts, .tooManyTransactions,
    ]

    private static let forged =
        "This is not Apple's signature over a purchase; nothing was recorded, and it never counts."

    /// Status, title and help.
    public var facts: Facts {
        switch self {
        case .malformedJSON:
            Facts(
                400, "The body is not acceptable JSON",
                "Send one JSON object in UTF-8 without repeated names, NUL characters or deep nesting."
            )
        case .invalidRequest:
            Facts(400, "A field is missing or wrong", "`detail` names the field and the rule.")
        case .invalidIdempotencyKey:
            Facts(
                400, "The Idempotency-Key cannot be taken",
                "Send one key of 1 to 255 visible ASCII characters, or none.")
        case .contentTooLarge:
            Facts(413, "The body is too large", "Send fewer proofs at once.")
        case .invalidPath:
            Facts(400, "The path is no valid path", "Percent-encode the ids in the path.")
        case .notFound:
            Facts(404, "There is nothing at this path", "`/openapi.json` lists the paths.")
        case .methodNotAllowed:
            Facts(
                405, "This path does not take this method", "The `Allow` field lists what it takes."
            )
        case .malformedRequest:
            Facts(400, "The request is not HTTP/1.1", "Use an HTTP library.")
        case .missingHost: Facts(400, "The `Host` field is missing", "Use an HTTP library.")
        case .ambiguousLength:
            Facts(
                400, "The length of the body is ambiguous", "Send one `Content-Length`, or chunks.")
        case .requestTimeout:
            Facts(408, "The request took too long", "Send it again.", isRetryable: true)
        case .uriTooLong: Facts(414, "The path is too long", "Send a shorter one.")
        case .expectationFailed:
            Facts(417, "The expectation is unknown", "Expect nothing but `100-continue`.")
        case .headTooLarge:
            Facts(431, "The header fields are too large", "Send fewer or shorter fields.")
        case .unknownTransferCoding:
            Facts(501, "The transfer coding is unknown", "Use no coding but `chunked`.")
        case .httpVersionNotSupported:
            Facts(505, "The HTTP version is not spoken here", "Use HTTP/1.1.")
        case .unauthenticated:
            Facts(
                401, "Nobody is named",
                "Send `Authorization: Bearer` with a customer token or a secret key.")
        case .invalidToken:
            Facts(
                401, "The token or key is not valid",
                "Ask the app's backend for a new customer token.")
        case .tokenExpired:
            Facts(
                401, "The customer token is past its time",
                "Ask the app's backend for a new customer token.")
        case .customerRequired:
            Facts(400, "No customer is named", "A backend names one with `Till-Customer: <id>`.")
        case .invalidCustomer:
            Facts(
                400, "The customer id cannot be taken",
                "An id has 1 to 200 bytes of UTF-8 and no control characters.")
        case .forbidden:
            Facts(403, "The caller may not do this", "A customer may ask about itself alone.")
        case .wrongSharedSecret:
            Facts(
                403, "The password is not the app's shared secret",
                "Configure `sharedSecret` as in App Store Connect; version 1 alone asks for it.")
        case .orderNotFound:
            Facts(404, "The customer has no such order", "Open an order first.")
        case .bundleRequired:
            Facts(400, "No app is named", "The server serves several apps: send `bundleId`.")
        case .unknownApp:
            Facts(
                422, "The server does not serve this app",
                "Add the app to the server's configuration, or send another `bundleId`.")
        case .unknownProduct:
            Facts(
                422, "The app's catalog has no such product",
                "Add the product to the server's configuration.")
        case .idempotencyKeyReused:
            Facts(
                422, "The Idempotency-Key belongs to another request",
                "Use a new key for a new request.")
        case .proofMissing:
            Facts(
                400, "The request holds no proof", "Send `receipt`, `signedTransactions` or both.")
        case .offersNotConfigured:
            Facts(
                404, "This app's offers are not configured",
                "Give the app `offers` with a key in the server's configuration.")
        case .unknownOffer:
            Facts(
                422, "The app may not ask for this offer",
                "List it in `offers.promotional`, or have the backend ask for it.")
        case .insufficientBalance:
            Facts(
                409, "The wallet holds less than that",
                "Nothing was taken. `detail` tells what is there.")
        case .nameMissing:
            Facts(
                400, "The movement has no name",
                "Send an `Idempotency-Key`, or a name in the body, so that it happens once.")
        case .nameTaken:
            Facts(
                409, "The name belongs to another movement",
                "Nothing was moved. Use a new name for a new movement.")
        case .promotionNotFound:
            Facts(404, "The customer has no such promotional grant", "Check the name.")
        case .transactionNotFound:
            Facts(
                404, "There is no such transaction", "It is recorded once Apple or an app shows it."
            )
        case .taskNotFound:
            Facts(404, "There is no such task", "It is done, or it was never scheduled.")
        case .belongsToAnother:
            Facts(
                409, "Another customer owns the transaction",
                "Let the customer restore it, where the app's `owners` allow that.")
        case .mergeRefused:
            Facts(
                409, "The customers cannot be made one",
                "A customer becomes part of one other, and that is for good.")
        case .unreadable:
            .refusal(
                "The proof cannot be read",
                "Send the receipt file in base64, or the transaction's `jwsRepresentation`, unchanged."
            )
        case .wrongKind:
            .refusal(
                "This proves no purchase",
                "Send an app receipt or signed transactions; an answer of `verifyReceipt`, a renewal "
                    + "info or a notification proves nothing here.")
        case .unsupportedAlgorithm:
            .refusal("Not signed as Apple signs", Self.forged, mayFinish: true)
        case .wrongCertificateCount:
            .refusal("Not the certificates that Apple sends", Self.forged, mayFinish: true)
        case .untrustedRoot:
            .refusal(
                "Signed under a root that is not trusted",
                Self.forged + " A test store's root belongs into `trustedRoots`.", mayFinish: true)
        case .intermediateUnknown:
            .refusal(
                "An iOS 6 receipt whose intermediate is not configured",
                "Add Apple's iTunes Store intermediate and the Apple Root CA to `intermediates`.",
                isRetryable: true)
        case .unreadableCertificate:
            .refusal("A certificate in the proof cannot be read", "Send the proof unchanged.")
        case .wrongCertificateUse:
            .refusal("Certificates of another purpose", Self.forged, mayFinish: true)
        case .brokenChain:
            .refusal("The certificates form no chain", Self.forged, mayFinish: true)
        case .wrongSigner:
            .refusal("Another signer than its certificates name", Self.forged, mayFinish: true)
        case .wrongSignature:
            .refusal("The content was changed after signing", Self.forged, mayFinish: true)
        case .malformedPayload:
            .refusal(
                "Signed, but not what such a proof holds",
                "Keep the transaction and update the server: Apple may have changed the form.")
        case .certificateNotValidThen:
            .refusal(
                "Certificates not valid at signing",
                "Keep the transaction and come again with a fresh proof: Apple has signed with a "
                    + "certificate that had ended, for hours.")
        case .wrongApp:
            .refusal(
                "The proof is for another app",
                "Send the proof with its own `bundleId`, and have that app in the configuration.")
        case .wrongAppAppleID:
            .refusal(
                "The proof is for another app Apple ID",
                "Compare `appAppleId` in the configuration.")
        case .unknownEnvironment:
            .refusal(
                "The proof names an environment that nobody knows",
                "Keep the transaction and update the server.")
        case .environmentNotAdmitted:
            .refusal(
                "The app does not take this environment",
                "Sandbox purchases count only where `environments` has `Sandbox`.", mayFinish: true)
        case .rootOfAnotherApp:
            .refusal(
                "Signed under a root that this app does not name",
                "Add the root to this app's `trustedRoots`.")
        case .mismatchedParts:
            .refusal("The parts do not belong together", "Send the proof unchanged.")
        case .tooManyTransactions:
            .refusal(
                "More transactions than one request may bring",
                "Send fewer proofs at once, or name the new ones in `transactionIds`.")
        case .storageUnavailable:
            Facts(
                503, "The database cannot be reached",
                "Nothing was recorded. Send it again later and finish no transaction.",
                isRetryable: true)
        case .overloaded:
            Facts(
                503, "The server has too much to do",
                "Nothing was recorded. Send it again later and finish no transaction.",
                isRetryable: true)
        case .handlerTimeout:
            Facts(
                503, "The answer took too long",
                "It may have been recorded. Send it again later: nothing is granted twice.",
                isRetryable: true)
        case .internalError:
            Facts(
                500, "The server made a mistake",
                "Send it again later; the log has the request id.", isRetryable: true)
        }
    }
}

/// A problem's stable name; one that this version does not know survives.
public struct ProblemCode: RawRepresentable, Sendable, Hashable, Codable {
    /// The wire's word.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The code of a known problem.
    public init(_ kind: ProblemKind) { rawValue = kind.rawValue }
    /// The known problem of this code.
    public var kind: ProblemKind? { ProblemKind(rawValue: rawValue) }
}
