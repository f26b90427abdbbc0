/// A name that Apple or the app gave to a thing; each kind is a type of its own, so that they cannot be
/// mixed up.
///
/// Encoded as a plain JSON string. Decoding takes a number too, since Apple has sent both.
public protocol AppStoreIdentifier: RawRepresentable, Sendable, Hashable, Comparable, Codable,
    CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
    /// Takes the text as it is.
    init(_ text: String)
}

extension AppStoreIdentifier {
    /// Takes the text as it is.
    public init(rawValue: String) { self.init(rawValue) }
    /// Takes the literal as it is.
    public init(stringLiteral value: String) { self.init(value) }
    /// The text.
    public var description: String { rawValue }

    /// Compares the bytes: Swift's own comparison takes two spellings of an accented letter for one, which
    /// Apple, the app's backend and the database do not.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }

    /// Orders by the bytes, for stable output only; identifiers carry no time.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedesInBytes(right.rawValue)
    }

    /// Decodes a string or an integer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.init(text)
        } else {
            self.init(String(try container.decode(Int64.self)))
        }
    }

    /// Encodes as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Names one transaction: decimal digits for Apple, unique within an environment.
public struct TransactionID: AppStoreIdentifier {
    /// The digits.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names a product of an app's catalog.
public struct ProductID: AppStoreIdentifier {
    /// The product's name, case-sensitive.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names an app; compared exactly, since real ones have capitals and no dot.
public struct BundleID: AppStoreIdentifier {
    /// The bundle identifier.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names a subscription group.
public struct SubscriptionGroupID: AppStoreIdentifier {
    /// The group's name.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names one period of one subscription; the same on every device where transaction ids may differ.
///
/// Apple sends "0" or nothing for what does not renew, so it is no key by itself.
public struct WebOrderLineItemID: AppStoreIdentifier {
    /// The digits.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// The UUID that an app gave with a purchase, in lower case as Apple writes it.
///
/// A claim of the buyer's device: it binds a verified payment to an order and proves nothing.
public struct AppAccountToken: AppStoreIdentifier {
    /// The UUID's text in lower case.
    public let rawValue: String
    /// Takes the text and lowers its case.
    public init(_ text: String) { rawValue = text.lowercased() }
}

extension String {
    /// Whether both are the same bytes of UTF-8, which is stricter than `==`.
    ///
    /// Text of ASCII alone, which has as many units of UTF-16 as of UTF-8, is told without a look at its bytes.
    public func isSameBytes(as other: String) -> Bool {
        self == other && utf8.count == other.utf8.count
            && (utf16.count == utf8.count || utf8.elementsEqual(other.utf8))
    }

    /// Whether this one comes first: in Swift's order, and by the bytes where that sees no difference; a total
    /// order that agrees with ``isSameBytes(as:)``.
    public func precedesInBytes(_ other: String) -> Bool {
        self == other ? utf8.lexicographicallyPrecedes(other.utf8) : self < other
    }
}
