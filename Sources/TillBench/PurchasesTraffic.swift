import CEpoll
import Glibc

/// Requests on their way over many connections at once, from one thread.
///
/// A thread for each connection would take processor time from the server for changing threads.
struct PurchasesTraffic {
    /// How long nothing may come before the server is held for stuck.
    private static let patience: Int32 = 30_000

    /// What came of posting.
    struct Outcome {
        /// The responses' bodies, in the order of the requests.
        var bodies: [[UInt8]]
        /// Real time.
        var seconds: Double
        /// Processor time of the driver.
        var processorSeconds: Double
    }

    /// Posts every request once, over so many connections at the same time.
    static func post(
        _ requests: [[UInt8]], to port: Int, connections count: Int
    ) throws -> Outcome {
        var connections: [PurchasesConnection] = []
        for _ in 0..<min(count, requests.count) {
            connections.append(try PurchasesConnection(port: port))
        }
        var bodies = [[UInt8]](repeating: [], count: requests.count)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let ready = try ReadyConnections(connections)
        // Which request each connection waits for.
        var places = Array(connections.indices)
        var (next, answered) = (connections.count, 0)

        let start = ContinuousClock.now
        let processorStart = Measurement.processorTime()
        for (connection, request) in zip(connections, requests) { try connection.send(request) }
        while answered < requests.count {
            let indices = ready.wait(patience)
            guard !indices.isEmpty else { throw PurchasesConnection.Fault.silent }
            for index in indices {
                let connection = connections[index]
                guard let answer = try connection.receive(through: &buffer) else { continue }
                guard answer.status == 200 || answer.status == 201 else {
                    throw ProofBenchmarks.Failure(
                        what: "\(answer.status) "
                            + String(decoding: answer.body.prefix(300), as: UTF8.self))
                }
                bodies[places[index]] = answer.body
                answered += 1
                guard next < requests.count else { continue }
                places[index] = next
                try connection.send(requests[next])
                next += 1
            }
        }
        return Outcome(
            bodies: bodies, seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: Measurement.processorTime() - processorStart)
    }
}

/// Waits for connections on which something has come: `poll(2)` would look at every one at each wait.
private final class ReadyConnections {
    private let descriptor: Int32
    private var events: [epoll_event]

    init(_ connections: [PurchasesConnection]) throws(PurchasesConnection.Fault) {
        descriptor = epoll_create1(0)
        events = [epoll_event](repeating: epoll_event(), count: connections.count)
        guard descriptor >= 0 else { throw .cannotConnect }
        for (index, connection) in connections.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            guard epoll_ctl(descriptor, EPOLL_CTL_ADD, connection.descriptor, &event) == 0 else {
                throw .cannotConnect
            }
        }
    }

    deinit { close(descriptor) }

    /// The places of those; none when the time was up.
    func wait(_ milliseconds: Int32) -> [Int] {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        return events.prefix(Int(max(0, count))).map { Int($0.data.u64) }
    }
}
