#if os(Linux)
    import CEpoll
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What became possible on a descriptor.
struct PollEvent {
    let id: UInt64
    var isReadable = false
    var isWritable = false
    /// Both directions are gone.
    var isBroken = false
}

/// Waits for many descriptors: `epoll(7)` on Linux and `poll(2)` elsewhere, both level-triggered.
@safe struct Poller: ~Copyable {
    /// What is waited for.
    struct Interest: Equatable {
        var reads: Bool
        var writes: Bool
    }

    #if os(Linux)
        private let descriptor: Int32
        private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

        init?() {
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            if descriptor < 0 { return nil }
        }

        deinit { _ = close(descriptor) }

        mutating func add(_ file: Int32, id: UInt64, interest: Interest) -> Bool {
            control(EPOLL_CTL_ADD, file, id: id, interest: interest)
        }

        mutating func change(_ file: Int32, id: UInt64, interest: Interest) {
            _ = control(EPOLL_CTL_MOD, file, id: id, interest: interest)
        }

        mutating func remove(_ file: Int32) {
            _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, file, nil)
        }

        private func control(
            _ operation: Int32, _ file: Int32, id: UInt64, interest: Interest
        ) -> Bool {
            var event = unsafe epoll_event()
            unsafe event.events =
                (interest.reads ? EPOLLIN.rawValue : 0) | (interest.writes ? EPOLLOUT.rawValue : 0)
            unsafe event.data.u64 = id
            return unsafe epoll_ctl(descriptor, operation, file, &event) == 0
        }

        /// Waits for at most `milliseconds`, for ever when negative, and appends what happened.
        mutating func wait(milliseconds: Int32, into found: inout [PollEvent]) {
            let count = unsafe epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
            for index in 0..<max(0, Int(count)) {
                let flags = unsafe events[index].events
                found.append(
                    unsafe PollEvent(
                        id: events[index].data.u64, isReadable: flags & EPOLLIN.rawValue != 0,
                        isWritable: flags & EPOLLOUT.rawValue != 0,
                        isBroken: flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0))
            }
        }
    #else
        private var entries: [Int32: (id: UInt64, interest: Interest)] = [:]

        init?() {}

        mutating func add(_ file: Int32, id: UInt64, interest: Interest) -> Bool {
            entries[file] = (id, interest)
            return true
        }

        mutating func change(_ file: Int32, id: UInt64, interest: Interest) {
            entries[file] = (id, interest)
        }

        mutating func remove(_ file: Int32) { entries[file] = nil }

        /// Waits for at most `milliseconds`, for ever when negative, and appends what happened.
        mutating func wait(milliseconds: Int32, into found: inout [PollEvent]) {
            var files = entries.map { file, entry in
                pollfd(
                    fd: file,
                    events: Int16(
                        (entry.interest.reads ? POLLIN : 0) | (entry.interest.writes ? POLLOUT : 0)),
                    revents: 0)
            }
            guard unsafe poll(&files, nfds_t(files.count), milliseconds) > 0 else { return }
            for file in files where file.revents != 0 {
                guard let entry = entries[file.fd] else { continue }
                let flags = Int32(file.revents)
                found.append(
                    PollEvent(
                        id: entry.id, isReadable: flags & POLLIN != 0,
                        isWritable: flags & POLLOUT != 0,
                        isBroken: flags & (POLLERR | POLLHUP | POLLNVAL) != 0))
            }
        }
    #endif
}
