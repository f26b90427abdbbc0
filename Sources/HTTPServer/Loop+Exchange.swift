import HTTPMessage
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// From bytes to requests and from responses to bytes.
extension Loop {
    /// Unread bytes past which a connection is not read from: requests wait in the kernel, then at the client.
    private static var inboxLimit: Int { 64 << 10 }
    /// Unsent bytes past which a stream waits.
    private static var streamBufferLimit: Int { 64 << 10 }
    /// Bytes that are read and thrown away after a refusal, so that the client can read the answer.
    private static var drainLimit: Int { 64 << 20 }
    private static var drainMilliseconds: Int { 2_000 }

    private var limits: HTTPServerLimits { shared.configuration.limits }

    // MARK: Reading

    func receive(_ connection: Connection) {
        switch Socket.receive(connection.file, into: &scratch) {
        case .wouldBlock: return
        case .ended:
            connection.peerEnded = true
            switch connection.phase {
            // It may still read an answer that is being made; a stream's reader that says so is gone.
            case .running, .writing: updateInterest(connection)
            case .idle, .head, .body, .streaming, .draining: close(connection)
            }
        case .bytes(let count):
            if connection.phase == .draining {
                connection.drained += count
                if connection.drained > Self.drainLimit { close(connection) }
                return
            }
            scratch.span.append(0..<count, to: &connection.inbox)
            advance(connection)
            if connections[connection.id] != nil { updateInterest(connection) }
        }
    }

    /// Reads on in what has come, until more is needed or a handler has work.
    ///
    /// A request that is answered on the spot leads back here by way of `finish`; the walk that is under way
    /// goes on then, so that what a client pipelines cannot deepen the stack.
    private func advance(_ connection: Connection) {
        guard !connection.isAdvancing else { return }
        connection.isAdvancing = true
        defer { connection.isAdvancing = false }
        do throws(RequestRefusal) {
            repeat {
                if connection.phase == .idle && connection.unreadCount > 0 { begin(connection) }
                if connection.phase == .head { try readHead(connection) }
                if connection.phase == .body { try readBody(connection) }
            } while connection.phase == .idle && connection.unreadCount > 0
                && connections[connection.id] != nil
        } catch {
            refuse(error, connection)
        }
        guard connection.peerEnded else { return }
        switch connection.phase {
        case .idle, .head, .body: close(connection)
        case .running, .writing, .streaming, .draining: break
        }
    }

    private func begin(_ connection: Connection) {
        connection.phase = .head
        connection.startedAt = now
        setDeadline(limits.headMilliseconds, connection)
    }

    private func readHead(_ connection: Connection) throws(RequestRefusal) {
        guard let head = try connection.readHead(limits) else { return }
        if !head.keepsAlive { connection.closesAfter = true }
        connection.head = head
        connection.requestID = shared.nextRequestID()
        guard head.hasBody else { return dispatch(connection) }
        connection.bodyLimit =
            shared.bodyLimit(head.method, head.target) ?? Router.bodyLimit
        guard head.contentLength <= connection.bodyLimit else { throw .contentTooLarge }
        if head.isChunked {
            connection.chunks = ChunkedReader()
        } else {
            try hold(head.contentLength, connection)
            connection.body.reserveCapacity(head.contentLength)
        }
        connection.phase = .body
        let spent = now - connection.startedAt
        setDeadline(limits.requestMilliseconds - spent, connection)
        if head.expectsContinue && connection.unreadCount == 0 {
            connection.outbox.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            flush(connection)
        }
    }

    private func readBody(_ connection: Connection) throws(RequestRefusal) {
        let isWhole = try connection.readBody()
        // Of a length that was told it was taken in advance.
        try hold(max(0, connection.body.count - connection.heldBytes), connection)
        if isWhole { dispatch(connection) }
    }

    private func hold(_ bytes: Int, _ connection: Connection) throws(RequestRefusal) {
        guard shared.hold(bytes) else { throw .overloaded }
        connection.heldBytes += bytes
    }

    private func dispatch(_ connection: Connection) {
        guard let head = connection.head else { return }
        connection.completedAt = SteadyClock.microseconds
        connection.phase = .running
        guard shared.running.add(1, ordering: .relaxed).newValue <= limits.runningRequests else {
            shared.running.subtract(1, ordering: .relaxed)
            return respond(
                RequestRefusal.overloaded.response(requestID: connection.requestID), on: connection)
        }
        setDeadline(limits.handlerMilliseconds, connection)
        let request = HTTPRequest(
            method: head.method, target: head.target, fields: head.fields,
            body: connection.body.isEmpty ? Data() : Data(connection.body))
        let context = RequestContext(
            requestID: connection.requestID, remoteAddress: connection.address)
        let (id, exchange) = (connection.id, connection.exchange)
        tasks += 1
        Task(executorPreference: self) { [shared] in
            let response = await shared.handler(request, context)
            shared.running.subtract(1, ordering: .relaxed)
            self.post(.response(response, connection: id, exchange: exchange))
        }
    }

    // MARK: Answering

    func respond(_ response: HTTPResponse, on connection: Connection) {
        if response.status == .brokenOff { return breakOff(response, connection) }
        var response = response
        if !(200...999).contains(response.status.rawValue) {
            response = Problem.internalError.response(requestID: connection.requestID)
        }
        let isHead = connection.head?.method == .head
        let isHTTP10 = connection.head?.isHTTP10 ?? false
        let status = response.status.rawValue
        let framing: ResponseBytes.Framing =
            if status == 204 || status == 304 {
                .none
            } else if response.stream == nil {
                .length(response.body.count)
            } else {
                isHTTP10 ? .close : .chunked
            }
        if case .close = framing { connection.closesAfter = true }
        if stopDeadline != nil { connection.closesAfter = true }
        let word = connection.closesAfter ? "close" : isHTTP10 ? "keep-alive" : nil
        ResponseBytes.append(
            response, framing: framing, date: date.current(), requestID: connection.requestID,
            connection: word, to: &connection.outbox)
        log(response, connection)
        release(connection)
        let hasBody = !isHead && status != 204 && status != 304
        connection.phase = .writing
        setDeadline(limits.writeMilliseconds, connection)
        if hasBody, let stream = response.stream {
            if case .chunked = framing { connection.isChunkedStream = true }
            appendPart(response.body, connection)
            connection.phase = .streaming
            startStream(stream, connection)
        } else if hasBody {
            connection.outbox.append(contentsOf: response.body)
        }
        flush(connection)
    }

    private func breakOff(_ response: HTTPResponse, _ connection: Connection) {
        log(response, connection)
        release(connection)
        connection.closesAfter = true
        connection.phase = .writing
        setDeadline(limits.writeMilliseconds, connection)
        connection.outbox.append(contentsOf: response.body)
        flush(connection)
    }

    private func refuse(_ refusal: RequestRefusal, _ connection: Connection) {
        connection.closesAfter = true
        if connection.requestID.isEmpty { connection.requestID = shared.nextRequestID() }
        connection.completedAt = SteadyClock.microseconds
        // What follows cannot be told apart, so it is thrown away.
        connection.take(connection.unreadCount)
        respond(refusal.response(requestID: connection.requestID), on: connection)
    }

    private func log(_ response: HTTPResponse, _ connection: Connection) {
        shared.configuration.accessLog?(
            AccessRecord(
                requestID: connection.requestID, remoteAddress: connection.address,
                method: connection.head?.method.rawValue ?? "",
                target: connection.head?.target ?? "", status: response.status.rawValue,
                requestBytes: connection.body.count, responseBytes: response.body.count,
                microseconds: max(0, SteadyClock.microseconds - connection.completedAt)))
    }

    private func release(_ connection: Connection) {
        shared.heldBytes.subtract(connection.heldBytes, ordering: .relaxed)
        connection.heldBytes = 0
        connection.body = []
    }

    // MARK: Writing

    func flush(_ connection: Connection) {
        while connection.unsentCount > 0 {
            switch Socket.send(connection.file, connection.outbox, from: connection.sent) {
            case .bytes(let count): connection.sent += count
            case .wouldBlock: return updateInterest(connection)
            case .ended: return close(connection)
            }
        }
        connection.outbox.removeAll(keepingCapacity: connection.outbox.capacity <= 64 << 10)
        connection.sent = 0
        switch connection.phase {
        case .writing: finish(connection)
        case .streaming:
            connection.deadline = .max
            resumeStream(connection, true)
        default: break
        }
        if connections[connection.id] != nil { updateInterest(connection) }
    }

    private func finish(_ connection: Connection) {
        if connection.closesAfter || stopDeadline != nil {
            if connection.peerEnded { return close(connection) }
            // Closing over unread bytes would reset the connection and lose the answer on its way.
            connection.phase = .draining
            Socket.endSending(connection.file)
            setDeadline(Self.drainMilliseconds, connection)
            return
        }
        connection.reset()
        if connection.unreadCount == 0 {
            if connection.peerEnded { return close(connection) }
            return setDeadline(limits.idleMilliseconds, connection)
        }
        advance(connection)
    }

    private func updateInterest(_ connection: Connection) {
        let wanted = Poller.Interest(
            reads: !connection.peerEnded
                && (connection.phase == .draining || connection.unreadCount < Self.inboxLimit),
            writes: connection.unsentCount > 0)
        guard wanted != connection.interest else { return }
        connection.interest = wanted
        poller.change(connection.file, id: connection.id, interest: wanted)
    }

    // MARK: Streams

    private func startStream(_ stream: AsyncStream<Data>, _ connection: Connection) {
        let id = connection.id
        tasks += 1
        connection.streamTask = Task(executorPreference: self) {
            for await data in stream where !data.isEmpty {
                let isOpen = await withCheckedContinuation { waiter in
                    self.post(.part(data, connection: id, waiter))
                }
                guard isOpen else { break }
            }
            self.post(.streamEnded(connection: id))
        }
        if stopDeadline != nil { connection.streamTask?.cancel() }
    }

    func write(_ data: Data, connection id: UInt64, waiter: CheckedContinuation<Bool, Never>) {
        guard let connection = connections[id], connection.phase == .streaming else {
            return waiter.resume(returning: false)
        }
        appendPart(data, connection)
        connection.streamWaiter = waiter
        setDeadline(limits.writeMilliseconds, connection)
        flush(connection)
        if connection.unsentCount < Self.streamBufferLimit { resumeStream(connection, true) }
    }

    private func appendPart(_ data: Data, _ connection: Connection) {
        guard !data.isEmpty else { return }
        if connection.isChunkedStream {
            connection.outbox.append(contentsOf: String(data.count, radix: 16).utf8)
            connection.outbox.append(contentsOf: "\r\n".utf8)
        }
        connection.outbox.append(contentsOf: data)
        if connection.isChunkedStream { connection.outbox.append(contentsOf: "\r\n".utf8) }
    }

    func endStream(_ connection: Connection) {
        guard connection.phase == .streaming else { return }
        if connection.isChunkedStream { connection.outbox.append(contentsOf: "0\r\n\r\n".utf8) }
        connection.isChunkedStream = false
        connection.streamTask = nil
        connection.phase = .writing
        setDeadline(limits.writeMilliseconds, connection)
        flush(connection)
    }

    private func resumeStream(_ connection: Connection, _ isOpen: Bool) {
        connection.streamWaiter?.resume(returning: isOpen)
        connection.streamWaiter = nil
    }

    // MARK: Ending

    func expire(_ connection: Connection) {
        switch connection.phase {
        case .head, .body: refuse(.requestTimeout, connection)
        case .running: refuse(.handlerTimeout, connection)
        case .idle, .writing, .streaming, .draining: close(connection)
        }
    }

    func close(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        poller.remove(connection.file)
        Socket.close(connection.file)
        shared.release(connection.address)
        release(connection)
        resumeStream(connection, false)
        connection.streamTask?.cancel()
    }
}
