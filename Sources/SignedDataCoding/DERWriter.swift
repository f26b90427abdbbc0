/// Writes DER from the inside out, and the BER with indefinite lengths that Xcode writes.
public struct DERWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// A writer with nothing in it.
    public init() {}

    /// Adds a value with that content.
    public mutating func add(_ tag: UInt8, _ content: some Collection<UInt8>) {
        bytes.append(tag)
        Self.appendLength(content.count, to: &bytes)
        bytes.append(contentsOf: content)
    }

    /// Adds a value whose content the closure writes.
    public mutating func add(_ tag: UInt8, _ fill: (inout DERWriter) -> Void) {
        var inner = DERWriter()
        fill(&inner)
        add(tag, inner.bytes)
    }

    /// Adds a value of indefinite length, which is BER and no DER.
    public mutating func addIndefinite(_ tag: UInt8, _ fill: (inout DERWriter) -> Void) {
        var inner = DERWriter()
        fill(&inner)
        bytes += [tag, 0x80]
        bytes += inner.bytes
        bytes += [0, 0]
    }

    /// Adds what is encoded already.
    public mutating func addEncoded(_ encoded: some Sequence<UInt8>) {
        bytes.append(contentsOf: encoded)
    }

    /// Adds an INTEGER in as few octets as it needs.
    public mutating func add(integer: Int64) {
        var octets = (0..<8).map { UInt8(truncatingIfNeeded: integer >> (56 - 8 * $0)) }
        while octets.count > 1,
            (octets[0] == 0 && octets[1] < 0x80) || (octets[0] == 0xff && octets[1] >= 0x80)
        {
            octets.removeFirst()
        }
        add(DERTag.integer, octets)
    }

    /// Adds an INTEGER out of unsigned big-endian octets, such as a serial number.
    public mutating func add(unsignedInteger octets: some Collection<UInt8>) {
        var trimmed = Array(octets.drop { $0 == 0 })
        if trimmed.first.map({ $0 >= 0x80 }) ?? true { trimmed.insert(0, at: 0) }
        add(DERTag.integer, trimmed)
    }

    /// Adds an OBJECT IDENTIFIER.
    public mutating func add(_ identifier: OID) {
        add(DERTag.objectIdentifier, identifier.bytes)
    }

    /// Adds a NULL.
    public mutating func addNull() { add(DERTag.null, []) }

    /// Adds a SET OF in the order that DER asks for: by the encoded members' bytes.
    public mutating func addSet(of members: [[UInt8]]) {
        add(DERTag.set, members.sorted { $0.lexicographicallyPrecedes($1) }.joined())
    }

    private static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
        guard length >= 0x80 else {
            bytes.append(UInt8(length))
            return
        }
        var octets: [UInt8] = []
        var rest = length
        while rest > 0 {
            octets.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        bytes.append(0x80 | UInt8(octets.count))
        bytes.append(contentsOf: octets.reversed())
    }
}
