/// Why something was not signed.
public struct SigningError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable, Hashable {
        /// libcrypto refused.
        case cryptography
        /// The payload cannot be written as JSON.
        case payload
        /// A key or certificate is not in the folder, or does not fit the others.
        case state
        /// A file could not be read or written.
        case file
    }

    /// What went wrong.
    public let code: Code
    /// More for the reader of a log.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Code and detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
