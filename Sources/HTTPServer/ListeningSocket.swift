#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Descriptors that listen: one for an address, two for a name that stands for IPv4 and IPv6.
enum ListeningSocket {
    /// A port that the system chose for one family may be taken in the other; then another is tried.
    private static let attempts = 8

    /// Opens and binds; the caller owns the descriptors.
    static func open(
        host: String, port: Int
    ) throws(HTTPListenerError) -> (files: [Int32], port: Int) {
        guard (0...65_535).contains(port) else {
            throw HTTPListenerError(.addressNotAllowed, detail: "no port: \(port)")
        }
        let addresses = try resolve(host)
        var failure = HTTPListenerError(.addressInUse)
        for _ in 0..<(port == 0 ? attempts : 1) {
            var files: [Int32] = []
            var chosen = port
            do {
                for address in addresses {
                    let file = try bind(address, port: chosen, isDual: host == "::")
                    files.append(file)
                    if chosen == 0 { chosen = boundPort(of: file) }
                }
                return (files, chosen)
            } catch {
                for file in files { Socket.close(file) }
                failure = error
                guard error.code == .addressInUse else { break }
            }
        }
        throw failure
    }

    private static func resolve(_ host: String) throws(HTTPListenerError) -> [Address] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            throw HTTPListenerError(
                .unknownHost, detail: unsafe String(cString: gai_strerror(status)))
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [Address] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.ai_addr, count: Int(entry.ai_addrlen))
            let address = unsafe Address(family: entry.ai_family, bytes: [UInt8](bytes))
            if !found.contains(address) { found.append(address) }
            unsafe next = entry.ai_next
        }
        return found
    }

    private struct Address: Equatable {
        let family: Int32
        let bytes: [UInt8]
    }

    private static func bind(
        _ address: Address, port: Int, isDual: Bool
    ) throws(HTTPListenerError) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let file = socket(address.family, kind, 0)
        guard file >= 0 else { throw error() }
        Socket.prepare(file)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 {
            var only: Int32 = isDual ? 0 : 1
            _ = unsafe setsockopt(file, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, size)
        }
        // The port is the third and fourth byte of both families' addresses, in network order.
        var bytes = address.bytes
        bytes[2] = UInt8(port >> 8)
        bytes[3] = UInt8(port & 255)
        let isBound = unsafe bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return false }
            return unsafe systemBind(
                file, base.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) == 0
        }
        guard isBound, listen(file, 1_024) == 0 else {
            let failure = error()
            Socket.close(file)
            throw failure
        }
        return file
    }

    private static func boundPort(of file: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var length = socklen_t(bytes.count)
        _ = unsafe bytes.withUnsafeMutableBytes { raw in
            unsafe raw.baseAddress.map {
                unsafe getsockname(file, $0.assumingMemoryBound(to: sockaddr.self), &length)
            }
        }
        return Int(bytes[2]) << 8 | Int(bytes[3])
    }

    private static func error() -> HTTPListenerError {
        let number = errno
        let detail = unsafe String(cString: strerror(number))
        return switch number {
        case EADDRINUSE: HTTPListenerError(.addressInUse, detail: detail)
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: HTTPListenerError(.noResources, detail: detail)
        default: HTTPListenerError(.addressNotAllowed, detail: detail)
        }
    }
}

// Named apart, since `ListeningSocket.bind` would hide it.
private func systemBind(
    _ file: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 { unsafe bind(file, address, length) }
