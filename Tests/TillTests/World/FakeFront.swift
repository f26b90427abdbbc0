import AppStoreModel

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One launch's StoreKit.
struct FakeFront: StoreFront {
    let store: FakeStore
    let life: KillSwitch

    var repeatsUnfinished: Bool { store.flavor == .original }

    func open() async -> AsyncStream<StoreSignal> { await store.listen() }

    func canPay() async -> Bool { await store.mayPay }

    func products(_ ids: Set<ProductID>) async throws(StoreFault) -> [TillProduct] {
        await life.pass("asking for products")
        guard await store.isReachable else { throw StoreFault(.unreachable) }
        return ids.compactMap { id in
            guard let kind = FakeStore.catalog[id] else { return nil }
            let isSubscription = kind == .autoRenewable
            let terms = SubscriptionTerms(
                groupID: "club", period: BillingPeriod(unit: .month, count: 1),
                introductoryOffer: OfferTerms(
                    paymentMode: .freeTrial, price: 0, displayPrice: "0",
                    period: BillingPeriod(unit: .week, count: 1), periodCount: 1))
            return TillProduct(
                id: id, kind: store.flavor == .modern || isSubscription ? kind : nil,
                displayName: id.rawValue, price: 5, displayPrice: "5",
                subscription: isSubscription ? terms : nil)
        }
    }

    func pay(_ payment: StorePayment) async -> PaymentResult {
        await life.pass("before paying")
        let result = await store.pay(payment)
        await life.pass("after paying")
        return result
    }

    func unfinished() async -> [StoreTransaction] { await store.queue }

    func finish(_ handle: StoreHandle) async {
        await life.pass("before finishing")
        await store.finish(handle)
        await life.pass("after finishing")
    }

    func restore() async throws(StoreFault) -> [StoreTransaction] {
        await life.pass("before restoring")
        let restored = try await store.restore()
        await life.pass("after restoring")
        return restored
    }

    func receipt() async -> Data? { await store.receipt() }

    func refreshReceipt() async throws(StoreFault) { try await store.refreshReceipt() }

    func holdings(of id: ProductID) async -> [StoreTransaction]? { await store.holdings(of: id) }

    func ownTransactionID() async -> TransactionID? { await store.ownTransactionID }

    func introductoryOfferEligibility(_ id: ProductID) async -> Bool? { await store.eligibility }
}
