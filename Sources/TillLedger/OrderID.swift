public import AppStoreModel

/// Names an order: a UUID, since StoreKit carries `applicationUsername` into the signed transaction
/// only when it is one.
///
/// Held as text in lower case, as Apple writes `appAccountToken`.
public struct OrderID: RawRepresentable, Sendable, Hashable, Comparable, Codable,
    CustomStringConvertible
{
    /// The UUID's text in lower case.
    public let rawValue: String

    /// Takes a UUID in either case; else nil.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 36 else { return nil }
        var isLowercase = true
        for (place, byte) in rawValue.utf8.enumerated() {
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            guard isDash ? byte == 0x2D : Self.isHexDigit(byte) else { return nil }
            if (0x41...0x46).contains(byte) { isLowercase = false }
        }
        self.rawValue = isLowercase ? rawValue : rawValue.lowercased()
    }

    /// The order that a signed token may name; nil when the token is no UUID.
    public init?(_ token: AppAccountToken) { self.init(rawValue: token.rawValue) }

    /// Makes a version 7 UUID (RFC 9562 section 5.7): the moment, then seventy-four random bits.
    ///
    /// Orders that are opened together stand together in an index, where names that are random from
    /// their first digit would each touch a page of their own; nobody can guess one all the same.
    ///
    /// - Parameters:
    ///   - randomBytes: Ten bytes that nobody can foresee; for another number of bytes the result is nil.
    ///   - time: When the order is opened.
    public init?(randomBytes: [UInt8], at time: Timestamp) {
        guard randomBytes.count == 10 else { return nil }
        let milliseconds = UInt64(bitPattern: time.milliseconds)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) }
        bytes += randomBytes
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (place, byte) in bytes.enumerated() {
            if place == 4 || place == 6 || place == 8 || place == 10 { text.append(0x2D) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0F)])
        }
        self.init(rawValue: String(decoding: text, as: UTF8.self))
    }

    /// The UUID's text.
    public var description: String { rawValue }

    /// Orders by text, for stable output only.
    public static func < (left: OrderID, right: OrderID) -> Bool { left.rawValue < right.rawValue }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
