import HTTPMessage
import HTTPServer
import TestKit
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One thing that a client may send to a socket, and the statuses that must come back, in order.
struct Probe: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    let statuses: [Int]
    /// Whether the server must end the connection afterwards.
    var closes = true

    var testDescription: String { name }
}

private let post = "POST /echo HTTP/1.1\r\nHost: a\r\n"
private let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

/// What smuggles, what overruns, and beside each its honest neighbour.
private let probes: [Probe] = [
    Probe(
        name: "a length and a coding together",
        bytes: post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "two lengths that differ",
        bytes: post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", statuses: [400]),
    Probe(
        name: "two lengths that agree",
        bytes: post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", statuses: [400]),
    Probe(
        name: "a list of lengths", bytes: post + "Content-Length: 2, 2\r\n\r\nab", statuses: [400]),
    Probe(
        name: "a space before the colon", bytes: post + "Content-Length : 2\r\n\r\nab",
        statuses: [400]),
    Probe(
        name: "a length with a plus", bytes: post + "Content-Length: +2\r\n\r\nab", statuses: [400]),
    Probe(
        name: "a length with a minus", bytes: post + "Content-Length: -1\r\n\r\n", statuses: [400]),
    Probe(
        name: "a length past all numbers",
        bytes: post + "Content-Length: 99999999999999999999\r\n\r\n", statuses: [400]),
    Probe(name: "an empty length", bytes: post + "Content-Length:\r\n\r\n", statuses: [400]),
    Probe(
        name: "an unknown coding", bytes: post + "Transfer-Encoding: xchunked\r\n\r\n",
        statuses: [501]),
    Probe(
        name: "a coding before chunked", bytes: post + "Transfer-Encoding: gzip, chunked\r\n\r\n",
        statuses: [501]),
    Probe(
        name: "chunked twice",
        bytes: post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "chunked in HTTP/1.0",
        bytes: "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", statuses: [400]
    ),
    Probe(name: "bare line feeds", bytes: "GET / HTTP/1.1\nHost: a\n\n", statuses: [400]),
    Probe(
        name: "a bare line feed at the end", bytes: "GET / HTTP/1.1\r\nHost: a\r\n\n",
        statuses: [400]),
    Probe(
        name: "a bare carriage return", bytes: "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a folded field", bytes: "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a folded first field", bytes: "GET / HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "NUL in a value", bytes: "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "NUL in a name", bytes: "GET / HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n", statuses: [400]
    ),
    Probe(name: "no Host", bytes: "GET / HTTP/1.1\r\n\r\n", statuses: [400]),
    Probe(
        name: "two Hosts", bytes: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", statuses: [400]),
    Probe(
        name: "a Host with a path", bytes: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", statuses: [400]),
    Probe(
        name: "a field without a colon", bytes: "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a field without a name", bytes: "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "10 MB announced", bytes: post + "Content-Length: 10000000\r\n\r\n", statuses: [413]),
    Probe(name: "a chunk of 16 MB", bytes: chunked + "FFFFFF\r\n", statuses: [413]),
    Probe(
        name: "a chunk past all numbers", bytes: chunked + "FFFFFFFFFFFFFFFFF\r\n", statuses: [413]),
    Probe(name: "a chunk without a size", bytes: chunked + "\r\nab\r\n", statuses: [400]),
    Probe(name: "a chunk with a sign", bytes: chunked + "+2\r\nab\r\n0\r\n\r\n", statuses: [400]),
    Probe(
        name: "a chunk that says 0x2", bytes: chunked + "0x2\r\nab\r\n0\r\n\r\n", statuses: [400]),
    Probe(
        name: "a chunk longer than its size", bytes: chunked + "2\r\nabc\r\n0\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a chunk size with a bare line feed", bytes: chunked + "2\nab\n0\n\n", statuses: [400]
    ),
    Probe(
        name: "chunk extensions without end",
        bytes: chunked + "1;" + String(repeating: "x", count: 9_000) + "\r\n", statuses: [431]),
    Probe(
        name: "a folded trailer", bytes: chunked + "0\r\n x: y\r\n\r\n", statuses: [400]),
    Probe(
        name: "a request line without end", bytes: "GET /" + String(repeating: "x", count: 9_000),
        statuses: [414]),
    Probe(
        name: "fields without end",
        bytes: "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 40_000),
        statuses: [431]),
    Probe(
        name: "101 fields",
        bytes: "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n",
        statuses: [431]),
    Probe(name: "no version", bytes: "GET /\r\n\r\n", statuses: [400]),
    Probe(name: "HTTP/2.0", bytes: "GET / HTTP/2.0\r\nHost: a\r\n\r\n", statuses: [505]),
    Probe(
        name: "a version in small letters", bytes: "GET / http/1.1\r\nHost: a\r\n\r\n",
        statuses: [400]),
    Probe(name: "two spaces", bytes: "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
    Probe(
        name: "a method that is no token", bytes: "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a target without a slash", bytes: "GET echo HTTP/1.1\r\nHost: a\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a target with a fragment", bytes: "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n",
        statuses: [400]),
    Probe(
        name: "a target beyond ASCII", bytes: "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
    Probe(name: "a tunnel", bytes: "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400]),
    Probe(name: "TLS", bytes: "\u{16}\u{3}\u{1}\u{2}\0", statuses: [400]),
    Probe(
        name: "an expectation that is unknown", bytes: post + "Expect: tea\r\n\r\n", statuses: [417]
    ),
    Probe(
        name: "100 fields",
        bytes: "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 99) + "\r\n",
        statuses: [200], closes: false),
    Probe(
        name: "white space around a value", bytes: post + "Content-Length: \t2 \r\n\r\nab",
        statuses: [200], closes: false),
    Probe(
        name: "chunks with extension and trailer",
        bytes: chunked + "2;a=b\r\nab\r\n3\r\ncde\r\n0\r\nX: y\r\n\r\n", statuses: [200],
        closes: false),
    Probe(
        name: "three requests at once",
        bytes: post + "Content-Length: 2\r\n\r\nab" + chunked + "1\r\nx\r\n0\r\n\r\n"
            + "GET / HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [200, 200, 200], closes: false),
    Probe(
        name: "a good request and then rubbish",
        bytes: "GET / HTTP/1.1\r\nHost: a\r\n\r\nrubbish\n", statuses: [200, 400]),
    Probe(
        name: "an expectation", bytes: post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n",
        statuses: [100], closes: false),
    Probe(
        name: "an expectation over the limit",
        bytes: post + "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n", statuses: [413]),
    Probe(name: "HTTP/1.0", bytes: "GET / HTTP/1.0\r\n\r\n", statuses: [200]),
    Probe(
        name: "HTTP/1.0 that stays", bytes: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        statuses: [200], closes: false),
    Probe(
        name: "a last request", bytes: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        statuses: [200]),
    Probe(
        name: "a proxy's target", bytes: "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        statuses: [200], closes: false),
    Probe(
        name: "the whole server", bytes: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [204],
        closes: false),
]

/// The statuses of the responses in `text`.
func statuses(in text: String) -> [Int] {
    text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst()
        .compactMap { Int($0.prefix(3)) }
}

/// A router with a page, an echo and nothing else.
func echoRouter() -> Router {
    var router = Router()
    router.on(.get, "/") { _, _ in .text("hello") }
    router.on(.post, "/echo") { request, _ in HTTPResponse(status: .ok, body: request.body) }
    return router
}

@Suite struct ProbeTests {
    @Test(arguments: probes)
    func `a socket's bytes get their answer`(_ probe: Probe) async throws {
        let listener = try HTTPListener(HTTPListenerConfiguration(threads: 1), router: echoRouter())
        let text = await offPool {
            guard let socket = RawSocket.connect(port: listener.port) else {
                return "no connection"
            }
            socket.send(probe.bytes)
            return socket.receiveAll { text in
                !probe.closes && statuses(in: text).count == probe.statuses.count
            }
        }
        #expect(statuses(in: text) == probe.statuses, "\(text)")
        await listener.stop()
    }
}
