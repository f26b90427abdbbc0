import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct AppleQueryTests {
    @Test
    func `History is paged by the last change, and a stored revision finds what changed since`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        var ids: [TransactionID] = []
        for _ in 0..<25 {
            let answer = try await store.purchase(
                device, PurchaseRequest(productID: "com.example.coins20"))
            ids.append(try #require(answer.item.transactionID))
        }
        func page(_ query: HistoryQuery) async throws -> (
            ids: [TransactionID], page: LocalStore.HistoryPage
        ) {
            let page = try await store.history(of: ids[3].rawValue, in: .production, query)
            let found = try page.signedTransactions.map { token in
                try opened(token, as: TransactionPayload.self).transactionID
            }
            return (found, page)
        }
        var query = HistoryQuery()
        let first = try await page(query)
        #expect(first.ids == Array(ids.prefix(20)) && first.page.hasMore)
        query.revision = first.page.revision
        // A change while somebody pages comes again at the end.
        _ = try await store.act(on: ids[0], TransactionAction(action: .refund))
        let second = try await page(query)
        #expect(second.ids == Array(ids.suffix(5)) + [ids[0]] && !second.page.hasMore)
        query.revision = second.page.revision
        #expect(try await page(query).ids.isEmpty)
        _ = try await store.act(on: ids[1], TransactionAction(action: .finish))
        #expect(try await page(query).ids == [ids[1]])
        query.revoked = true
        let other = query
        await #expect(throws: AppleErrorCode.invalidRevision) {
            try await store.history(of: ids[3].rawValue, in: .production, other)
        }
        query.revision = nil
        #expect(try await page(query).ids == [ids[0]])
        query = HistoryQuery(isDescending: true)
        #expect(try await page(query).ids.prefix(3) == [ids[1], ids[0], ids[24]])
        query = HistoryQuery(withFinishedConsumables: false)
        query.productTypes = [.consumable]
        #expect(try await page(query).ids.contains(ids[1]) == false)
        await #expect(throws: AppleErrorCode.transactionNotFound) {
            try await store.history(of: "1", in: .production, HistoryQuery())
        }
        await #expect(throws: AppleErrorCode.transactionNotFound) {
            try await store.history(of: ids[3].rawValue, in: .sandbox, HistoryQuery())
        }
    }

    @Test
    func `Statuses, orders, refunds and the app transaction are found by any name of the customer`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let coins = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins20"))
        let plan = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let coinsID = try #require(coins.item.transactionID)
        let planID = try #require(plan.item.transactionID)
        let app = try await store.appTransactionInfo(coinsID.rawValue, in: .production)
        let payload: AppTransactionPayload = try opened(app)
        #expect(payload.appAppleID == 1_234_567_890 && payload.receiptType == .production)
        let appID = try #require(payload.appTransactionID)
        for name in [coinsID.rawValue, planID.rawValue, appID] {
            let items = try await store.statuses(of: name, in: .production)
            #expect(
                items.map(\.originalTransactionID) == [planID] && items.map(\.status) == [.active])
        }
        #expect(try await store.statuses(of: appID, in: .production, [.expired]).isEmpty)
        let record = try await store.transactionRecord(coinsID)
        let order = try await store.lookUp(order: record.orderID, in: .production)
        #expect(order?.count == 1)
        #expect(try await store.lookUp(order: record.orderID, in: .sandbox) == nil)
        #expect(try await store.lookUp(order: "MNOSUCH", in: .production) == nil)
        #expect(
            try await store.refundHistory(of: appID, in: .production, revision: nil)
                .signedTransactions.isEmpty)
        _ = try await store.act(on: coinsID, TransactionAction(action: .refund))
        let refunds = try await store.refundHistory(of: appID, in: .production, revision: nil)
        #expect(refunds.signedTransactions.count == 1 && !refunds.hasMore)
        #expect(
            try await store.refundHistory(of: appID, in: .production, revision: refunds.revision)
                .signedTransactions.isEmpty)
    }

    @Test func `A token is set on the original transaction alone and goes on with renewals`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let plan = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let id = try #require(plan.item.transactionID)
        let token = AppAccountToken("11111111-2222-4333-8444-555555555555")
        try await store.setToken(token, of: id, in: .production)
        try await store.advance(days: 8)
        let status = try #require(
            try await store.statuses(of: id.rawValue, in: .production).first)
        let current: TransactionPayload = try opened(status.signedTransactionInfo)
        #expect(current.appAccountToken == token && current.transactionID != id)
        let wrong = current.transactionID
        await #expect(throws: AppleErrorCode.notOriginal) {
            try await store.setToken(token, of: wrong, in: .production)
        }
        await #expect(throws: AppleErrorCode.originalNotFound) {
            try await store.setToken(token, of: id, in: .sandbox)
        }
    }

    @Test func `A server that finishes a transaction takes it out of every queue`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let coins = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins20"))
        try await store.finish(try #require(coins.item.transactionID), in: .production)
        #expect(try await store.queue(device).items.isEmpty)
        #expect(try await store.unfinished(device).transactions.isEmpty)
        await #expect(throws: AppleErrorCode.transactionNotFound) {
            try await store.finish("1", in: .production)
        }
    }

    @Test func `What stands beside a receipt is all that its customer bought, newest first`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let plan = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        try await store.advance(days: 40)
        let id = try #require(plan.item.transactionID)
        let standing = try #require(try await store.standing(of: ["1", id], in: .production))
        #expect(standing.latest.count == 3 && standing.latest.last?.id == id)
        #expect(standing.pending.map(\.id) == [id] && standing.latestReceipt != nil)
        #expect(try await store.standing(of: ["1"], in: .production) == nil)
        let spelled = await store.state.latestReceiptInfo(try #require(standing.latest.first))
        #expect(spelled.inAppOwnershipType == .purchased && spelled.isTrialPeriod == false)
        #expect(standing.latest.last.map { $0.offer?.mode } == .freeTrial)
    }
}
