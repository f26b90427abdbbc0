extension Product {
    /// Where a promoted product stands on this device's page of the app in the App Store.
    public struct PromotionInfo: Identifiable, Hashable, Sendable {
        /// Whether a promoted product shows.
        public enum Visibility: Int, Hashable, Sendable {
            /// As App Store Connect says.
            case appStoreConnectDefault = 0
            /// It shows.
            case visible = 1
            /// It does not.
            case hidden = 2
        }

        /// The product.
        public let productID: String
        /// Whether it shows.
        public var visibility: Visibility

        /// The product's name.
        public var id: String { productID }

        /// Sends a changed visibility to the App Store.
        public func update() async throws {
            try await Self.updateProductVisibility(visibility, for: productID)
        }

        /// The promoted products in the order that was set for this device.
        public static var currentOrder: [PromotionInfo] {
            get async throws { StoreSession.current.promotions.read().current }
        }

        /// Sets the order.
        public static func updateProductOrder(byID productIDs: some Collection<String>) async throws
        {
            let order = try await known(Array(productIDs))
            StoreSession.current.promotions.change { $0.order = order }
        }

        /// Sets whether a product shows.
        public static func updateProductVisibility(
            _ visibility: Visibility, for productID: String
        ) async throws {
            let order = try await known([productID])
            StoreSession.current.promotions.change { promotions in
                for product in order { promotions.visibility[product] = visibility.rawValue }
            }
        }

        /// Sets order and visibility at once.
        public static func updateAll(
            _ promotions: some Collection<PromotionInfo>
        ) async throws {
            let order = try await known(promotions.map(\.productID))
            let wanted = Array(promotions)
            StoreSession.current.promotions.change { all in
                all.order = order
                for promotion in wanted {
                    all.visibility[promotion.productID] = promotion.visibility.rawValue
                }
            }
        }

        /// The names as they are, if the store knows all of them.
        private static func known(_ productIDs: [String]) async throws -> [String] {
            let found = try await Product.products(for: productIDs).map(\.id)
            guard Set(found).isSuperset(of: productIDs) else {
                throw Product.PurchaseError.productUnavailable
            }
            return productIDs
        }
    }
}

extension Promotions {
    var current: [Product.PromotionInfo] {
        let others = visibility.keys.filter { !order.contains($0) }.sorted()
        return (order + others).map { name in
            Product.PromotionInfo(
                productID: name,
                visibility: visibility[name].flatMap { .init(rawValue: $0) }
                    ?? .appStoreConnectDefault)
        }
    }
}
