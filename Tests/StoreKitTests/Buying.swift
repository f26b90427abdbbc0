import StoreKit
import Testing

/// One product as the store sells it.
func product(_ id: String) async throws -> Product {
    try #require(try await Product.products(for: [id]).first)
}

/// Buys and expects to get a verified transaction.
@discardableResult
func bought(
    _ id: String, _ options: Set<Product.PurchaseOption> = []
) async throws -> Transaction {
    guard case .success(let result) = try await product(id).purchase(options: options) else {
        Issue.record("not bought")
        throw StoreKitError.unknown
    }
    return try result.payloadValue
}

/// Asks for a product and expects that somebody else has to approve it.
func askedFor(_ id: String) async throws {
    let result = try await product(id).purchase(options: [.simulatesAskToBuyInSandbox(true)])
    guard case .pending = result else {
        Issue.record("\(result)")
        return
    }
}

/// A payment of the original StoreKit's.
func payment(_ productID: String, quantity: Int = 1, username: String? = nil) -> SKMutablePayment {
    let payment = SKMutablePayment()
    payment.productIdentifier = productID
    payment.quantity = quantity
    payment.applicationUsername = username
    return payment
}
