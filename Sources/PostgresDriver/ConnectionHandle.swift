import CPostgres

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a socket is waited for.
enum Readiness {
    case input, output, either

    fileprivate var events: Int16 {
        switch self {
        case .input: Int16(POLLIN)
        case .output: Int16(POLLOUT)
        case .either: Int16(POLLIN | POLLOUT)
        }
    }
}

/// Owns libpq's connection, whatever becomes of the one who asked for it.
@safe final class ConnectionHandle {
    let pointer: OpaquePointer

    deinit { unsafe PQfinish(pointer) }

    /// Connects with libpq's keywords and their values.
    init(connecting words: [(String, String)], within time: Duration) throws(PostgresError) {
        guard let started = unsafe Self.start(words) else {
            throw PostgresError(.exhausted, "no memory for a connection")
        }
        unsafe pointer = started
        unsafe till_pq_silence(pointer)
        // The code of a refusal is told in the text alone, and in this form only.
        unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        try finish(until: ContinuousClock.now.advanced(by: time))
        unsafe PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
        guard unsafe PQsetnonblocking(pointer, 1) == 0 else { throw loss }
    }

    private static func start(_ words: [(String, String)]) -> OpaquePointer? {
        let texts = words.map { Array($0.0.utf8CString) } + words.map { Array($0.1.utf8CString) }
        let joined = texts.flatMap(\.self)
        var starts: [Int] = []
        var place = 0
        for text in texts {
            starts.append(place)
            place += text.count
        }
        return unsafe joined.withUnsafeBufferPointer { buffer in
            let places = unsafe starts.map { start -> UnsafePointer<CChar>? in
                unsafe buffer.baseAddress.map { unsafe $0 + start }
            }
            let names = unsafe places.prefix(words.count) + [nil]
            let values = unsafe places.suffix(words.count) + [nil]
            return unsafe PQconnectStartParams(Array(names), Array(values), 1)
        }
    }

    private func finish(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        guard unsafe PQstatus(pointer) != CONNECTION_BAD else { throw refusal }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw refusal }
            try wait(for: state == PGRES_POLLING_READING ? .input : .output, until: deadline)
            state = unsafe PQconnectPoll(pointer)
        }
    }

    /// Why the connection was refused: the server's code where there is one.
    private var refusal: PostgresError {
        let text = words
        if let (code, message) = Self.serverRefusal(text) {
            return PostgresError(sqlState: code, message: message)
        }
        let isUnnamed = unsafe PQconnectionNeedsPassword(pointer) != 0
        return PostgresError(isUnnamed ? .notAdmitted : .connectionLost, text)
    }

    /// Finds `SEVERITY:  CODE: message`, which libpq writes out of what the server sent.
    static func serverRefusal(_ text: String) -> (code: String, message: String)? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            for (place, part) in parts.enumerated().dropFirst() where part.utf8.count == 7 {
                let code = part.dropFirst(2)
                guard part.hasPrefix("  "), place + 1 < parts.count,
                    code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) })
                else { continue }
                let rest = parts[(place + 1)...].joined(separator: ":")
                return (String(code), String(rest.drop { $0 == " " }))
            }
        }
        return nil
    }

    /// What the library says about the connection, in one line.
    var words: String {
        guard let text = unsafe PQerrorMessage(pointer) else { return "" }
        let lines = unsafe String(cString: text).split(whereSeparator: \.isNewline)
        return lines.map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: " ")
    }

    /// The error of a connection that is of no more use.
    var loss: PostgresError {
        let text = words
        return PostgresError(.connectionLost, text.isEmpty ? "the server went away" : text)
    }

    /// Waits until the socket is ready; returns whether there is something to read.
    @discardableResult
    func wait(
        for readiness: Readiness, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else {
                throw PostgresError(.timedOut, "the server did not answer in time")
            }
            // Rounded up, so that the last millisecond is not spent in turning round and round.
            let (seconds, attoseconds) = left.components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
            var socket = unsafe pollfd(
                fd: PQsocket(pointer), events: readiness.events, revents: 0)
            guard socket.fd >= 0 else { throw loss }
            let count = unsafe poll(&socket, 1, Int32(clamping: milliseconds))
            if count > 0 { return socket.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 }
            guard count == 0 || errno == EINTR else { throw loss }
        }
    }
}
