import Foundation

// On Apple's systems `import StoreKit` brings Foundation along, and Foundation brings Combine: purchase code
// declares `class Store: ObservableObject` with `@Published` properties after that import alone. Linux has no
// Combine. These are its few names that such code uses, working; a program that has a Combine of its own
// names the module where both are seen (`@OpenCombine.Published`).

/// A class that tells before one of its `@Published` properties changes.
public protocol ObservableObject: AnyObject {
    /// Tells that the object is about to change.
    var objectWillChange: ObservableObjectPublisher { get }
}

extension ObservableObject {
    /// Tells that the object is about to change.
    public var objectWillChange: ObservableObjectPublisher { Publishers.of(self) }
}

/// Tells that an object is about to change.
public final class ObservableObjectPublisher: Sendable {
    private let listeners = Listeners<Void>()

    /// Makes one that nobody listens to.
    public init() {}

    /// Tells everybody who listens, on the calling thread.
    public func send() { listeners.tell(()) }

    /// Calls back before each change until what it returns is cancelled or gone.
    public func sink(receiveValue: @escaping (()) -> Void) -> AnyCancellable {
        listeners.add(receiveValue)
    }
}

/// The publishers of objects that declare none.
private enum Publishers {
    private struct Entry: Sendable {
        // An address once the object is gone, hence both.
        let isAlive: @Sendable () -> Bool
        let publisher: ObservableObjectPublisher
    }

    private static let all = Guarded([ObjectIdentifier: Entry]())

    static func of(_ object: AnyObject) -> ObservableObjectPublisher {
        let key = ObjectIdentifier(object)
        let box = WeakBox(object)
        return all.withLock { all in
            if let known = all[key], known.isAlive() { return known.publisher }
            if all.count.isMultiple(of: 64) { all = all.filter { $0.value.isAlive() } }
            let publisher = ObservableObjectPublisher()
            all[key] = Entry(isAlive: { box.object != nil }, publisher: publisher)
            return publisher
        }
    }
}

/// Asks of an object only whether it is there.
private final class WeakBox: @unchecked Sendable {
    // Written once, and reading a weak reference is safe on every thread.
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}
