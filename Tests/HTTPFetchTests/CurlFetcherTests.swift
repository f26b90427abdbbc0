import HTTPFetch
import HTTPMessage
import Synchronization
import TestKit
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a server does wrong, and what the caller must hear.
private struct Misdeed: Sendable, CustomTestStringConvertible {
    let name: String
    let code: HTTPFetchError.Code
    var limits = HTTPFetchLimits(responseBytes: 1_000)
    let script: @Sendable (RawSocket) -> Void

    var testDescription: String { name }

    /// Short, since these servers never come to an end.
    static let impatient = HTTPFetchLimits(totalMilliseconds: 1_500)
}

private let misdeeds: [Misdeed] = [
    Misdeed(name: "closes without a byte", code: .connectionLost) { $0.close() },
    Misdeed(name: "resets", code: .connectionLost) { $0.reset() },
    Misdeed(name: "closes inside the body", code: .connectionLost) {
        $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        $0.close()
    },
    Misdeed(name: "closes inside a chunk", code: .connectionLost) {
        $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
        $0.close()
    },
    Misdeed(name: "closes inside the head", code: .connectionLost) {
        $0.send("HTTP/1.1 200 OK\r\nContent-Le")
        $0.close()
    },
    Misdeed(name: "speaks another protocol", code: .invalidResponse) {
        $0.send("220 mail.example.com ESMTP ready\r\n")
        $0.close()
    },
    Misdeed(name: "sends noise", code: .invalidResponse) {
        $0.send([0x16, 0x03, 0x01, 0x00, 0xFF, 0x00, 0x0A])
        $0.close()
    },
    Misdeed(name: "sends a status that is none", code: .invalidResponse) {
        $0.send("HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n")
        $0.close()
    },
    Misdeed(name: "never answers", code: .timedOut, limits: Misdeed.impatient) {
        _ = $0.seesEnd()
    },
    Misdeed(name: "answers a byte at a time", code: .timedOut, limits: Misdeed.impatient) {
        $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while $0.send("x"), $0.receive(withinMilliseconds: 20) == nil {}
    },
    Misdeed(name: "announces too much", code: .responseTooLarge) {
        $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
        _ = $0.seesEnd()
    },
    Misdeed(name: "sends too much without announcing it", code: .responseTooLarge) {
        $0.send("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_001))
        _ = $0.seesEnd()
    },
    Misdeed(name: "sends chunks for ever", code: .responseTooLarge) {
        $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while $0.send("64\r\n" + String(repeating: "x", count: 100) + "\r\n") {}
    },
]

@Suite struct CurlFetcherTests {
    private func failure(
        _ request: HTTPRequest, limits: HTTPFetchLimits = HTTPFetchLimits(),
        by fetcher: CurlFetcher = CurlFetcher()
    ) async -> HTTPFetchError.Code? {
        do {
            let response = try await fetcher.fetch(request, limits: limits)
            Issue.record("got \(response.status.rawValue)")
            return nil
        } catch { return error.code }
    }

    @Test(arguments: misdeeds)
    private func `a server's misdeed has its code`(_ misdeed: Misdeed) async throws {
        let server = try #require(ScriptedServer(misdeed.script))
        let request = HTTPRequest(method: .get, target: server.url)
        #expect(await failure(request, limits: misdeed.limits) == misdeed.code)
    }

    @Test func `a response of just the limit is taken`() async throws {
        let server = try #require(
            ScriptedServer {
                $0.send(
                    "HTTP/1.1 299 Fine\r\nX-Two: a\r\nX-Two:  b \r\n\r\n"
                        + String(repeating: "x", count: 1_000))
            })
        let response = try await CurlFetcher().fetch(
            HTTPRequest(method: .get, target: server.url),
            limits: HTTPFetchLimits(responseBytes: 1_000))
        #expect(response.status.rawValue == 299)
        #expect(response.fields.values(of: "x-two") == ["a", "b"])
        #expect(response.body.count == 1_000)
    }

    @Test func `the request on the wire is what was asked and no more`() async throws {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 204 No Content\r\n\r\n") })
        let request = HTTPRequest(
            method: .post, target: server.url + "a/../b?c=%20d",
            fields: [
                "X-Empty": "", "X-Till": "1", "Content-Length": "99", "Expect": "100-continue",
            ],
            body: Data("abc".utf8))
        let response = try await CurlFetcher().fetch(request)
        #expect(response.status == .noContent)
        let head = try #require(server.received.first)
        #expect(head.hasPrefix("POST /a/../b?c=%20d HTTP/1.1\r\n"))
        #expect(head.contains("\r\nX-Empty:\r\n"))
        #expect(head.contains("\r\nX-Till: 1\r\n"))
        #expect(head.contains("\r\nUser-Agent: Till\r\n"))
        #expect(head.contains("\r\nContent-Length: 3\r\n"))
        #expect(!head.contains("Content-Type") && !head.contains("Expect"))
        #expect(head.hasSuffix("\r\n\r\nabc"))
    }

    @Test(arguments: [HTTPMethod.get, .head, .put, .delete, HTTPMethod(rawValue: "TILL")])
    func `a method goes out as it is`(_ method: HTTPMethod) async throws {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") })
        _ = try await CurlFetcher().fetch(HTTPRequest(method: method, target: server.url))
        #expect(server.received.first?.hasPrefix("\(method.rawValue) / HTTP/1.1\r\n") == true)
    }

    @Test func `an answer to HEAD has a length and no body`() async throws {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n") })
        let response = try await CurlFetcher().fetch(
            HTTPRequest(method: .head, target: server.url))
        #expect(response.fields["content-length"] == "99999999" && response.body.isEmpty)
    }

    @Test(arguments: [
        "", "till", "ftp://127.0.0.1/", "file:///etc/passwd", "http:/127.0.0.1/", "http://",
        "http://127.0.0.1:99999/", "http://127.0.0.1/ x", "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1/\0", "http://ä/",
    ])
    func `what is no URL is sent nowhere`(_ url: String) async {
        #expect(await failure(HTTPRequest(method: .get, target: url)) == .invalidURL)
    }

    @Test func `a method that is no token is sent nowhere`() async {
        let request = HTTPRequest(
            method: HTTPMethod(rawValue: "GET / HTTP/1.1\r\n"), target: "http://127.0.0.1/")
        #expect(await failure(request) == .invalidURL)
    }

    @Test func `nobody there is told from nobody known`() async throws {
        let (socket, port) = try #require(RawSocket.listening())
        socket.close()
        let closed = HTTPRequest(method: .get, target: "http://127.0.0.1:\(port)/")
        #expect(await failure(closed) == .cannotConnect)
        let unknown = HTTPRequest(method: .get, target: "http://till.invalid/")
        #expect(await failure(unknown) == .cannotConnect)
    }

    @Test func `TLS with a server that has none fails as TLS`() async throws {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") })
        let request = HTTPRequest(method: .get, target: "https://127.0.0.1:\(server.port)/")
        // The script waits for a head that TLS has not; it ends when the client does.
        let code = await failure(request, limits: HTTPFetchLimits(totalMilliseconds: 300))
        #expect(code == .tls || code == .cannotConnect)
    }

    @Test func `a redirect is an answer like any other`() async throws {
        let server = try #require(
            ScriptedServer {
                $0.send("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
            })
        let response = try await CurlFetcher().fetch(
            HTTPRequest(method: .get, target: server.url))
        #expect(response.status.rawValue == 302 && response.fields["location"] == "/there")
    }

    @Test func `cancelling ends the exchange and the connection`() async throws {
        let sawEnd = Mutex(false)
        let server = try #require(
            ScriptedServer { socket in sawEnd.withLock { $0 = socket.seesEnd() } })
        let fetcher = CurlFetcher()
        let url = server.url
        let task = Task { () -> HTTPFetchError.Code? in
            do throws(HTTPFetchError) {
                _ = try await fetcher.fetch(HTTPRequest(method: .get, target: url))
                return nil
            } catch { return error.code }
        }
        while server.received.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
        while !sawEnd.withLock({ $0 }) { await Task.yield() }
    }

    @Test func `a cancelled task fetches nothing`() async throws {
        let server = try #require(ScriptedServer { _ in })
        let url = server.url
        let task = Task { () -> HTTPFetchError.Code? in
            while !Task.isCancelled { await Task.yield() }
            do throws(HTTPFetchError) {
                _ = try await CurlFetcher().fetch(HTTPRequest(method: .get, target: url))
                return nil
            } catch { return error.code }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.received.isEmpty)
    }

    @Test func `loopback is refused where only public addresses are allowed`() async throws {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") })
        let fetcher = CurlFetcher(CurlFetcherConfiguration(allowedAddresses: .publicOnly))
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"] {
            let request = HTTPRequest(method: .get, target: "http://\(host):\(server.port)/")
            #expect(await failure(request, by: fetcher) == .cannotConnect, "\(host)")
        }
        #expect(server.received.isEmpty)
    }

    @Test func `those over the limit of waiting ones are turned away at once`() async throws {
        let release = Mutex(false)
        let server = try #require(
            ScriptedServer { socket in
                while !release.withLock({ $0 }) { _ = socket.receive(withinMilliseconds: 5) }
                socket.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            })
        let fetcher = CurlFetcher(
            CurlFetcherConfiguration(concurrentExchanges: 1, waitingExchanges: 1))
        let request = HTTPRequest(method: .get, target: server.url)
        let codes = await withTaskGroup(of: HTTPFetchError.Code?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do throws(HTTPFetchError) {
                        _ = try await fetcher.fetch(request)
                        return nil
                    } catch { return error.code }
                }
            }
            var codes: [HTTPFetchError.Code?] = []
            for await code in group {
                codes.append(code)
                // One runs and one waits; the others must be back before anything is answered.
                if codes.count == 4 { release.withLock { $0 = true } }
            }
            return codes
        }
        #expect(codes.prefix(4).allSatisfy { $0 == .cannotConnect })
        #expect(codes.suffix(2).allSatisfy { $0 == nil })
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a storm of cancelled and refused exchanges leaves none behind`(_ seed: UInt64)
        async throws
    {
        let server = try #require(
            ScriptedServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") })
        let (closed, deadPort) = try #require(RawSocket.listening())
        closed.close()
        let fetcher = CurlFetcher()
        let (live, dead) = (server.url, "http://127.0.0.1:\(deadPort)/")
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                let kind = (UInt64(index) &* 2_654_435_761 &+ seed) % 4
                group.addTask {
                    let task = Task {
                        try await fetcher.fetch(
                            HTTPRequest(method: .get, target: kind == 0 ? dead : live))
                    }
                    if kind == 1 { task.cancel() }
                    let result = await task.result
                    switch kind {
                    case 0:
                        #expect(throws: HTTPFetchError.self) { try result.get() }
                    case 1: break
                    default: #expect((try? result.get())?.body == Data("ok".utf8))
                    }
                }
            }
        }
    }
}
