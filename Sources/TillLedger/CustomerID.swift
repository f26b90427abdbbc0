internal import AppStoreModel

/// Names a customer: the text by which the app's own backend knows one of its users.
///
/// Taken from the caller's token, compared exactly. One that exists is not empty, not longer than
/// ``longest`` bytes, and has no control characters.
public struct CustomerID: RawRepresentable, Sendable, Hashable, Comparable, Codable,
    CustomStringConvertible
{
    /// The most bytes of UTF-8 that a customer's name may have.
    public static let longest = 200

    /// The name as the backend wrote it.
    public let rawValue: String

    /// Takes a name that keeps the limits; else nil.
    public init?(rawValue: String) {
        guard isPlainName(rawValue, longest: Self.longest) else { return nil }
        self.rawValue = rawValue
    }

    /// The name.
    public var description: String { rawValue }

    /// Compares the bytes: two spellings of an accented letter name two customers, as they do in the
    /// database, though Swift's own comparison takes them for one.
    public static func == (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }

    /// Orders by the bytes, for stable output only.
    public static func < (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.precedesInBytes(right.rawValue)
    }
}

/// Whether a text can be a name: something in it, bounded, no control characters.
func isPlainName(_ text: String, longest: Int) -> Bool {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= longest else { return false }
    return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
}
