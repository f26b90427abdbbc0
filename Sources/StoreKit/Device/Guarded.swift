import Synchronization

/// A value behind a lock, in a class so that closures can share it.
final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    /// A copy of the value.
    var value: Value { mutex.withLock { $0 } }

    /// Reads or changes the value while nobody else does.
    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
