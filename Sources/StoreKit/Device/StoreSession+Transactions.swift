import AppStoreModel
import Foundation
import StoreWire

extension StoreSession {
    // MARK: Streams

    /// Unfinished transactions first, then what arrives; both from the same moment on.
    func transactionUpdates() async -> AsyncStream<VerificationResult<Transaction>> {
        wake()
        let live = transactions.listen()
        let waiting = await unfinished()
        broughtByList.withLock { $0.formUnion(waiting.map(\.unsafePayloadValue)) }
        guard !waiting.isEmpty else { return live }
        return AsyncStream { continuation in
            for result in waiting { continuation.yield(result) }
            let task = Task {
                for await result in live { continuation.yield(result) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func statusUpdates() async -> AsyncStream<Product.SubscriptionInfo.Status> {
        wake()
        return subscriptions.listen()
    }

    func storefrontUpdates() async -> AsyncStream<Storefront> {
        wake()
        return storefronts.listen()
    }

    func intentUpdates() async -> AsyncStream<PurchaseIntent> {
        let stream = intents.listen()
        await offerWaitingIntents()
        return stream
    }

    func messageUpdates() async -> AsyncStream<Message> {
        let stream = messages.listen()
        await showWaitingMessages()
        return stream
    }

    // MARK: Lists

    /// Transactions that the app has to finish; without the store none, until it comes back.
    func unfinished() async -> [VerificationResult<Transaction>] {
        await list(.unfinished, query: [])
    }

    func history(productID: String?) async -> [VerificationResult<Transaction>] {
        var query: [(String, String)] = []
        if let productID { query.append(("productId", productID)) }
        if Self.showsConsumables { query.append(("consumables", "true")) }
        return await list(.transactions, query: query)
    }

    func entitlements(productID: String?) async -> [VerificationResult<Transaction>] {
        let all = await list(.entitlements, query: [])
        guard let productID else { return all }
        return all.filter { $0.unsafePayloadValue.productID == productID }
    }

    private static var showsConsumables: Bool {
        let key = "SKIncludeConsumableInAppPurchaseHistory"
        return Bundle.main.object(forInfoDictionaryKey: key) as? Bool ?? false
    }

    private func list(
        _ route: DeviceRoute, query: [(String, String)]
    ) async -> [VerificationResult<Transaction>] {
        await finishes.pass()
        do throws(StoreFault) {
            let launched = try await launched()
            let answer = try await launched.client.call(
                route, TransactionsResponse.self, query: query)
            let list = answer.transactions.compactMap {
                launched.trust.transaction($0.signedTransactionInfo)
            }
            remembered.withLock { $0[CacheKey(route: route, query: query)] = list }
            return list
        } catch {
            // Apple's device answers from what it has seen when it is offline.
            return remembered.value[CacheKey(route: route, query: query)] ?? []
        }
    }

    // MARK: Subscriptions

    func isEligibleForIntroOffer(groupID: String) async -> Bool {
        do throws(StoreFault) {
            let launched = try await launched()
            return try await launched.client.call(
                .introEligibility, IntroEligibilityResponse.self, query: [("groupId", groupID)]
            ).isEligible
        } catch {
            return false
        }
    }

    func statuses(groupID: String) async throws -> [Product.SubscriptionInfo.Status] {
        try await statuses(query: [("groupId", groupID)]).map(\.status)
    }

    func status(transactionID: UInt64) async throws -> Product.SubscriptionInfo.Status? {
        try await statuses(query: [("transactionId", String(transactionID))]).first?.status
    }

    func statusesByGroup() async -> [String: [Product.SubscriptionInfo.Status]] {
        let all = (try? await statuses(query: [])) ?? []
        return Dictionary(grouping: all, by: \.groupID).mapValues { $0.map(\.status) }
    }

    private func statuses(
        query: [(String, String)]
    ) async throws -> [(groupID: String, status: Product.SubscriptionInfo.Status)] {
        do throws(StoreFault) {
            let launched = try await launched()
            return try await launched.client.call(
                .subscriptions, SubscriptionStatusesResponse.self, query: query
            ).statuses.compactMap { wire in
                launched.trust.status(wire).map { (wire.groupID.rawValue, $0) }
            }
        } catch {
            throw error.modern
        }
    }

    // MARK: The rest

    func finish(transactionID: UInt64) async {
        payments.drop(transactionID: String(transactionID))
        await finish(.transaction(transactionID))
    }

    func appTransaction(refreshing: Bool) async throws -> VerificationResult<AppTransaction> {
        do throws(StoreFault) {
            let launched = try await launched()
            let answer = try await launched.client.call(
                .appTransaction, AppTransactionResponse.self)
            guard let result = launched.trust.appTransaction(answer.signedAppTransactionInfo) else {
                throw .unreadable("an app transaction that is none")
            }
            return result
        } catch {
            throw error.modern
        }
    }

    func sync() async throws {
        do throws(StoreFault) {
            let launched = try await launched()
            try await refreshStanding()
            let answer = try await launched.client.call(
                .refreshReceipt, ReceiptRefreshRequest(userCancels: await !signsIn()),
                ReceiptResponse.self)
            if let failure = answer.failure { throw .failed(failure) }
            folder.writeReceipt(answer.receipt.flatMap { Data(base64Encoded: $0) })
        } catch {
            throw error.modern
        }
    }

    func storefront() async -> Storefront? {
        if standing == nil { _ = try? await launched() }
        return standing.map { Storefront($0.storefront) }
    }

    var originalStorefront: SKStorefront? {
        waitForStanding()
        return standing.map {
            SKStorefront(countryCode: $0.storefront.countryCode, identifier: $0.storefront.id)
        }
    }

    var deviceVerificationID: UUID? {
        waitForStanding()
        return standing.flatMap { UUID(uuidString: $0.deviceVerificationID) }
    }

    /// Whether the device may pay; a store that cannot be reached forbids nothing.
    var canMakePayments: Bool {
        let answer = waited(seconds: 2) { try? await self.refreshStanding().canMakePayments }
        return answer ?? standing?.canMakePayments ?? true
    }

    /// Waits for the launch where Apple's property answers at once.
    func waitForStanding() {
        guard standing == nil else { return }
        _ = waited(seconds: 5) { (try? await self.launched()) != nil }
    }
}

/// Which list the store was asked for.
struct CacheKey: Sendable, Hashable {
    let route: DeviceRoute
    let query: [String]

    init(route: DeviceRoute, query: [(String, String)]) {
        self.route = route
        self.query = query.map { "\($0)=\($1)" }
    }
}
