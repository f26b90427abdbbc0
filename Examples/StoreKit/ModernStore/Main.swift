// The StoreKit 2 store of Apple's samples: an updates task, entitlements, async purchases.
import StoreKit

typealias RenewalState = Product.SubscriptionInfo.RenewalState

enum StoreError: Error { case failedVerification }

@MainActor
final class ModernStore {
    private(set) var products: [Product] = []
    private(set) var ownedIDs: Set<String> = []
    private(set) var state: RenewalState?
    private var updates: Task<Void, Never>?

    init() { updates = listen() }

    deinit { updates?.cancel() }

    private func listen() -> Task<Void, Never> {
        Task(priority: .background) { [weak self] in
            for await result in Transaction.updates {
                guard let self else { return }
                do {
                    let transaction = try self.checkVerified(result)
                    await self.refresh()
                    await transaction.finish()
                } catch {
                    print("a transaction failed verification")
                }
            }
        }
    }

    func load() async throws {
        products = try await Product.products(for: [
            "com.example.coins20", "com.example.lifetime", "com.example.pro.monthly",
        ]).sorted { $0.price < $1.price }
        for product in products { print(product.displayName, product.displayPrice) }
    }

    func purchase(_ product: Product) async throws -> Transaction? {
        switch try await product.purchase(options: [.appAccountToken(UUID())]) {
        case .success(let verification):
            let transaction = try checkVerified(verification)
            await refresh()
            await transaction.finish()
            return transaction
        case .userCancelled, .pending:
            return nil
        @unknown default:
            return nil
        }
    }

    func refresh() async {
        ownedIDs = []
        for await result in Transaction.currentEntitlements {
            guard case .verified(let transaction) = result, transaction.revocationDate == nil else {
                continue
            }
            ownedIDs.insert(transaction.productID)
        }
        state = try? await products.first { $0.type == .autoRenewable }?.subscription?.status
            .max { $0.state.rawValue > $1.state.rawValue }?.state
    }

    func checkVerified<T>(_ result: VerificationResult<T>) throws -> T {
        switch result {
        case .unverified: throw StoreError.failedVerification
        case .verified(let safe): return safe
        }
    }
}

@main
enum Program {
    @MainActor
    static func main() async throws {
        let store = ModernStore()
        try await store.load()
        for product in store.products {
            let transaction = try await store.purchase(product)
            print("bought", transaction?.productID ?? "nothing")
        }
        print("owned:", store.ownedIDs.sorted().joined(separator: " "))
        print("subscribed:", store.state == .subscribed)
    }
}
