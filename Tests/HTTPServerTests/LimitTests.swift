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

/// Limits so short that a test can reach them.
private func limits(_ change: (inout HTTPServerLimits) -> Void) -> HTTPListenerConfiguration {
    var limits = HTTPServerLimits()
    change(&limits)
    return HTTPListenerConfiguration(threads: 1, limits: limits)
}

@Suite(.timeLimit(.minutes(2))) struct LimitTests {
    private func connect(_ listener: HTTPListener) async throws -> RawSocket {
        let port = listener.port
        return try #require(await offPool { RawSocket.connect(port: port) })
    }

    /// Sends a start and then a byte every few milliseconds until the server answers; the answer.
    private func trickle(_ start: String, _ byte: String, into socket: RawSocket) async -> String {
        await offPool {
            socket.send(start)
            // Far more bytes than the deadline leaves time for, and far fewer than any limit.
            for _ in 0..<2_000 {
                if let answer = socket.receive(withinMilliseconds: 10) {
                    return String(decoding: answer, as: UTF8.self) + socket.receiveAll()
                }
                socket.send(byte)
            }
            return "never cut"
        }
    }

    @Test func `a head that trickles is cut at its deadline`() async throws {
        let listener = try HTTPListener(
            limits { $0.headMilliseconds = 200 }, router: echoRouter())
        let socket = try await connect(listener)
        let text = await trickle("GET / HTTP/1.1\r\nHost: a\r\nX: ", "y", into: socket)
        #expect(statuses(in: text) == [408] && text.contains("requestTimeout"))
        await listener.stop()
    }

    @Test func `a body that trickles is cut at its deadline`() async throws {
        let listener = try HTTPListener(
            limits { $0.requestMilliseconds = 200 }, router: echoRouter())
        let post = "POST /echo HTTP/1.1\r\nHost: a\r\n"
        let plain = try await connect(listener)
        let cut = await trickle(post + "Content-Length: 100000\r\n\r\n", "y", into: plain)
        #expect(statuses(in: cut) == [408])
        let chunked = try await connect(listener)
        let alsoCut = await trickle(
            post + "Transfer-Encoding: chunked\r\n\r\n", "1\r\ny\r\n", into: chunked)
        #expect(statuses(in: alsoCut) == [408])
        await listener.stop()
    }

    @Test func `a connection that says nothing is closed without a word`() async throws {
        let listener = try HTTPListener(
            limits { $0.idleMilliseconds = 100 }, router: echoRouter())
        let fresh = try await connect(listener)
        #expect(await offPool { fresh.receiveAll() } == "")
        // On a busy machine the request itself may come too late; then once more.
        var text = ""
        while text.isEmpty {
            let used = try await connect(listener)
            text = await offPool {
                used.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return used.receiveAll()
            }
        }
        #expect(statuses(in: text) == [200])
        await listener.stop()
    }

    @Test func `a handler that is too slow is answered for`() async throws {
        let door = Door()
        let listener = try HTTPListener(limits { $0.handlerMilliseconds = 100 }) { _, _ in
            await door.pass()
            return .text("late")
        }
        let socket = try await connect(listener)
        let text = await offPool {
            socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return socket.receiveAll()
        }
        #expect(statuses(in: text) == [503] && text.contains("handlerTimeout"))
        door.open()
        await listener.stop()
    }

    @Test func `a reader that does not read is cut and holds up nobody`() async throws {
        let listener = try HTTPListener(limits { $0.writeMilliseconds = 200 }) { request, _ in
            request.target == "/big"
                ? HTTPResponse(status: .ok, body: Data(count: 64 << 20)) : .text("small")
        }
        let slow = try await connect(listener)
        let other = try await connect(listener)
        let text = await offPool { () -> String in
            slow.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = slow.receive()
            other.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return other.receiveAll()
        }
        #expect(text.hasSuffix("small"))
        await offPool { other.close() }
        await waitUntil { listener.connectionCount == 0 }
        await listener.stop()
    }

    @Test func `5 MB of rubbish get 413 at once`() async throws {
        let counter = Counter()
        let listener = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            counter.count.add(1, ordering: .relaxed)
            return .text("")
        }
        let socket = try await connect(listener)
        let text = await offPool { () -> String in
            socket.send("POST /v1/purchases HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
            // The answer comes before the body; then all of it is sent all the same, as clients do.
            let answer = socket.receiveAll { $0.contains("contentTooLarge") }
            socket.send([UInt8](repeating: 0xA5, count: 5_000_000))
            socket.endSending()
            return answer + socket.receiveAll()
        }
        #expect(statuses(in: text) == [413] && text.contains("Connection: close\r\n"))
        await listener.stop()
        #expect(counter.count.load(ordering: .relaxed) == 0)
    }

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test func `a body over its route's limit is refused, one of just the limit is not`()
        async throws
    {
        var router = Router()
        router.on(.post, "/small", bodyLimit: 10) { request, _ in .text("\(request.body.count)") }
        let listener = try HTTPListener(HTTPListenerConfiguration(threads: 1), router: router)
        let post = "POST /small HTTP/1.1\r\nHost: a\r\n"
        for (rest, status) in [
            ("Content-Length: 10\r\n\r\n0123456789", 200), ("Content-Length: 11\r\n\r\n", 413),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n", 200),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n6\r\n", 413),
        ] {
            let socket = try await connect(listener)
            let text = await offPool { () -> String in
                socket.send(post + rest)
                return socket.receiveAll { statuses(in: $0).count == 1 }
            }
            #expect(statuses(in: text) == [status], "\(rest)")
        }
        await listener.stop()
    }

    @Test func `connections over the limit are turned away and room is given again`() async throws {
        let listener = try HTTPListener(
            limits { $0.connectionsPerAddress = 2 }, router: echoRouter())
        let first = try await connect(listener)
        let second = try await connect(listener)
        await waitUntil { listener.connectionCount == 2 }
        let third = try await connect(listener)
        #expect(statuses(in: await offPool { third.receiveAll() }) == [503])
        await offPool { first.close() }
        await waitUntil { listener.connectionCount == 1 }
        let fourth = try await connect(listener)
        let text = await offPool { () -> String in
            fourth.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return fourth.receiveAll()
        }
        #expect(statuses(in: text) == [200])
        withExtendedLifetime(second) {}
        await listener.stop()
    }

    @Test func `requests over the limit of running ones are told to come again`() async throws {
        let door = Door()
        let listener = try HTTPListener(limits { $0.runningRequests = 1 }) { _, _ in
            await door.pass()
            return .text("done")
        }
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let first = try await connect(listener)
        await offPool { _ = first.send(get) }
        await waitUntil { door.arrived == 1 }
        let second = try await connect(listener)
        let busy = await offPool { () -> String in
            second.send(get)
            return second.receiveAll { $0.contains("overloaded") }
        }
        #expect(statuses(in: busy) == [503] && busy.contains("Retry-After: 1\r\n"))
        door.open()
        #expect(await offPool { first.receiveAll { $0.contains("done") } }.hasSuffix("done"))
        let again = await offPool { () -> String in
            second.send(get)
            return second.receiveAll { $0.contains("done") }
        }
        #expect(statuses(in: again) == [200], "the connection that was turned away still serves")
        await listener.stop()
    }

    @Test func `thousands of pipelined requests that are turned away do no harm`() async throws {
        let listener = try HTTPListener(
            limits { $0.runningRequests = 0 }, router: echoRouter())
        let socket = try await connect(listener)
        let count = 5_000
        let text = await offPool { () -> String in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            socket.send(String(repeating: request, count: count - 1) + last)
            return socket.receiveAll()
        }
        #expect(statuses(in: text) == Array(repeating: 503, count: count))
        await listener.stop()
    }

    @Test func `all bodies together are bounded`() async throws {
        let listener = try HTTPListener(
            limits { $0.heldBodyBytes = 150_000 }, router: echoRouter())
        let post = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n"
        let head = post + "\r\n"
        let body = String(repeating: "x", count: 100_000)
        let first = try await connect(listener)
        let invited = await offPool { () -> String in
            first.send(post + "Expect: 100-continue\r\n\r\n")
            return first.receiveAll { $0.contains("\r\n\r\n") }
        }
        #expect(statuses(in: invited) == [100])
        let second = try await connect(listener)
        let refused = await offPool { () -> String in
            second.send(head)
            return second.receiveAll(withinMilliseconds: 2_000) { $0.contains("overloaded") }
        }
        #expect(statuses(in: refused) == [503])
        let text = await offPool { () -> String in
            first.send(body)
            return first.receiveAll { $0.utf8.count > 100_000 }
        }
        #expect(statuses(in: text) == [200])
        let third = try await connect(listener)
        let served = await offPool { () -> String in
            third.send(head + body)
            return third.receiveAll { $0.utf8.count > 100_000 }
        }
        #expect(statuses(in: served) == [200], "what was held is given back")
        await listener.stop()
    }

    @Test func `a client that pipelines without reading is not read without end`() async throws {
        let listener = try HTTPListener(limits { $0.writeMilliseconds = 60_000 }) { _, _ in
            HTTPResponse(status: .ok, body: Data(count: 1 << 20))
        }
        let socket = try await connect(listener)
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let answers = await offPool { () -> Int in
            // 200 MB of answers are asked for; they come one at a time as they are read.
            socket.send(String(repeating: request, count: 200))
            var count = 0
            while count < 200 * (1 << 20), let bytes = socket.receive(), !bytes.isEmpty {
                count += bytes.count
            }
            return count
        }
        #expect(answers >= 200 * (1 << 20))
        await listener.stop()
    }
}
