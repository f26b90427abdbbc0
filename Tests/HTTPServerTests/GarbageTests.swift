import HTTPMessage
import Synchronization
import TestKit
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(2))) struct GarbageTests {
    private static let request =
        "POST /echo?a=b HTTP/1.1\r\nHost: till.example:8080\r\nX-Long: some text, and more\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n4;name=value\r\nabcd\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n"

    @Test(arguments: [UInt64(1), 2])
    func `a million random bytes change nothing`(_ seed: UInt64) async throws {
        let listener = try HTTPListener(HTTPListenerConfiguration(threads: 2), router: echoRouter())
        let port = listener.port
        let seen = await offPool { () -> Set<Int> in
            var random = SeededRandom(seed: seed)
            var seen: Set<Int> = []
            for round in 0..<128 {
                guard let socket = RawSocket.connect(port: port) else { continue }
                var bytes = [UInt8](repeating: 0, count: 4_096)
                for index in bytes.indices {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                // Every other one starts well, so that fields and bodies get their share.
                if round % 2 == 1 {
                    let start = Array(Self.request.utf8)
                    bytes.insert(
                        contentsOf: start[..<Int.random(in: 1..<start.count, using: &random)], at: 0
                    )
                }
                socket.send(bytes)
                socket.endSending()
                let answer = socket.receiveAll()
                seen.formUnion(statuses(in: answer))
            }
            return seen
        }
        #expect(seen.isSubset(of: [200, 400, 413, 414, 417, 431, 501, 505]) && seen.contains(400))
        let text = await offPool { () -> String in
            guard let socket = RawSocket.connect(port: port) else { return "" }
            socket.send(Self.request)
            return socket.receiveAll { $0.hasSuffix("abcd0123456789") }
        }
        #expect(statuses(in: text) == [200])
        await waitUntil { listener.connectionCount <= 1 }
        await listener.stop()
    }

    /// What the parts of `bytes` are read as, one after the other: head, body, or the refusal.
    private func read(_ parts: [[UInt8]]) -> String {
        let connection = Connection(id: 1, file: -1, address: "", deadline: 0)
        var limits = HTTPServerLimits()
        limits.fieldCount = 8
        var words = ""
        do throws(RequestRefusal) {
            for part in parts {
                connection.inbox += part
                if connection.head == nil {
                    guard let head = try connection.readHead(limits) else { continue }
                    words += "\(head.method.rawValue) \(head.target) \(head.fields.all) "
                    connection.head = head
                    connection.bodyLimit = 1_000
                    if head.isChunked { connection.chunks = ChunkedReader() }
                    if !head.hasBody { return words }
                }
                if try connection.readBody() { return words + "\(connection.body)" }
            }
        } catch { return "refused: \(error)" }
        return words + "more"
    }

    @Test(arguments: UInt64(1)...4)
    func `how bytes are cut into packets decides nothing`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let whole = Array(Self.request.utf8)
        var outcomes: Set<String> = []
        for _ in 0..<500 {
            var bytes = whole
            // One or two bytes become another, or a control character, which matter the most.
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                let special: [UInt8] = [0, 9, 10, 13, 32, 58, 59, 48, 43, 127]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = special.randomElement(using: &random) ?? 0
                case 1: bytes.remove(at: place)
                default: bytes.insert(special.randomElement(using: &random) ?? 0, at: place)
                }
            }
            let atOnce = read([bytes])
            let byByte = read(bytes.map { [$0] })
            let cut = Int.random(in: 1..<bytes.count, using: &random)
            let inTwo = read([Array(bytes[..<cut]), Array(bytes[cut...])])
            if byByte != atOnce || inTwo != atOnce { Issue.record("\(bytes)") }
            outcomes.insert(String(atOnce.prefix(10)))
        }
        #expect(outcomes.count >= 2, "both requests and refusals came up")
    }
}
