/// A method and a path of the local store's APIs.
public protocol StoreRoute: Sendable, Hashable {
    /// The request method.
    var method: String { get }
    /// The path with its parameters as `:name`.
    var path: String { get }
}

extension StoreRoute {
    /// The path with the parameters put in, percent-encoded but for letters, digits, `-`, `.`, `_`, `~`.
    ///
    /// A parameter that is not given stays as `:name`.
    public func path(_ parameters: [String: String]) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix(":"), let value = parameters[String(part.dropFirst())] else {
                return String(part)
            }
            return percentEncoded(value)
        }.joined(separator: "/")
    }
}

private func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { encoded, byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            encoded += "%"
            encoded.append(digits[Int(byte >> 4)])
            encoded.append(digits[Int(byte & 15)])
        }
    }
}
