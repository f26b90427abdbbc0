#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket calls that differ by system or need a pointer, on plain descriptors.
enum Socket {
    /// What a call on a non-blocking descriptor came to.
    enum Outcome {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    static func receive(_ file: Int32, into buffer: inout [UInt8]) -> Outcome {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(file, bytes.baseAddress, bytes.count, 0)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    static func send(_ file: Int32, _ buffer: [UInt8], from start: Int) -> Outcome {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        while true {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe systemSend(
                    file, bytes.baseAddress?.advanced(by: start), bytes.count - start, flags)
            }
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    /// Ends our direction only, so that the peer can read what is under way.
    static func endSending(_ file: Int32) {
        #if canImport(Glibc)
            _ = shutdown(file, Int32(SHUT_WR))
        #else
            _ = shutdown(file, SHUT_WR)
        #endif
    }

    static func close(_ file: Int32) { _ = systemClose(file) }

    /// Takes a waiting connection: `.none` when there is none.
    static func accept(_ listening: Int32) -> Accepted {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let file = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe systemAccept(listening, $0, &length)
            }
        }
        guard file >= 0 else {
            return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
                ? .exhausted : errno == EAGAIN || errno == EWOULDBLOCK ? .none : .retry
        }
        prepare(file)
        var on: Int32 = 1
        _ = unsafe setsockopt(
            file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .connection(file, address: name(of: address))
    }

    enum Accepted {
        case connection(Int32, address: String)
        case none
        case retry
        case exhausted
    }

    /// Two connected descriptors that do not block: one to wake, one to be woken.
    static func wakePair() -> (reading: Int32, writing: Int32)? {
        var files: [Int32] = [-1, -1]
        guard unsafe pipe(&files) == 0 else { return nil }
        prepare(files[0])
        prepare(files[1])
        return (files[0], files[1])
    }

    static func wake(_ file: Int32) {
        var byte: UInt8 = 1
        // A full pipe has woken its reader already.
        _ = unsafe write(file, &byte, 1)
    }

    static func drainWakes(_ file: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(file, &bytes, bytes.count) == bytes.count {}
    }

    static func prepare(_ file: Int32) {
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        #if !os(Linux)
            var on: Int32 = 1
            _ = unsafe setsockopt(
                file, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private static func name(of address: sockaddr_storage) -> String {
        var address = address
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getnameinfo(
                    $0, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
            }
        }
        guard status == 0 else { return "" }
        let text = String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // IPv4 that came in over an IPv6 socket counts as what it is.
        return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
    }
}

/// Milliseconds and microseconds of a clock that never goes back.
enum SteadyClock {
    static var microseconds: Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}

/// `Date` as RFC 9110 section 5.6.7 wants it, made once a second.
struct DateField {
    private var second = -1
    private var text = ""

    mutating func current() -> String {
        let now = time(nil)
        if now != second {
            second = now
            text = Self.format(now)
        }
        return text
    }

    static func format(_ seconds: Int) -> String {
        let days = seconds / 86_400
        let rest = seconds % 86_400
        // Civil date out of a day count, with years that start in March.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        return "\(weekdays[days % 7]), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

// Named apart, since `Socket`'s own functions would hide them.
private func systemSend(
    _ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int { unsafe send(file, bytes, count, flags) }

private func systemClose(_ file: Int32) -> Int32 { close(file) }

private func systemAccept(
    _ file: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
) -> Int32 { unsafe accept(file, address, &length) }
