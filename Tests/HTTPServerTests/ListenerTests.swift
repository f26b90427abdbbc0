import HTTPFetch
import HTTPMessage
import HTTPServer
import Synchronization
import TestKit
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A door that handlers wait at until the test opens it.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var arrived: Int { state.withLock { $0.arrived } }

    func pass() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                state.arrived += 1
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Waits until something is so; the time limit of the test run ends it otherwise.
func waitUntil(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}

@Suite(.timeLimit(.minutes(2))) struct ListenerTests {
    private let fetcher = CurlFetcher()

    private func url(_ listener: HTTPListener, _ path: String = "/") -> String {
        "http://127.0.0.1:\(listener.port)\(path)"
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0"])
    func `a listener is found where it says`(_ host: String) async throws {
        let listener = try HTTPListener(HTTPListenerConfiguration(host: host)) { _, context in
            .text(context.remoteAddress)
        }
        #expect(listener.port > 0 && listener.host == host)
        let response = try await fetcher.fetch(HTTPRequest(method: .get, target: url(listener)))
        #expect(response.body == Data("127.0.0.1".utf8))
        await listener.stop()
    }

    @Test func `IPv6 is served where the machine has it`() async throws {
        let listener: HTTPListener
        do throws(HTTPListenerError) {
            listener = try HTTPListener(HTTPListenerConfiguration(host: "::1")) { _, context in
                .text(context.remoteAddress)
            }
        } catch {
            #expect(error.code == .addressNotAllowed, "a machine without IPv6")
            return
        }
        let response = try await fetcher.fetch(
            HTTPRequest(method: .get, target: "http://[::1]:\(listener.port)/"))
        #expect(response.body == Data("::1".utf8))
        await listener.stop()
    }

    @Test func `where somebody listens nobody else does`() async throws {
        let first = try HTTPListener(HTTPListenerConfiguration()) { _, _ in .text("") }
        let error = #expect(throws: HTTPListenerError.self) {
            try HTTPListener(HTTPListenerConfiguration(port: first.port)) { _, _ in .text("") }
        }
        #expect(error?.code == .addressInUse)
        await first.stop()
        let second = try HTTPListener(HTTPListenerConfiguration(port: first.port)) { _, _ in
            .text("")
        }
        await second.stop()
    }

    @Test(arguments: [
        ("till.invalid", 0, HTTPListenerError.Code.unknownHost),
        ("192.0.2.1", 0, .addressNotAllowed), ("127.0.0.1", 65_536, .addressNotAllowed),
    ])
    func `where it cannot listen it says why`(
        _ host: String, _ port: Int, _ code: HTTPListenerError.Code
    ) {
        let error = #expect(throws: HTTPListenerError.self) {
            try HTTPListener(HTTPListenerConfiguration(host: host, port: port)) { _, _ in .text("")
            }
        }
        #expect(error?.code == code)
    }

    @Test func `many clients at once each get their own answer`() async throws {
        let listener = try HTTPListener(
            HTTPListenerConfiguration(threads: 2), router: echoRouter())
        let target = url(listener, "/echo")
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<24 {
                group.addTask {
                    for round in 0..<25 {
                        let size = (client * 7_919 + round * 104_729) % 60_000
                        let body = Data("\(client) \(round) ".utf8) + Data(count: size)
                        let response = try? await self.fetcher.fetch(
                            HTTPRequest(method: .post, target: target, body: body))
                        #expect(response?.body == body)
                    }
                }
            }
        }
        await listener.stop()
    }

    @Test func `a receipt in base64 passes and a request id comes back`() async throws {
        let records = Mutex<[AccessRecord]>([])
        let listener = try HTTPListener(
            HTTPListenerConfiguration(accessLog: { record in records.withLock { $0.append(record) }
            }),
            router: echoRouter())
        let body = Data(repeating: UInt8(ascii: "A"), count: 79 << 10)
        let response = try await fetcher.fetch(
            HTTPRequest(method: .post, target: url(listener, "/echo?a"), body: body))
        #expect(response.body == body)
        await listener.stop()
        let record = try #require(records.withLock { $0 }.first)
        #expect(record.requestID == response.fields["X-Request-ID"])
        #expect(record.method == "POST" && record.target == "/echo?a" && record.status == 200)
        #expect(record.requestBytes == body.count && record.responseBytes == body.count)
        #expect(record.remoteAddress == "127.0.0.1")
    }

    @Test func `a handler cannot break the framing of its response`() async throws {
        let listener = try HTTPListener(HTTPListenerConfiguration()) { request, _ in
            switch request.target {
            case "/length":
                HTTPResponse(
                    status: .ok,
                    fields: [
                        "Content-Length": "9", "Transfer-Encoding": "chunked", "Connection": "x",
                    ],
                    body: Data("abc".utf8))
            case "/status": HTTPResponse(status: HTTPStatus(rawValue: 42))
            case "/informal": HTTPResponse(status: HTTPStatus(rawValue: 101))
            default: HTTPResponse(status: .notModified, body: Data("abc".utf8))
            }
        }
        let length = try await fetcher.fetch(
            HTTPRequest(method: .get, target: url(listener, "/length")))
        #expect(
            length.body == Data("abc".utf8) && length.fields.values(of: "Content-Length") == ["3"])
        #expect(length.fields["Transfer-Encoding"] == nil && length.fields["Connection"] == nil)
        for path in ["/status", "/informal"] {
            let response = try await fetcher.fetch(
                HTTPRequest(method: .get, target: url(listener, path)))
            #expect(response.status == .internalServerError)
        }
        let silent = try await fetcher.fetch(HTTPRequest(method: .get, target: url(listener)))
        #expect(silent.status == .notModified && silent.body.isEmpty)
        let head = try await fetcher.fetch(
            HTTPRequest(method: .head, target: url(listener, "/length")))
        #expect(head.body.isEmpty && head.fields["Content-Length"] == "3")
        await listener.stop()
    }

    // MARK: Stopping

    @Test func `stopping finishes what runs and closes what waits`() async throws {
        let door = Door()
        let listener = try HTTPListener(HTTPListenerConfiguration(threads: 2)) { _, _ in
            await door.pass()
            return .text("done")
        }
        let (port, target) = (listener.port, url(listener))
        let idle = await offPool { RawSocket.connect(port: port) }
        let socket = try #require(idle)
        let running = Task { [fetcher] in
            try await fetcher.fetch(HTTPRequest(method: .get, target: target))
        }
        await waitUntil { door.arrived == 1 && listener.connectionCount == 2 }
        let stopping = Task { await listener.stop() }
        #expect(await offPool { socket.seesEnd() }, "the idle connection")
        #expect(await offPool { RawSocket.connect(port: port) } == nil, "nothing new")
        door.open()
        let response = try await running.value
        #expect(response.body == Data("done".utf8) && response.fields["Connection"] == "close")
        await stopping.value
        #expect(listener.connectionCount == 0)
    }

    @Test func `stopping does not wait for ever`() async throws {
        let door = Door()
        let listener = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            await door.pass()
            return .text("late")
        }
        let target = url(listener)
        let running = Task { [fetcher] in
            try await fetcher.fetch(HTTPRequest(method: .get, target: target))
        }
        await waitUntil { door.arrived == 1 }
        await listener.stop(withinMilliseconds: 50)
        await #expect(throws: HTTPFetchError.self) { try await running.value }
        door.open()
        await listener.stop()
    }

    @Test func `a listener that nobody holds is gone`() async throws {
        var listener: HTTPListener? = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            .text("")
        }
        let port = try #require(listener?.port)
        let socket = try #require(await offPool { RawSocket.connect(port: port) })
        listener = nil
        #expect(await offPool { socket.seesEnd() })
    }

    // MARK: Streams

    @Test func `a stream's parts arrive while it goes on`() async throws {
        let (stream, parts) = AsyncStream<Data>.makeStream()
        let listener = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            HTTPResponse(
                status: .ok, fields: ["Content-Type": "text/event-stream"],
                body: Data("first".utf8), stream: stream)
        }
        let port = listener.port
        let socket = try #require(await offPool { RawSocket.connect(port: port) })
        let first = await offPool {
            socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return socket.receiveAll { $0.contains("first") }
        }
        #expect(first.contains("Transfer-Encoding: chunked\r\n"))
        parts.yield(Data("second".utf8))
        parts.yield(Data())
        #expect(await offPool { socket.receiveAll { $0.contains("6\r\nsecond\r\n") } } != "")
        parts.finish()
        let rest = await offPool { () -> String in
            let rest = socket.receiveAll { $0.contains("0\r\n\r\n") }
            socket.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            return rest
        }
        #expect(rest == "0\r\n\r\n")
        #expect(await offPool { socket.receiveAll { $0.contains("\r\n\r\n") } }.contains("200 OK"))
        await listener.stop()
    }

    @Test func `a stream ends when its reader goes and when the listener stops`() async throws {
        let box = StreamBox()
        let listener = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            let (stream, parts) = AsyncStream<Data>.makeStream()
            parts.onTermination = { _ in box.ended.add(1, ordering: .relaxed) }
            box.parts.withLock { $0.append(parts) }
            return HTTPResponse(status: .ok, stream: stream)
        }
        let port = listener.port
        for _ in 0..<2 {
            let socket = try #require(await offPool { RawSocket.connect(port: port) })
            box.sockets.withLock { $0.append(socket) }
            await offPool {
                socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = socket.receiveAll { $0.contains("\r\n\r\n") }
            }
        }
        box.sockets.withLock { $0[0].endSending() }
        await waitUntil { box.ended.load(ordering: .relaxed) == 1 }
        async let stopped: Void = listener.stop()
        let last = await offPool { box.sockets.withLock { $0[1] }.receiveAll() }
        #expect(last == "0\r\n\r\n")
        await stopped
        #expect(box.ended.load(ordering: .relaxed) == 2)
    }

    private final class StreamBox: Sendable {
        let ended = Atomic<Int>(0)
        let parts = Mutex<[AsyncStream<Data>.Continuation]>([])
        let sockets = Mutex<[RawSocket]>([])
    }
}
