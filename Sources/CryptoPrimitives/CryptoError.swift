internal import COpenSSL

/// Why a key, a certificate or a signature could not be read or made.
public struct CryptoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, stable across releases.
    public enum Code: String, Sendable, Hashable {
        /// The bytes are no key of a kind that is used here.
        case unreadableKey
        /// The key is of another kind than the operation needs.
        case wrongKey
        /// The bytes are no X.509 certificate, or more than one.
        case unreadableCertificate
        /// The bytes are no signed PKCS#7 message, or more than one.
        case unreadableMessage
        /// A field of a certificate to be made cannot be written.
        case unwritableField
        /// An object identifier is not in dotted form.
        case badObjectIdentifier
        /// libcrypto refused for a reason that lies in neither the input nor the key.
        case libraryFailure
    }

    /// The stable code.
    public let code: Code
    /// libcrypto's own words or ours; for people, never to be compared.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Takes the words of the oldest error that libcrypto queued and empties the queue.
    static func last(_ code: Code, _ fallback: String) -> CryptoError {
        let number = ERR_peek_error()
        guard number != 0 else { return CryptoError(code, fallback) }
        var buffer = [CChar](repeating: 0, count: 256)
        let room = buffer.count
        unsafe buffer.withUnsafeMutableBufferPointer {
            unsafe ERR_error_string_n(number, $0.baseAddress, room)
        }
        ERR_clear_error()
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return CryptoError(code, "\(fallback): \(String(decoding: text, as: UTF8.self))")
    }

    /// Code and detail in one line.
    public var description: String { "\(code.rawValue): \(detail)" }
}

/// Empties libcrypto's error queue of this thread, whichever way `body` ends.
///
/// What one call leaves there would be taken by the next for its own.
@inline(__always)
func leavingNoErrors<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { ERR_clear_error() }
    return try body()
}
