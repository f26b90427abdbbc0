/// Base64 and base64url (RFC 4648): exact in what it writes, and exact or lenient in what it reads.
public enum Base64 {
    /// Which two characters stand for 62 and 63.
    public enum Alphabet: Sendable {
        /// `+` and `/`, padded.
        case standard
        /// `-` and `_`, without padding.
        case url
    }

    /// Encodes: standard with padding, url without.
    public static func encode(
        _ bytes: some Collection<UInt8>, _ alphabet: Alphabet = .standard
    ) -> String {
        String(decoding: encodeToBytes(bytes, alphabet), as: UTF8.self)
    }

    /// Encodes to ASCII.
    public static func encodeToBytes(
        _ bytes: some Collection<UInt8>, _ alphabet: Alphabet = .standard
    ) -> [UInt8] {
        let digits = alphabet == .standard ? standardDigits : urlDigits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 1
            guard held == 3 else { continue }
            text.append(digits[Int(bits >> 18 & 63)])
            text.append(digits[Int(bits >> 12 & 63)])
            text.append(digits[Int(bits >> 6 & 63)])
            text.append(digits[Int(bits & 63)])
            bits = 0
            held = 0
        }
        if held == 1 {
            text.append(digits[Int(bits >> 2 & 63)])
            text.append(digits[Int(bits << 4 & 63)])
        } else if held == 2 {
            text.append(digits[Int(bits >> 10 & 63)])
            text.append(digits[Int(bits >> 4 & 63)])
            text.append(digits[Int(bits << 2 & 63)])
        }
        if held > 0, alphabet == .standard {
            text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - held))
        }
        return text
    }

    /// Decodes base64url without padding, as JWS has it; nothing for anything else.
    public static func decodeURL(_ text: [UInt8], _ range: Range<Int>? = nil) -> [UInt8]? {
        decode(text, range ?? 0..<text.count, urlValues)
    }

    /// Whether nothing but the signs of base64url stands there, whatever its length; cheaper than decoding.
    static func isURLText(_ text: [UInt8], _ range: Range<Int>) -> Bool {
        text.withUnsafeBufferPointer { text in
            urlValues.withUnsafeBufferPointer { values in
                var seen: UInt8 = 0
                for index in range { seen |= values[Int(text[index])] }
                // What is no digit has the high bit.
                return seen & 0x80 == 0
            }
        }
    }

    /// Decodes standard base64 with its padding and nothing else in between; nothing for anything else.
    public static func decodeStandard(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return decode(text, 0..<end, standardValues)
    }

    /// Decodes either alphabet, padded or not, with white space anywhere; nothing for anything else.
    ///
    /// Bits beyond the last whole byte are not looked at, since some encoders leave rubbish there; nor is it
    /// counted how much padding there is, since some programs always append as much as can be needed.
    public static func decodeLenient(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        var padding = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: " "), 0x09, 0x0a, 0x0d: continue
            case UInt8(ascii: "="):
                padding += 1
                guard padding <= 4 else { return nil }
            case UInt8(ascii: "-") where padding == 0: digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_") where padding == 0: digits.append(UInt8(ascii: "/"))
            default:
                guard padding == 0 else { return nil }
                digits.append(byte)
            }
        }
        guard digits.count % 4 != 1 else { return nil }
        return decode(digits, 0..<digits.count, standardValues, strictTail: false)
    }

    private static func decode(
        _ text: [UInt8], _ range: Range<Int>, _ values: [UInt8], strictTail: Bool = true
    ) -> [UInt8]? {
        let rest = range.count % 4
        guard rest != 1, range.lowerBound >= 0, range.upperBound <= text.count else { return nil }
        precondition(values.count == 256)
        var bytes = [UInt8](
            repeating: 0, count: range.count / 4 * 3 + (rest == 0 ? 0 : rest - 1))
        var source = range.lowerBound
        var target = 0
        let whole = range.upperBound &- rest
        var bad: UInt8 = 0
        while source < whole {
            let a = values[Int(text[source])]
            let b = values[Int(text[source &+ 1])]
            let c = values[Int(text[source &+ 2])]
            let d = values[Int(text[source &+ 3])]
            bad |= a | b | c | d
            bytes[target] = a &<< 2 | b &>> 4
            bytes[target &+ 1] = b &<< 4 | c &>> 2
            bytes[target &+ 2] = c &<< 6 | d
            source &+= 4
            target &+= 3
        }
        if rest > 0 {
            let a = values[Int(text[source])]
            let b = values[Int(text[source + 1])]
            let c = rest == 3 ? values[Int(text[source + 2])] : 0
            bad |= a | b | c
            bytes[target] = a &<< 2 | b &>> 4
            if rest == 3 { bytes[target + 1] = b &<< 4 | c &>> 2 }
            let tail = rest == 3 ? c & 3 : b & 15
            if strictTail, tail != 0 { return nil }
        }
        // Every digit is below 64; what is no digit has the high bit.
        return bad & 0x80 == 0 ? bytes : nil
    }

    private static let standardDigits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlDigits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    private static func values(of digits: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 0x80, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }
}
