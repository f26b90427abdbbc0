import Glibc

/// One keep-alive connection that posts prepared requests and reads whole responses, blocking.
///
/// A client of its own, so that the driver costs the measured machine as little as it can: one write and
/// mostly one read a request.
struct PurchasesConnection: ~Copyable {
    private let descriptor: Int32
    private var held: [UInt8] = []

    /// Why a connection cannot go on.
    enum Fault: Error {
        case cannotConnect, closed, malformed
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

    /// Sends a whole request and returns the response's status and body.
    mutating func exchange(_ request: [UInt8]) throws(Fault) -> (status: Int, body: [UInt8]) {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { bytes in
                send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw .closed }
            sent += count
        }
        while true {
            if let response = try takeResponse() { return response }
            try receive()
        }
    }

    private mutating func receive() throws(Fault) {
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw .closed }
        held.append(contentsOf: buffer[..<count])
    }

    /// Takes one whole response from what is held; `nil` while some of it is missing.
    private mutating func takeResponse() throws(Fault) -> (status: Int, body: [UInt8])? {
        guard let headEnd = Self.endOfHead(held) else { return nil }
        let head = String(decoding: held[..<headEnd], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        guard let statusWord = lines.first?.split(separator: " ").dropFirst().first,
            let status = Int(statusWord)
        else { throw .malformed }
        var length = 0
        for line in lines.dropFirst() where line.lowercased().hasPrefix("content-length:") {
            guard let colon = line.firstIndex(of: ":"),
                let number = Int(line[line.index(after: colon)...].drop { $0 == " " })
            else { throw .malformed }
            length = number
        }
        let end = headEnd + 4 + length
        guard held.count >= end else { return nil }
        let body = Array(held[(headEnd + 4)..<end])
        held.removeFirst(end)
        return (status, body)
    }

    /// Where the empty line begins that ends the head.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
