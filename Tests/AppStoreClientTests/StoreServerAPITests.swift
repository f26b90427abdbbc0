import AppStoreClient
import AppStoreModel
import AppStoreTrust
import Foundation
import HTTPMessage
import HTTPServer
import StoreWire
import Synchronization
import Testing

@testable import LocalAppStore

/// The App Store Server API over real HTTP against the local App Store.
@Suite(.serialized) struct StoreServerAPITests {
    private func fault<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> AppStoreClientError? {
        await failure(body)
    }

    @Test func `A transaction is found where it was made, and what comes back verifies`()
        async throws
    {
        try await StoreShop.run { shop in
            for (environment, calls) in [
                (AppStoreEnvironment.production, ["Production 200"]),
                (.sandbox, ["Production 404", "Sandbox 200"]),
            ] {
                let id = try await shop.bought("com.example.coins600", in: environment)
                let before = try await shop.calls().count
                let answer = try await shop.client.transaction(id)
                #expect(answer.environment == environment)
                let verified = try shop.verifier.verifyTransaction(answer.content.text)
                #expect(verified.value.transactionID == id)
                #expect(verified.environment == environment)
                #expect(Array(try await shop.calls().dropFirst(before)) == calls)
                let app = try await shop.client.appTransaction(id, in: environment)
                let copy = try shop.verifier.verifyAppTransaction(app.content.text)
                #expect(copy.value.bundleID == "com.example.app")
            }
            let error = await fault {
                try await shop.client.transaction("70000000000000")
            }
            #expect(error?.code == .notFound)
            #expect(error?.serverCode == .transactionIDNotFound)
            #expect(Array(try await shop.calls().suffix(2)) == ["Production 404", "Sandbox 404"])
        }
    }

    @Test func `A history of many pages is read once each, and then only what is new`()
        async throws
    {
        try await StoreShop.run { shop in
            var bought: [TransactionID] = []
            for place in 0..<45 {
                bought.append(
                    try await shop.bought(
                        place % 9 == 0 ? "com.example.coins600" : "com.example.coins20"))
            }
            var pages = 0
            var found: [TransactionID] = []
            let revision = try await shop.client.eachHistoryPage(of: bought[0]) { page in
                pages += 1
                found += try shop.verified(page.content.transactions)
                return true
            }
            #expect(pages == 3)
            #expect(Set(found) == Set(bought) && found.count == 45)
            let newer = try await shop.bought("com.example.coins20")
            let news = try await shop.client.transactionHistory(
                of: bought[0], after: revision, in: .sandbox)
            #expect(try shop.verified(news.content.transactions) == [newer])

            var filter = HistoryFilter()
            filter.productIDs = ["com.example.coins600"]
            filter.productTypes = [.consumable]
            filter.ownership = .purchased
            filter.isRevoked = false
            filter.order = .descending
            let few = try await shop.client.transactionHistory(
                of: bought[0], filter, in: .sandbox)
            #expect(few.content.transactions.count == 5 && !few.content.hasMore)
            filter.isRevoked = true
            let none = try await shop.client.transactionHistory(
                of: bought[0], filter, in: .sandbox)
            #expect(none.content.transactions.isEmpty)
            let wrong = await fault {
                try await shop.client.transactionHistory(
                    of: bought[0], after: "moon", in: .sandbox)
            }
            #expect(wrong?.serverCode?.rawValue == 4_000_005)
            #expect(wrong?.remedy == .final)
        }
    }

    @Test func `Refunds and orders are told`() async throws {
        try await StoreShop.run { shop in
            let bought = try await shop.buy("com.example.coins20", in: .production)
            let id = try #require(bought.transactionID)
            let record: TransactionRecord = try await shop.control(
                ControlRoute.transaction, ["transaction": id.rawValue])
            let order = try await shop.client.order(AppleOrderID(record.orderID))
            #expect(try shop.verified(try #require(order)) == [id])
            #expect(try await shop.client.order("MNOTHING1") == nil)

            let before = try await shop.client.refundHistory(of: id)
            #expect(before.content.transactions.isEmpty)
            try await shop.act(.refund, on: id)
            var refunded: [TransactionID] = []
            try await shop.client.eachRefundPage(of: id) { page in
                refunded += try shop.verified(page.content.transactions)
                return true
            }
            #expect(refunded == [id])
        }
    }

    @Test func `Subscriptions stand as the store says, and are extended once`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.pro.monthly", in: .production)
            try await shop.pass(days: 40)
            let standing = try await shop.client.subscriptions(of: id)
            #expect(standing.environment == .production)
            let subscription = try #require(standing.content.first)
            #expect(subscription.claimedStatus == .active)
            #expect(subscription.claimedOriginalTransactionID == id)
            let transaction = try shop.verifier.verifyTransaction(subscription.transaction.text)
            let renewal = try shop.verifier.verifyRenewal(
                try #require(subscription.renewal).text, of: transaction)
            #expect(renewal.value.originalTransactionID == id)
            let expired = try await shop.client.subscriptions(of: id, with: [.expired])
            #expect(expired.content.isEmpty)

            let extended = try await shop.client.extendSubscription(
                id, byDays: 7, reason: .customerSatisfaction, requestID: "one")
            #expect(extended.content.isExtended && extended.content.effectiveDate != nil)
            let coins = try await shop.bought("com.example.coins20", in: .production)
            let error = await fault {
                try await shop.client.extendSubscription(
                    coins, byDays: 7, reason: .other, requestID: "two", in: .production)
            }
            #expect(error?.remedy == .final)
            #expect(error?.serverCode != nil)
        }
    }

    @Test func `Finishing, tokens and consumption reach the store`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            #expect(try await shop.client.finish(id) == .sandbox)
            let token: AppAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
            #expect(try await shop.client.setAppAccountToken(token, of: id) == .sandbox)
            let answer = try await shop.client.transaction(id)
            let verified = try shop.verifier.verifyTransaction(answer.content.text)
            #expect(verified.value.appAccountToken == token)

            try await shop.act(.requestRefund, on: id)
            var request = ConsumptionRequest()
            request.customerConsented = true
            request.sampleContentProvided = true
            request.deliveryStatus = .delivered
            request.consumptionPercentage = 100_000
            request.refundPreference = .decline
            try await shop.client.sendConsumption(request, of: id)
            request.deliveryStatus = "NONSENSE"
            let wrong = request
            let error = await fault {
                try await shop.client.sendConsumption(wrong, of: id)
            }
            #expect(error?.serverCode?.rawValue == 4_000_036)

            var first = ConsumptionRequestV1()
            first.customerConsented = true
            first.sampleContentProvided = true
            first.appAccountToken = ""
            first.consumptionStatus = 3
            first.platform = 1
            first.deliveryStatus = 0
            first.accountTenure = 0
            first.playTime = 0
            first.lifetimeDollarsRefunded = 0
            first.lifetimeDollarsPurchased = 0
            first.userStatus = 1
            try await shop.client.sendConsumption(first, of: id)
        }
    }

    @Test func `After an outage the history gives exactly the notifications that did not arrive`()
        async throws
    {
        let isUp = Mutex(true)
        let receiver = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            HTTPResponse(status: isUp.withLock { $0 } ? .ok : .serviceUnavailable)
        }
        let url = "http://127.0.0.1:\(receiver.port)/"
        try await StoreShop.run(notificationURL: url) { shop in
            func buy(_ count: Int) async throws -> Set<TransactionID> {
                var bought: Set<TransactionID> = []
                for _ in 0..<count {
                    bought.insert(try await shop.bought("com.example.coins20"))
                }
                await shop.server.store.settle()
                return bought
            }
            let heard = try await buy(3)
            isUp.withLock { $0 = false }
            let missed = try await buy(25)
            isUp.withLock { $0 = true }
            let later = try await buy(2)
            var request = NotificationHistoryRequest()
            request.startDate = StoreShop.start.advanced(byMilliseconds: -StoreShop.day)
            request.endDate = StoreShop.start.advanced(byMilliseconds: StoreShop.day)
            func transactions(_ request: NotificationHistoryRequest) async throws
                -> [TransactionID]
            {
                var found: [TransactionID] = []
                try await shop.client.eachNotificationPage(request, in: .sandbox) { page in
                    for item in page.content.notifications {
                        let verified = try shop.verifier.verifyNotification(item.signed.text)
                        #expect(!item.attempts.isEmpty)
                        found.append(
                            try #require(verified.transaction?.value.transactionID))
                    }
                    return true
                }
                return found
            }
            let all = try await transactions(request)
            #expect(Set(all) == heard.union(missed).union(later) && all.count == 30)
            request.onlyFailures = true
            let failed = try await transactions(request)
            #expect(Set(failed) == missed && failed.count == 25)
        }
        await receiver.stop(withinMilliseconds: 0)
    }

    @Test func `The history is asked by a type with all its subtypes, as far back as it is kept`()
        async throws
    {
        let receiver = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            HTTPResponse(status: .ok)
        }
        try await StoreShop.run(notificationURL: "http://127.0.0.1:\(receiver.port)/") { shop in
            _ = try await shop.bought("com.example.coins20")
            _ = try await shop.bought("com.example.pro.monthly")
            await shop.server.store.settle()
            var request = NotificationHistoryRequest()
            request.endDate = StoreShop.start.advanced(byMilliseconds: StoreShop.day)
            func count(
                _ type: NotificationType, _ subtype: NotificationSubtype? = nil, days: Int64 = 29,
                in environment: AppStoreEnvironment = .sandbox
            ) async throws -> Int {
                request.startDate = StoreShop.start.advanced(byMilliseconds: -days * StoreShop.day)
                request.notificationType = type
                request.notificationSubtype = subtype
                return try await shop.client.notificationHistory(request, in: environment)
                    .content.notifications.count
            }
            #expect(try await count(.subscribed) == 1)
            #expect(try await count(.subscribed, .initialBuy) == 1)
            #expect(try await count(.subscribed, .resubscribe) == 0)
            #expect(try await count(.didRenew) == 0)
            let pair = await fault { try await count(.subscribed, .upgrade) }
            #expect(pair?.serverCode?.rawValue == 4_000_018)
            let unknown = await fault { try await count("FUTURE_X") }
            #expect(unknown?.serverCode?.rawValue == 4_000_018)
            // The sandbox keeps them for thirty days, production for a hundred and eighty.
            let old = await fault { try await count(.subscribed, days: 31) }
            #expect(old?.serverCode?.rawValue == 4_000_012)
            #expect(try await count(.subscribed, days: 179, in: .production) == 0)
        }
        await receiver.stop(withinMilliseconds: 0)
    }

    @Test func `A test notification is asked for and followed`() async throws {
        let receiver = try HTTPListener(HTTPListenerConfiguration()) { _, _ in
            HTTPResponse(status: .ok)
        }
        try await StoreShop.run(notificationURL: "http://127.0.0.1:\(receiver.port)/") { shop in
            let token = try await shop.client.requestTestNotification(in: .sandbox)
            await shop.server.store.settle()
            let test = try await shop.client.testNotification(token, in: .sandbox)
            #expect(test.attempts.map(\.sendAttemptResult) == [.success])
            let verified = try shop.verifier.verifyNotification(test.signed.text)
            #expect(verified.notification.value.notificationType == .test)
            let error = await fault {
                try await shop.client.testNotification("no-token", in: .sandbox)
            }
            #expect(error?.serverCode?.rawValue == 4_000_020)
        }
        await receiver.stop(withinMilliseconds: 0)
        try await StoreShop.run { shop in
            let error = await fault {
                try await shop.client.requestTestNotification(in: .production)
            }
            #expect(error?.remedy == .configuration([.notificationURL]))
        }
    }
}
