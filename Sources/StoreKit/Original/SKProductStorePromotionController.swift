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

/// The order and visibility of promoted products on this device; kept for one launch.
open class SKProductStorePromotionController: NSObject, @unchecked Sendable {
    private struct Settings: Sendable {
        var visibility: [String: SKProductStorePromotionVisibility] = [:]
        var order: [SKProduct] = []
    }

    private static let shared = SKProductStorePromotionController()
    // Guarded by its lock, which is the proof for `@unchecked`.
    private let settings = Guarded(Settings())

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
        completionHandler?(settings.value.visibility[product.productIdentifier] ?? .default, nil)
    }

    /// Sets whether a product shows.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct, completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        let name = product.productIdentifier
        settings.withLock { $0.visibility[name] = promotionVisibility }
        completionHandler?(nil)
    }

    /// Tells the order that was set.
    open func fetchStorePromotionOrder(
        completionHandler: (([SKProduct], (any Error)?) -> Void)? = nil
    ) {
        completionHandler?(settings.value.order, nil)
    }

    /// Sets the order.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        settings.withLock { $0.order = promotionOrder }
        completionHandler?(nil)
    }
}

// The forms that Swift makes of methods with a completion handler.
extension SKProductStorePromotionController {
    /// Tells whether a product shows.
    public func storePromotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        settings.value.visibility[product.productIdentifier] ?? .default
    }

    /// Sets whether a product shows.
    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility,
        for product: SKProduct
    ) async throws {
        let name = product.productIdentifier
        settings.withLock { $0.visibility[name] = promotionVisibility }
    }

    /// Tells the order that was set.
    public func storePromotionOrder() async throws -> [SKProduct] { settings.value.order }

    /// Sets the order.
    public func update(storePromotionOrder promotionOrder: [SKProduct]) async throws {
        settings.withLock { $0.order = promotionOrder }
    }
}
