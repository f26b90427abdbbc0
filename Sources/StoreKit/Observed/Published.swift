import Foundation

/// A property of a class whose changes are told before they happen.
@propertyWrapper
public struct Published<Value> {
    private let storage: Storage

    /// Begins with a value.
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    /// Begins with a value.
    public init(initialValue: Value) { storage = Storage(initialValue) }

    /// A property of a class has it; one of a structure or a function cannot tell anybody.
    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.change(to: newValue) }
    }

    /// The property as its class has it.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage path: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get { owner[keyPath: path].storage.value }
        set {
            (owner as? any ObservableObject)?.objectWillChange.send()
            owner[keyPath: path].storage.change(to: newValue)
        }
    }

    /// The property's values one after the other.
    public var projectedValue: Publisher { Publisher(storage: storage) }

    /// Tells a property's value, and each new one right before it is there.
    public struct Publisher {
        fileprivate let storage: Storage

        /// Calls back with the value and each later one until what it returns is cancelled or gone.
        public func sink(receiveValue: @escaping (Value) -> Void) -> AnyCancellable {
            receiveValue(storage.value)
            return storage.listeners.add(receiveValue)
        }
    }

    /// What all copies of the wrapper share.
    fileprivate final class Storage: @unchecked Sendable {
        // Guarded by `lock`; that is the proof for `@unchecked`.
        private var current: Value
        private let lock = NSLock()
        let listeners = Listeners<Value>()

        init(_ value: Value) { current = value }

        var value: Value { lock.withLock { current } }

        func change(to value: Value) {
            listeners.tell(value)
            lock.withLock { current = value }
        }
    }
}

extension Published.Publisher where Value: Sendable {
    /// The value and each later one, for a loop.
    public var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let listening = sink { continuation.yield($0) }
        continuation.onTermination = { _ in listening.cancel() }
        return stream
    }
}
