public import Foundation

/// What hears how a request ended; both methods are optional and called on a queue in the background.
public protocol SKRequestDelegate: NSObjectProtocol {
    /// The request was answered.
    func requestDidFinish(_ request: SKRequest)
    /// The request failed; nothing more is called.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    /// Does nothing.
    public func requestDidFinish(_ request: SKRequest) {}
    /// Does nothing.
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

/// What receives the answer of a products request.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    /// The products that the store knows, and the names that it does not.
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// The part of a request that its subclasses give a narrower type.
///
/// Objective-C lets `SKProductsRequest` redeclare `delegate` with its own protocol; Swift does so only
/// for members that come from a protocol extension, hence this protocol.
public protocol SKRequestDelegating: SKRequest {}

extension SKRequestDelegating {
    /// What hears how the request ended; not retained.
    public var delegate: (any SKRequestDelegate)? {
        get { listener }
        set { listener = newValue }
    }
}

/// A question to the App Store; the app keeps it alive until it is answered.
open class SKRequest: NSObject {
    private enum Phase { case idle, running, over }

    private let phase = Guarded(Phase.idle)
    private let task = Guarded<Task<Void, Never>?>(nil)

    weak var listener: (any SKRequestDelegate)?

    /// Makes a request without a question.
    public override init() { super.init() }

    /// Asks; the delegate hears of the answer on a background queue.
    open func start() {
        let starts = phase.withLock { phase in
            guard phase == .idle else { return false }
            phase = .running
            return true
        }
        guard starts else { return }
        let question = question()
        let box = RequestBox(self)
        task.withLock {
            $0 = Task {
                let answer = await question()
                callbackQueue.async { box.request?.deliver(answer) }
            }
        }
    }

    /// Gives up; nothing more is called.
    open func cancel() {
        phase.withLock { $0 = .over }
        task.withLock {
            $0?.cancel()
            $0 = nil
        }
    }

    /// The work of the request; what it returns is run on the callback queue.
    func question() -> @Sendable () async -> Answer { { .nothing } }

    /// Tells the delegate of the answer, before the end of the request is told.
    func tell(_ answer: Answer) {}

    /// What came of a request.
    enum Answer: @unchecked Sendable {
        case nothing
        case products(SKProductsResponse)
        case failure(any Error)
    }

    private func deliver(_ answer: Answer) {
        let isWanted = phase.withLock { phase in
            guard phase == .running else { return false }
            phase = .over
            return true
        }
        guard isWanted else { return }
        if case .failure(let error) = answer {
            listener?.request(self, didFailWithError: error)
            return
        }
        tell(answer)
        listener?.requestDidFinish(self)
    }
}

extension SKRequest: SKRequestDelegating {}

/// Where the delegates of requests are called: Apple promises no thread and uses one in the background.
private let callbackQueue = DispatchQueue(label: "StoreKit.requests")

/// Carries a request to the callback queue; it stays alive meanwhile, as a started one does at Apple.
private final class RequestBox: @unchecked Sendable {
    // Set once before it is shared and read on the callback queue alone.
    let request: SKRequest?

    init(_ request: SKRequest) { self.request = request }
}

/// Asks for what the App Store tells of products.
open class SKProductsRequest: SKRequest {
    private let productIdentifiers: Set<String>

    /// Makes a request that asks for nothing.
    public override init() {
        productIdentifiers = []
        super.init()
    }

    /// Makes a request for products by their names.
    public init(productIdentifiers: Set<String>) {
        self.productIdentifiers = productIdentifiers
        super.init()
    }

    /// What receives the answer; not retained.
    open weak var delegate: (any SKProductsRequestDelegate)? {
        get { listener as? any SKProductsRequestDelegate }
        set { listener = newValue }
    }

    override func question() -> @Sendable () async -> Answer {
        let wanted = productIdentifiers
        return {
            do {
                let (found, unknown) = try await StoreSession.current.originalProducts(wanted)
                return .products(
                    SKProductsResponse(products: found, invalidProductIdentifiers: unknown))
            } catch {
                return .failure(error)
            }
        }
    }

    override func tell(_ answer: Answer) {
        guard case .products(let response) = answer else { return }
        delegate?.productsRequest(self, didReceive: response)
    }
}

/// The answer of a products request.
open class SKProductsResponse: NSObject, @unchecked Sendable {
    // Immutable, which is the proof for `@unchecked`.
    private let answer: (found: [SKProduct], unknown: [String])

    /// Makes an empty answer, for subclasses in tests.
    public override init() {
        answer = ([], [])
        super.init()
    }

    init(products: [SKProduct], invalidProductIdentifiers: [String]) {
        answer = (products, invalidProductIdentifiers)
        super.init()
    }

    /// The products that the store knows.
    open var products: [SKProduct] { answer.found }
    /// The names that it does not.
    open var invalidProductIdentifiers: [String] { answer.unknown }
}

/// The key of a receipt property: whether the refreshed sandbox receipt shall be expired.
public let SKReceiptPropertyIsExpired = "expired"
/// The key of a receipt property: whether the refreshed sandbox receipt shall be revoked.
public let SKReceiptPropertyIsRevoked = "revoked"
/// The key of a receipt property: whether the refreshed sandbox receipt shall be of a volume purchase.
public let SKReceiptPropertyIsVolumePurchase = "vpp"

/// Asks for a new receipt file at `Bundle.main.appStoreReceiptURL`.
open class SKReceiptRefreshRequest: SKRequest {
    private let wanted: ReceiptProperties
    private let properties: [String: Any]?

    /// Makes a request for an ordinary receipt.
    public override init() {
        wanted = ReceiptProperties(nil)
        properties = nil
        super.init()
    }

    /// Makes a request for a receipt with the properties that the sandbox can simulate.
    public init(receiptProperties properties: [String: Any]?) {
        wanted = ReceiptProperties(properties)
        self.properties = properties
        super.init()
    }

    /// What the sandbox shall simulate.
    open var receiptProperties: [String: Any]? { properties }

    override func question() -> @Sendable () async -> Answer {
        let wanted = wanted
        return {
            do {
                try await StoreSession.current.refreshReceipt(wanted)
                return .nothing
            } catch {
                return .failure(error)
            }
        }
    }
}

/// What a sandbox receipt can be asked to be.
struct ReceiptProperties: Sendable {
    let isExpired: Bool?
    let isRevoked: Bool?
    let isVolumePurchase: Bool?

    init(_ properties: [String: Any]?) {
        func flag(_ key: String) -> Bool? {
            (properties?[key] as? Bool) ?? (properties?[key] as? NSNumber)?.boolValue
        }
        isExpired = flag(SKReceiptPropertyIsExpired)
        isRevoked = flag(SKReceiptPropertyIsRevoked)
        isVolumePurchase = flag(SKReceiptPropertyIsVolumePurchase)
    }
}

/// Ends the process with exit code 173, as Apple's does for an app whose receipt is wrong.
public func SKTerminateForInvalidReceipt() {
    exit(173)
}
