import Synchronization

/// A value behind a lock, in a class so that closures can share it.
final class Guarded<Value>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: sending Value) { mutex = Mutex(value) }

    /// Reads or changes the value while nobody else does.
    func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
        try mutex.withLock(body)
    }
}

extension Guarded where Value: Sendable {
    /// A copy of the value.
    var value: Value { mutex.withLock { $0 } }
}
