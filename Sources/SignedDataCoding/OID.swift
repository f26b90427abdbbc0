/// An ASN.1 object identifier, held as its encoded content and compared byte by byte.
public struct OID: Sendable, Hashable, CustomStringConvertible {
    /// The content bytes, without tag and length.
    public let bytes: ArraySlice<UInt8>

    /// Takes content bytes.
    public init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Encodes numbers, the first below 3 and the second below 40.
    public init(_ numbers: UInt64...) {
        precondition(numbers.count >= 2 && numbers[0] < 3 && numbers[1] < 40)
        var encoded: [UInt8] = []
        for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
            var groups = [UInt8(number & 0x7f)]
            var rest = number >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            encoded.append(contentsOf: groups.reversed())
        }
        bytes = encoded[...]
    }

    /// The numbers joined by dots; "?" stands for what is too large.
    public var description: String {
        var numbers: [String] = []
        var value: UInt64 = 0
        var tooLarge = false
        for byte in bytes {
            tooLarge = tooLarge || value > UInt64.max >> 7
            value = value << 7 | UInt64(byte & 0x7f)
            guard byte & 0x80 == 0 else { continue }
            if tooLarge {
                numbers.append("?")
            } else if numbers.isEmpty {
                let first = min(value / 40, 2)
                numbers += ["\(first)", "\(value - first * 40)"]
            } else {
                numbers.append("\(value)")
            }
            value = 0
            tooLarge = false
        }
        return numbers.joined(separator: ".")
    }

    /// PKCS#7 data.
    public static let data = OID(1, 2, 840, 113549, 1, 7, 1)
    /// PKCS#7 signed data.
    public static let signedData = OID(1, 2, 840, 113549, 1, 7, 2)
    /// SHA-1.
    public static let sha1 = OID(1, 3, 14, 3, 2, 26)
    /// SHA-256.
    public static let sha256 = OID(2, 16, 840, 1, 101, 3, 4, 2, 1)
    /// RSA with PKCS#1 v1.5, the digest named elsewhere.
    public static let rsaEncryption = OID(1, 2, 840, 113549, 1, 1, 1)
    /// RSA with PKCS#1 v1.5 over SHA-1.
    public static let sha1WithRSA = OID(1, 2, 840, 113549, 1, 1, 5)
    /// RSA with PKCS#1 v1.5 over SHA-256.
    public static let sha256WithRSA = OID(1, 2, 840, 113549, 1, 1, 11)

    /// The digests and signatures of receipts, whose parameters are absent or NULL.
    static let algorithmsOfReceipts: Set<OID> = [
        sha1, sha256, rsaEncryption, sha1WithRSA, sha256WithRSA,
    ]
}
