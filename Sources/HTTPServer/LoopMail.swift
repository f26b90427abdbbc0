import HTTPMessage
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What other threads, and handlers, hand to a loop.
enum LoopMail: Sendable {
    case accepted(Int32, address: String)
    case response(HTTPResponse, connection: UInt64, exchange: UInt64)
    case part(Data, connection: UInt64, CheckedContinuation<Bool, Never>)
    case streamEnded(connection: UInt64)
    case stop(deadline: Int)
}

/// What all loops of a listener share.
final class ListenerState: Sendable {
    let configuration: HTTPListenerConfiguration
    let bodyLimit: @Sendable (HTTPMethod, String) -> Int?
    let handler: HTTPHandler
    let running = Atomic<Int>(0)
    let heldBytes = Atomic<Int>(0)
    private let requests = Atomic<UInt64>(0)
    private let idPrefix = UInt64.random(in: 0..<(1 << 25))
    private let perAddress = Mutex<[String: Int]>([:])
    private let connections = Atomic<Int>(0)

    init(
        _ configuration: HTTPListenerConfiguration,
        bodyLimit: @escaping @Sendable (HTTPMethod, String) -> Int?, handler: @escaping HTTPHandler
    ) {
        self.configuration = configuration
        self.bodyLimit = bodyLimit
        self.handler = handler
    }

    /// Counts a new connection in; `false` when one more is too many.
    func admit(_ address: String) -> Bool {
        let limits = configuration.limits
        return perAddress.withLock { counts in
            let count = counts[address, default: 0]
            guard count < limits.connectionsPerAddress,
                connections.load(ordering: .relaxed) < limits.connections
            else { return false }
            connections.add(1, ordering: .relaxed)
            counts[address] = count + 1
            return true
        }
    }

    /// Counts a connection out.
    func release(_ address: String) {
        perAddress.withLock { counts in
            connections.subtract(1, ordering: .relaxed)
            let count = counts[address, default: 1] - 1
            counts[address] = count == 0 ? nil : count
        }
    }

    /// The number of connections that are open now.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Takes bytes from the budget of all bodies; `false` when it does not reach.
    func hold(_ bytes: Int) -> Bool {
        let held = heldBytes.add(bytes, ordering: .relaxed).newValue
        guard held > configuration.limits.heldBodyBytes else { return true }
        heldBytes.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Five letters for this listener and eight that count: short enough to live inside a `String`.
    func nextRequestID() -> String {
        let number = requests.add(1, ordering: .relaxed).newValue
        return unsafe String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<5 {
                unsafe buffer[index] = Self.letter(idPrefix >> UInt64(20 - index * 5))
            }
            for index in 0..<8 {
                unsafe buffer[index + 5] = Self.letter(number >> UInt64(35 - index * 5))
            }
            return 13
        }
    }

    private static func letter(_ bits: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 31)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
