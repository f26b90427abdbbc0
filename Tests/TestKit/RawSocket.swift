import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A plain TCP socket on loopback, for what no proper client or server would do.
///
/// Its calls block; use it inside ``offPool(_:)``.
public final class RawSocket: Sendable {
    private let file: Int32
    private let isOpen = Mutex(true)

    private init(file: Int32) {
        self.file = file
        var on: Int32 = 1
        _ = setsockopt(
            file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    /// Connects to a port of 127.0.0.1; `nil` when nobody takes the connection.
    public static func connect(port: Int) -> RawSocket? {
        let file = make()
        var address = loopback(port: port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            systemClose(file)
            return nil
        }
        return RawSocket(file: file)
    }

    /// Listens on a port of 127.0.0.1 that the system chooses.
    public static func listening() -> (socket: RawSocket, port: Int)? {
        let file = make()
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, length) == 0 && listen(file, 64) == 0
                    ? getsockname(file, $0, &length) : -1
            }
        }
        let socket = RawSocket(file: file)
        return status == 0 ? (socket, Int(UInt16(bigEndian: address.sin_port))) : nil
    }

    /// Waits for the next connection; `nil` once this socket is closed.
    public func accept() -> RawSocket? {
        let accepted = systemAccept(file)
        return accepted < 0 ? nil : RawSocket(file: accepted)
    }

    /// Sends all bytes; `false` when the peer is gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                systemSend(file, raw.baseAddress?.advanced(by: start), raw.count - start)
            }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Sends text as it stands.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// What comes next: empty at the peer's end, `nil` when nothing comes within the time or the peer reset.
    public func receive(withinMilliseconds limit: Int = 10_000) -> [UInt8]? {
        var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(limit)) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(file, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Everything up to the peer's end, or until `isEnough` says so of what has come.
    public func receiveAll(
        withinMilliseconds limit: Int = 10_000, until isEnough: (String) -> Bool = { _ in false }
    ) -> String {
        var bytes: [UInt8] = []
        while let more = receive(withinMilliseconds: limit), !more.isEmpty {
            bytes += more
            if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the peer ends the connection within the time, whatever it sends before.
    public func seesEnd(withinMilliseconds limit: Int = 10_000) -> Bool {
        while let more = receive(withinMilliseconds: limit) {
            if more.isEmpty { return true }
        }
        var byte: UInt8 = 0
        return recv(file, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == ECONNRESET
    }

    /// Ends our direction; the other one stays.
    public func endSending() { _ = shutdown(file, Int32(SHUT_WR)) }

    /// Closes; a pending ``accept()`` or ``receive(withinMilliseconds:)`` returns.
    public func close() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            _ = shutdown(file, Int32(SHUT_RDWR))
            systemClose(file)
        }
    }

    /// Closes so that the peer sees a reset.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(file, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            systemClose(file)
        }
    }

    private static func make() -> Int32 {
        #if canImport(Glibc)
            return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            return socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Runs what blocks on a thread that no task needs.
public func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { waiter in
        DispatchQueue.global().async { waiter.resume(returning: body()) }
    }
}

private func systemConnect(
    _ file: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 { connect(file, address, length) }

private func systemClose(_ file: Int32) { _ = close(file) }

private func systemAccept(_ file: Int32) -> Int32 { accept(file, nil, nil) }

private func systemSend(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if os(Linux)
        send(file, bytes, count, Int32(MSG_NOSIGNAL))
    #else
        send(file, bytes, count, 0)
    #endif
}
