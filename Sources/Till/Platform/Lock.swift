import Foundation

/// A value behind a lock; `Synchronization.Mutex` would need iOS 18.
///
/// Unchecked, since the compiler does not know that the lock guards the value: every access is in
/// `withLock`, and the value never leaves it but by its `Sendable` results.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
