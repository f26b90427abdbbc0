public import Foundation

/// Whether a promoted product shows in the App Store.
public enum SKProductStorePromotionVisibility: Int, Sendable {
    /// As App Store Connect says.
    case `default` = 0
    /// It shows.
    case show = 1
    /// It does not.
    case hide = 2
}

/// The order and visibility of promoted products on this device; completions are called on the main queue.
open class SKProductStorePromotionController: NSObject, @unchecked Sendable {
    // It has no state of its own, which is the proof for `@unchecked`.
    private static let shared = SKProductStorePromotionController()

    /// The only one.
    open class func `default`() -> Self {
        guard let controller = shared as? Self else {
            preconditionFailure("a subclass has no default controller")
        }
        return controller
    }

    /// Tells whether a product shows.
    open func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: ((SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        let visibility = Self.visibility(of: product.productIdentifier)
        let box = UncheckedBox(completionHandler)
        DispatchQueue.main.async { box.value?(visibility, nil) }
    }

    /// Sets whether a product shows.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct, completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        Self.set(promotionVisibility, for: product.productIdentifier)
        let box = UncheckedBox(completionHandler)
        DispatchQueue.main.async { box.value?(nil) }
    }

    /// Tells the order that was set.
    open func fetchStorePromotionOrder(
        completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil
    ) {
        let box = UncheckedBox(completionHandler)
        Task {
            let answer: ([SKProduct], (any Error)?)
            do {
                answer = (try await Self.order(), nil)
            } catch {
                answer = ([], error)
            }
            let told = UncheckedBox(answer)
            DispatchQueue.main.async { box.value?(told.value.0, told.value.1) }
        }
    }

    /// Sets the order.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        Self.set(promotionOrder)
        let box = UncheckedBox(completionHandler)
        DispatchQueue.main.async { box.value?(nil) }
    }

    private static func visibility(of product: String) -> SKProductStorePromotionVisibility {
        StoreSession.current.promotions.read().visibility[product].flatMap { .init(rawValue: $0) }
            ?? .default
    }

    private static func set(_ visibility: SKProductStorePromotionVisibility, for product: String) {
        StoreSession.current.promotions.change { $0.visibility[product] = visibility.rawValue }
    }

    private static func set(_ order: [SKProduct]) {
        StoreSession.current.promotions.change { $0.order = order.map(\.productIdentifier) }
    }

    private static func order() async throws -> [SKProduct] {
        let session = StoreSession.current
        let names = session.promotions.read().order
        guard !names.isEmpty else { return [] }
        let products = try await session.originalProducts(Set(names)).0
        return names.compactMap { name in products.first { $0.productIdentifier == name } }
    }
}

// The forms that Swift makes of methods with a completion handler.
extension SKProductStorePromotionController {
    /// Tells whether a product shows.
    public func storePromotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        Self.visibility(of: product.productIdentifier)
    }

    /// Sets whether a product shows.
    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct
    ) async throws {
        Self.set(promotionVisibility, for: product.productIdentifier)
    }

    /// Tells the order that was set.
    public func storePromotionOrder() async throws -> [SKProduct] { try await Self.order() }

    /// Sets the order.
    public func update(storePromotionOrder promotionOrder: [SKProduct]) async throws {
        Self.set(promotionOrder)
    }
}
