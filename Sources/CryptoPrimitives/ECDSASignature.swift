/// The two forms of an ECDSA signature: r and s side by side as JWS has it (RFC 7518 section 3.4),
/// and the DER sequence that libcrypto and certificates have.
public enum ECDSASignature {
    static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
        0x25, 0x51,
    ]

    /// DER of a raw P-256 signature: nil unless it has 64 bytes with r and s from 1 to order - 1.
    public static func der(rawP256 raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == 64 else { return nil }
        var der: [UInt8] = []
        der.reserveCapacity(72)
        der += [0x30, 0]
        for start in [0, 32] {
            guard isInRange(raw, from: start) else { return nil }
            appendInteger(raw, from: start, to: &der)
        }
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// Whether the 32 bytes from `start` are a number from 1 to the order less one.
    private static func isInRange(_ raw: Span<UInt8>, from start: Int) -> Bool {
        var isZero = true
        var isBelow: Bool?
        for index in 0..<32 {
            let byte = raw[start + index]
            if byte != 0 { isZero = false }
            if isBelow == nil, byte != p256Order[index] { isBelow = byte < p256Order[index] }
        }
        return !isZero && isBelow == true
    }

    private static func appendInteger(
        _ raw: Span<UInt8>, from start: Int, to der: inout [UInt8]
    ) {
        var first = start
        while first < start + 31, raw[first] == 0 { first += 1 }
        let needsZero = raw[first] >= 0x80
        der.append(0x02)
        der.append(UInt8(start + 32 - first + (needsZero ? 1 : 0)))
        if needsZero { der.append(0) }
        for index in first..<(start + 32) { der.append(raw[index]) }
    }

    /// The 64 raw bytes of a DER signature that libcrypto made with a P-256 key.
    static func rawP256(der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der.count <= 72, der[0] == 0x30, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var raw: [UInt8] = []
        var position = 2
        for _ in 0..<2 {
            guard position + 2 <= der.count, der[position] == 0x02 else { return nil }
            let end = position + 2 + Int(der[position + 1])
            guard end <= der.count, end > position + 2 else { return nil }
            let number = der[(position + 2)..<end].drop { $0 == 0 }
            guard number.count <= 32 else { return nil }
            raw += [UInt8](repeating: 0, count: 32 - number.count) + number
            position = end
        }
        return position == der.count ? raw : nil
    }
}
