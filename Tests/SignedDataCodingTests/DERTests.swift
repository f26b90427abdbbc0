import SignedDataCoding
import Testing

struct `BER and DER` {
    private func code(
        _ bytes: [UInt8], rules: DERReader.Rules = .basic
    ) -> SignedDataError.Code? {
        do {
            var reader = DERReader(bytes, rules: rules)
            _ = try reader.next()
            try reader.finish()
            return nil
        } catch { return error.code }
    }

    @Test func `indefinite lengths inside indefinite lengths end at their own end`() throws {
        // SEQUENCE { SEQUENCE { INTEGER 1 } INTEGER 2 }, both of indefinite length.
        let bytes: [UInt8] = [0x30, 0x80, 0x30, 0x80, 2, 1, 1, 0, 0, 2, 1, 2, 0, 0]
        var reader = DERReader(bytes)
        let outer = try reader.next(DERTag.sequence)
        try reader.finish()
        var parts = reader.inside(outer)
        let inner = try parts.next(DERTag.sequence)
        #expect(inner.content == 4..<7)
        #expect(try parts.integer(try parts.next()) == 2)
        try parts.finish()
    }

    @Test func `bytes after the outer value are refused in BER and DER`() {
        #expect(code([0x30, 0x80, 2, 1, 1, 0, 0]) == nil)
        #expect(code([0x30, 0x80, 2, 1, 1, 0, 0, 0]) == .trailingBytes)
        #expect(code([0x30, 3, 2, 1, 1]) == nil)
        #expect(code([0x30, 3, 2, 1, 1, 2]) == .trailingBytes)
    }

    @Test(arguments: [
        ([0x30, 0x80, 2, 1, 1], SignedDataError.Code.truncatedDER),
        ([0x30, 0x80, 2, 1, 1, 0], .truncatedDER),
        ([0x30, 0x80, 2, 1, 1, 0, 1], .malformedDER),
        ([0x04, 0x80, 0, 0], .malformedDER),
        ([0x30, 4, 2, 1, 1], .truncatedDER),
        ([0x30], .truncatedDER),
        ([], .truncatedDER),
        ([0x30, 0x85, 0, 0, 0, 0, 1, 0], .malformedDER),
        ([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0], .truncatedDER),
        ([0x1f, 1, 0], .malformedDER),
        ([0x00, 0x00], .malformedDER),
    ])
    func `broken encodings are told apart`(_ bytes: [UInt8], _ expected: SignedDataError.Code) {
        #expect(code(bytes) == expected)
    }

    @Test func `DER allows neither indefinite nor padded lengths, BER does`() {
        let padded: [[UInt8]] = [[0x04, 0x81, 1, 7], [0x04, 0x82, 0, 1, 7]]
        for bytes in padded {
            #expect(code(bytes) == nil)
            #expect(code(bytes, rules: .distinguished) == .malformedDER)
        }
        #expect(code([0x30, 0x80, 0, 0], rules: .distinguished) == .malformedDER)
        #expect(code([0x04, 1, 7], rules: .distinguished) == nil)
        let long: [UInt8] = [0x04, 0x81, 0x80] + [UInt8](repeating: 7, count: 128)
        #expect(code(long, rules: .distinguished) == nil)
    }

    @Test func `nesting has a limit`() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeatElement([0x30, 0x80], count: depth).joined())
                + [UInt8](repeating: 0, count: 2 * depth)
        }
        #expect(code(nested(DERReader.maximumDepth)) == nil)
        #expect(code(nested(DERReader.maximumDepth + 1)) == .tooDeep)
        #expect(code(nested(100_000)) == .tooDeep)
    }

    @Test func `a signature in segments is joined too`() throws {
        // As many octets as the segments that stand in their place.
        var bytes = SignedReceipt.encode(
            content: ReceiptAttribute.encodeList([]), certificates: [],
            digestAlgorithm: .sha256,
            signer: .init(
                issuer: [0x30, 0], serialNumber: [1], digestAlgorithm: .sha256,
                signatureAlgorithm: .rsaEncryption, signature: [4, 1, 7, 4, 1, 9]))
        let tag = bytes.count - 8
        #expect(bytes[tag] == DERTag.octetString)
        bytes[tag] = DERTag.constructedOctetString
        #expect(try SignedReceipt(decoding: bytes).signer.signature == [7, 9])
        #expect(throws: SignedDataError(.malformedDER, at: tag)) {
            try SignedReceipt(decoding: bytes, rules: .distinguished)
        }
    }

    @Test func `segments of an octet string are joined at any depth`() throws {
        let bytes: [UInt8] = [0x24, 0x80, 4, 1, 1, 0x24, 4, 4, 2, 2, 3, 4, 0, 0, 0]
        var reader = DERReader(bytes)
        var joined: [UInt8] = []
        try reader.joinOctets(try reader.next(), into: &joined)
        #expect(joined == [1, 2, 3])
        var wrong = DERReader([0x24, 3, 2, 1, 1])
        let element = try wrong.next()
        #expect(throws: SignedDataError(.malformedDER, at: 2)) {
            try wrong.joinOctets(element, into: &joined)
        }
    }

    @Test(
        arguments: [
            0, 1, -1, 127, 128, 255, 256, -128, -129, 690_661_663, 1_000_000_029_801_037, .max,
            .min,
        ] as [Int64])
    func `whole numbers come back as they were`(_ number: Int64) throws {
        var writer = DERWriter()
        writer.add(integer: number)
        var reader = DERReader(writer.bytes, rules: .distinguished)
        #expect(try reader.integer(try reader.next()) == number)
    }

    @Test func `a number of nine octets is refused`() throws {
        var reader = DERReader([2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        let element = try reader.next()
        #expect(throws: SignedDataError(.malformedDER, at: 0)) { try reader.integer(element) }
    }

    @Test func `identifiers are written as the standard says and read back`() {
        #expect(OID.signedData.description == "1.2.840.113549.1.7.2")
        #expect(
            Array(OID.signedData.bytes) == [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2])
        #expect(OID.sha256.description == "2.16.840.1.101.3.4.2.1")
        let large = OID(bytes: [0x2a] + [UInt8](repeating: 0xff, count: 12) + [0x7f])
        #expect(large.description == "1.2.?")
    }

    @Test func `a set is ordered by its members' bytes`() {
        let list = ReceiptAttribute.encodeList([
            ReceiptAttribute(type: 2, value: [1, 2, 3]), ReceiptAttribute(type: 9, value: [1]),
            ReceiptAttribute(type: 1, value: [1]),
        ])
        let types = (try? ReceiptAttribute.decodeList(list[...]))?.map(\.type)
        #expect(types == [1, 9, 2])
    }

    @Test func `an attribute with a part too many or too few is refused`() throws {
        func read(_ attribute: [UInt8]) throws -> [ReceiptAttribute] {
            var writer = DERWriter()
            writer.add(DERTag.set, attribute)
            return try ReceiptAttribute.decodeList(writer.bytes[...])
        }
        #expect(try read([0x30, 9, 2, 1, 7, 2, 1, 1, 4, 1, 5]).first?.value == [5])
        #expect(throws: SignedDataError.self) {
            try read([0x30, 11, 2, 1, 7, 2, 1, 1, 4, 1, 5, 5, 0])
        }
        #expect(throws: SignedDataError.self) { try read([0x30, 6, 2, 1, 7, 4, 1, 5]) }
        #expect(throws: SignedDataError(.malformedReceipt, at: 0)) {
            try ReceiptAttribute.decodeList([0x30, 0])
        }
    }
}
