import Testing

@testable import HTTPFetch

@Suite struct PublicAddressTests {
    @Test(
        arguments: [
            [0, 0, 0, 0], [10, 1, 2, 3], [100, 64, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254],
            [172, 16, 0, 1], [172, 31, 255, 255], [192, 0, 0, 8], [192, 168, 1, 1],
            [198, 19, 0, 1],
            [203, 0, 113, 5], [224, 0, 0, 1], [255, 255, 255, 255],
        ] as [[UInt8]])
    func `an IPv4 address of this network is not public`(_ bytes: [UInt8]) {
        #expect(!PublicAddress.isPublic(ipv4: bytes))
        #expect(!PublicAddress.isPublic(ipv6: Array(repeating: 0, count: 10) + [255, 255] + bytes))
    }

    @Test(
        arguments: [
            [1, 1, 1, 1], [9, 255, 255, 255], [11, 0, 0, 0], [100, 63, 0, 1], [100, 128, 0, 1],
            [126, 0, 0, 1], [172, 15, 0, 1], [172, 32, 0, 1], [192, 167, 1, 1], [198, 20, 0, 1],
            [17, 253, 144, 10], [223, 255, 255, 255],
        ] as [[UInt8]])
    func `its neighbour on the internet is`(_ bytes: [UInt8]) {
        #expect(PublicAddress.isPublic(ipv4: bytes))
        #expect(PublicAddress.isPublic(ipv6: Array(repeating: 0, count: 10) + [255, 255] + bytes))
    }

    @Test(
        arguments: [
            [0x00, 0x00], [0xFE, 0x80], [0xFC, 0x00], [0xFD, 0x12], [0xFF, 0x02],
            [0x20, 0x01, 0x0D, 0xB8], [0x20, 0x01, 0x00, 0x00], [0x20, 0x02, 0x7F, 0x00],
            [0x3F, 0xFF, 0x0F, 0xFF], [0x00, 0x64, 0xFF, 0x9B],
        ] as [[UInt8]])
    func `an IPv6 address of this network is not public`(_ start: [UInt8]) {
        let bytes = start + Array(repeating: 0, count: 15 - start.count) + [1]
        #expect(!PublicAddress.isPublic(ipv6: bytes))
    }

    @Test(
        arguments: [
            [0x20, 0x01, 0x48, 0x60], [0x26, 0x20, 0x01, 0x49], [0x3F, 0xFE], [0x3F, 0xFF, 0x10],
        ] as [[UInt8]])
    func `one on the internet is`(_ start: [UInt8]) {
        let bytes = start + Array(repeating: 0, count: 15 - start.count) + [1]
        #expect(PublicAddress.isPublic(ipv6: bytes))
    }

    @Test func `bytes of another length are no address`() {
        #expect(!PublicAddress.isPublic(ipv4: [1, 1, 1]))
        #expect(!PublicAddress.isPublic(ipv6: [0x26, 0x20]))
    }
}
