import Foundation

/// Something that goes on until it is cancelled.
public protocol Cancellable {
    /// Ends it.
    func cancel()
}

/// Ends something when it is cancelled or gone.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    // Guarded by `lock`; that is the proof for `@unchecked`.
    private var action: (() -> Void)?
    private let lock = NSLock()

    /// Runs the closure at the end, once.
    public init(_ cancel: @escaping () -> Void) { action = cancel }

    /// Ends something else.
    public convenience init(_ other: some Cancellable) { self.init { other.cancel() } }

    deinit { cancel() }

    /// Ends it.
    public func cancel() {
        let action = lock.withLock {
            defer { self.action = nil }
            return self.action
        }
        action?()
    }

    /// Keeps it as long as the set has it.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    /// Keeps it as long as the collection has it.
    public func store<Kept: RangeReplaceableCollection>(in collection: inout Kept)
    where Kept.Element == AnyCancellable { collection.append(self) }

    /// The same object.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Closures that want to hear of values.
final class Listeners<Value>: @unchecked Sendable {
    // Guarded by `lock`; that is the proof for `@unchecked`. The closures belong to the app, which says by
    // whichever thread changes a value where they are called.
    private var all: [UUID: (Value) -> Void] = [:]
    private let lock = NSLock()

    func add(_ listener: @escaping (Value) -> Void) -> AnyCancellable {
        let key = UUID()
        lock.withLock { all[key] = listener }
        return AnyCancellable { [weak self] in
            guard let self else { return }
            self.lock.withLock { self.all[key] = nil }
        }
    }

    func tell(_ value: Value) {
        for listener in lock.withLock({ Array(all.values) }) { listener(value) }
    }
}
