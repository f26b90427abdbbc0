import AppStoreModel
import HTTPMessage
import StoreWire
import Testing

@testable import LocalAppStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct DeliveryTests {
    @Test
    func `Notifications arrive in the order in which they arose, each once, on the moved clock`()
        async throws
    {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.pro.monthly"))
        try await store.advance(days: 70)
        #expect(
            try server.heard() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_RENEW", "DID_RENEW"])
        let payloads = try server.bodies.map(server.notification)
        #expect(
            payloads.map(\.signedDate) == [
                midnight(1, 1), midnight(1, 8), midnight(2, 8), midnight(3, 8),
            ])
        #expect(Set(payloads.map(\.notificationUUID)).count == 4)
        let last = try #require(payloads.last?.data)
        #expect(last.appAppleID == 1_234_567_890 && last.status == .active)
        let transaction: TransactionPayload = try opened(try #require(last.signedTransactionInfo))
        #expect(transaction.transactionReason == .renewal)
        #expect(transaction.signedDate == midnight(3, 8))
        let renewal: RenewalPayload = try opened(try #require(last.signedRenewalInfo))
        #expect(renewal.autoRenewStatus == .on && renewal.renewalDate == midnight(4, 8))
    }

    @Test func `Production tries again after 1, 12, 24, 48 and 72 hours with the same body`()
        async throws
    {
        let server = ListeningServer()
        server.answer(
            [
                .status(500), .failure(.timedOut), .status(404), .failure(.cannotConnect),
                .status(301), .failure(.tls),
            ])
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        try await store.advance(days: 30)
        #expect(server.bodies.count == 6 && Set(server.bodies).count == 1)
        let row = try #require(await store.notificationsInfo(environment: nil).notifications.first)
        let hours = row.attempts.map {
            ($0.date.milliseconds - StoreWorld.start.milliseconds) / 3_600_000
        }
        #expect(hours == [0, 1, 13, 37, 85, 157])
        #expect(
            row.attempts.map(\.result) == [
                "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "TIMED_OUT", "UNSUCCESSFUL_HTTP_RESPONSE_CODE",
                "NO_RESPONSE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "TLS_ISSUE",
            ])
        #expect(row.nextAttempt == nil)
    }

    @Test func `A success ends the tries, and the sandbox tries once`() async throws {
        let server = ListeningServer()
        server.answer([.status(500), .status(206)])
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        try await store.advance(days: 30)
        #expect(server.bodies.count == 2)
        server.answer([.status(500)])
        let tester = try await store.testDevice("tim", .sandbox)
        _ = try await store.purchase(tester, PurchaseRequest(productID: "com.example.coins20"))
        try await store.advance(days: 30)
        #expect(server.bodies.count == 3)
    }

    @Test
    func `The history gives the original payload with its attempts, by kind, customer and failure`()
        async throws
    {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        let other = try await store.testDevice("bob")
        for _ in 0..<25 {
            _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        }
        let bought = try await store.purchase(
            other, PurchaseRequest(productID: "com.example.pro.monthly"))
        await store.settle()
        server.answer([.status(503)])
        try await store.advance(days: 8)
        var query = LocalStore.NotificationQuery(
            startDate: midnight(1, 1), endDate: midnight(2, 1))
        let first = try await store.notificationHistory(query, in: .production)
        #expect(first.notifications.count == 20 && first.hasMore)
        query.paginationToken = first.paginationToken
        #expect(query.paginationToken != nil)
        let second = try await store.notificationHistory(query, in: .production)
        #expect(second.notifications.count == 7 && !second.hasMore && second.paginationToken == nil)
        // The same page again, until its token is too old; and under other filters never.
        try await store.advance(days: 1)
        let late = query
        await #expect(throws: AppleErrorCode.paginationTokenExpired) {
            try await store.notificationHistory(late, in: .production)
        }
        var filtered = query
        filtered.onlyFailures = true
        let foreign = filtered
        await #expect(throws: AppleErrorCode.invalidPaginationToken) {
            try await store.notificationHistory(foreign, in: .production)
        }
        let sent = server.bodies.map { String($0.dropFirst(18).dropLast(2)) }
        #expect(first.notifications.map(\.signedPayload) == Array(sent.prefix(20)))
        query.paginationToken = nil
        query.transactionID = bought.item.transactionID?.rawValue
        #expect(
            try await store.notificationHistory(query, in: .production).notifications.count == 2)
        query.onlyFailures = true
        #expect(try await store.notificationHistory(query, in: .production).notifications.isEmpty)
        query = .init(
            startDate: midnight(1, 1), endDate: midnight(2, 1), type: .subscribed,
            subtype: .initialBuy)
        #expect(
            try await store.notificationHistory(query, in: .production).notifications.count == 1)
        #expect(try await store.notificationHistory(query, in: .sandbox).notifications.isEmpty)
        query.paginationToken = "nonsense"
        let wrong = query
        await #expect(throws: AppleErrorCode.invalidPaginationToken) {
            try await store.notificationHistory(wrong, in: .production)
        }
    }

    @Test func `A test notification is known by its token once it was tried`() async throws {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let token = try await store.requestTest(in: .sandbox)
        await store.settle()
        let found = try await store.testNotification(token, in: .sandbox)
        #expect(found.attempts.map(\.result) == [.success])
        let payload: NotificationPayload = try opened(found.signedPayload)
        #expect(payload.notificationType == .test && payload.data?.signedTransactionInfo == nil)
        #expect(payload.data?.environment == .sandbox && payload.data?.appAppleID == nil)
        await #expect(throws: AppleErrorCode.testNotFound) {
            try await store.testNotification(token, in: .production)
        }
        let silent = try LocalStore.forTests()
        await #expect(throws: AppleErrorCode.noNotificationURL) {
            try await silent.requestTest(in: .sandbox)
        }
    }

    @Test func `Version 1 says the same in its own words, with the receipt and the password`()
        async throws
    {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        _ = try await store.changeEnvironment(
            .production, EnvironmentChange(notificationVersion: 1))
        let device = try await store.testDevice()
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.basic.monthly"))
        try await store.advance(days: 9)
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let id = try #require(bought.item.transactionID)
        _ = try await store.act(on: id, SubscriptionAction(action: .turnOff))
        await store.settle()
        let bodies = try server.bodies.map {
            try JSONDecoder().decode(NotificationV1Body.self, from: Data($0.utf8))
        }
        #expect(
            bodies.map(\.notificationType.rawValue) == [
                "INITIAL_BUY", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL",
                "DID_CHANGE_RENEWAL_STATUS",
            ])
        let last = try #require(bodies.last)
        #expect(last.password == store.keys.sharedSecret && last.autoRenewStatus == false)
        #expect(server.bodies.last?.contains("\"environment\":\"PROD\"") == true)
        #expect(last.unifiedReceipt?.latestReceiptInfo?.count == 3)
        #expect(
            last.unifiedReceipt?.latestReceiptInfo?.first?.productID == "com.example.pro.monthly")
        #expect(last.unifiedReceipt?.pendingRenewalInfo?.first?.autoRenewStatus == .off)
    }

    @Test func `The store lives on by itself at its rate`() async throws {
        let server = ListeningServer()
        let clock = TestClock()
        let store = try LocalStore.forTests(server: server, rate: 86_400, clock: clock)
        let device = try await store.testDevice()
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.pro.monthly"))
        clock.pass(milliseconds: 8_000)
        let living = Task { await store.live() }
        let page = try await store.events(device, after: 0, wait: 20)
        living.cancel()
        #expect(page.events.contains { $0.kind == .transactionUpdated })
        await store.settle()
        #expect(try server.heard() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
    }
}
