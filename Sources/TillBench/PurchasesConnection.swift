import Glibc

/// One keep-alive connection that posts prepared requests and takes whole responses.
///
/// A client of its own, so that the driver costs the measured machine as little as it can: one write and
/// mostly one read a request.
final class PurchasesConnection {
    let descriptor: Int32
    private var held: [UInt8] = []

    /// Why a connection cannot go on.
    enum Fault: Error {
        case cannotConnect, closed, malformed, silent
    }

    /// Connects to a port on loopback.
    init(port: Int) throws(Fault) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotConnect }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard connected == 0 else {
            close(descriptor)
            throw .cannotConnect
        }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends a whole request.
    func send(_ request: [UInt8]) throws(Fault) {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw .closed }
            sent += count
        }
    }

    /// Reads what has come, through a buffer that is lent; the response once it is whole.
    func receive(through buffer: inout [UInt8]) throws(Fault) -> PurchasesAnswer? {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw .closed }
        held.append(contentsOf: buffer[..<count])
        guard let answer = try PurchasesAnswer(held) else { return nil }
        held.removeAll(keepingCapacity: true)
        return answer
    }
}

/// A whole response.
struct PurchasesAnswer {
    let status: Int
    let body: [UInt8]

    /// Reads a response; `nil` while some of it is missing.
    init?(_ bytes: [UInt8]) throws(PurchasesConnection.Fault) {
        guard let head = Self.endOfHead(bytes) else { return nil }
        guard let status = Self.number(bytes[..<head].dropFirst(9)) else { throw .malformed }
        var length = 0
        for line in bytes[..<head].split(separator: 10).dropFirst()
        where Self.isContentLength(line) {
            let value = line.dropFirst(Self.contentLength.count).drop { $0 == 32 }
            guard let number = Self.number(value) else { throw .malformed }
            length = number
        }
        guard bytes.count >= head + 4 + length else { return nil }
        guard bytes.count == head + 4 + length else { throw .malformed }
        self.status = status
        body = Array(bytes[(head + 4)...])
    }

    private static let contentLength = Array("content-length:".utf8)

    private static func isContentLength(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > contentLength.count else { return false }
        // Setting the bit makes small letters of great ones, and leaves colon and hyphen as they are.
        return zip(line, contentLength).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let digits = bytes.prefix { (48...57).contains($0) }.prefix(9)
        return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    /// Where the empty line begins that ends the head.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
