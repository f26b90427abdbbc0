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

@Suite struct FaultTests {
    private func plan(_ rules: FaultRule...) -> FaultPlan { FaultPlan(rules: rules) }

    @Test func `A rule strikes where it is meant, after what it skips, as often as it may`() throws
    {
        var faults = FaultState(seed: 1)
        try faults.set(
            plan(
                FaultRule(
                    kind: .error, on: "/verifyReceipt", environment: .sandbox, skip: 1, times: 2)))
        func strikes(_ path: String, _ environment: AppStoreEnvironment) -> Int {
            faults.strike(.call(path, environment), at: .zero).count
        }
        #expect(strikes("/inApps/v1/history", .sandbox) == 0)
        #expect(strikes("/verifyReceipt", .production) == 0)
        #expect((0..<5).map { _ in strikes("/verifyReceipt", .sandbox) } == [0, 1, 1, 0, 0])
        #expect(faults.struck.count == 2)
        try faults.set(plan(FaultRule(kind: .delay, on: "/inApps/*")))
        #expect(strikes("/inApps/v1/history", .production) == 1)
        #expect(strikes("/other", .production) == 0)
    }

    @Test func `Chance comes from the seed`() throws {
        func luck(_ seed: UInt64) throws -> [Int] {
            var faults = FaultState(seed: 1)
            try faults.set(FaultPlan(seed: seed, rules: [FaultRule(kind: .drop, probability: 0.5)]))
            return (0..<64).map { _ in faults.strike(.call("/x", nil), at: .zero).count }
        }
        #expect(try luck(3) == luck(3))
        #expect(try luck(3) != luck(4))
        let hits = try luck(3).reduce(0, +)
        #expect((16...48).contains(hits))
    }

    @Test func `A plan that makes no sense is refused`() throws {
        var faults = FaultState(seed: 1)
        #expect(throws: StoreProblem.self) {
            try faults.set(plan(FaultRule(kind: .drop, probability: 1.5)))
        }
        #expect(throws: StoreProblem.self) {
            try faults.set(plan(FaultRule(kind: .drop, skip: -1)))
        }
        let many = FaultPlan(rules: Array(repeating: FaultRule(kind: .drop), count: 201))
        #expect(throws: StoreProblem.self) { try faults.set(many) }
    }

    @Test func `Notifications come late, twice, after the next one, cut, and under new names`()
        async throws
    {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        func buy(_ product: ProductID = "com.example.coins20") async throws {
            _ = try await store.purchase(device, PurchaseRequest(productID: product))
            await store.settle()
        }
        _ = try await store.setFaults(
            plan(FaultRule(kind: .lateNotification, times: 1, milliseconds: 86_400_000)))
        try await buy()
        #expect(server.bodies.isEmpty)
        try await store.advance(days: 2)
        #expect(server.bodies.count == 1)

        _ = try await store.setFaults(plan(FaultRule(kind: .duplicate, times: 1)))
        try await buy()
        #expect(server.bodies.count == 3 && server.bodies[1] == server.bodies[2])

        _ = try await store.setFaults(plan(FaultRule(kind: .newUUID, times: 1)))
        try await buy()
        let pair = try server.bodies.suffix(2).map(server.notification)
        #expect(pair[0].notificationUUID != pair[1].notificationUUID)

        _ = try await store.setFaults(
            plan(FaultRule(kind: .reorder, on: "notification/ONE_TIME_CHARGE", times: 1)))
        try await buy()
        try await buy("com.example.pro.monthly")
        try await store.advance(days: 1)
        #expect(try server.heard().suffix(2) == ["SUBSCRIBED/INITIAL_BUY", "ONE_TIME_CHARGE"])

        _ = try await store.setFaults(plan(FaultRule(kind: .cut, on: "delivery/*", times: 1)))
        try await buy()
        let cut = try #require(server.bodies.last)
        #expect(cut.count < server.bodies[server.bodies.count - 2].count)

        _ = try await store.setFaults(plan(FaultRule(kind: .drop, on: "delivery/*", times: 1)))
        let count = server.bodies.count
        try await buy()
        #expect(server.bodies.count == count)
        try await store.advance(days: 1)
        #expect(server.bodies.count == count + 1)
    }

    @Test func `A notification may come before the purchase is answered`() async throws {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        _ = try await store.setFaults(plan(FaultRule(kind: .earlyNotification)))
        _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        #expect(server.bodies.count == 1)
    }

    @Test func `A device sees another name for the period that the server hears of`() async throws {
        let server = ListeningServer()
        let store = try LocalStore.forTests(server: server)
        let device = try await store.testDevice()
        _ = try await store.setFaults(plan(FaultRule(kind: .secondID)))
        let answer = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        await store.settle()
        let seen: TransactionPayload = try opened(
            try #require(answer.item.transaction?.signedTransactionInfo))
        let data = try #require(try server.notification(server.bodies[0]).data)
        let told: TransactionPayload = try opened(try #require(data.signedTransactionInfo))
        #expect(seen.transactionID != told.transactionID)
        #expect(seen.webOrderLineItemID == told.webOrderLineItemID)
        #expect(seen.originalTransactionID == told.originalTransactionID)
        let info = try await store.transactionInfo(seen.transactionID, in: .production)
        #expect(try opened(info, as: TransactionPayload.self).transactionID == seen.transactionID)
    }

    @Test func `Signed data is spoilt in one way at a time`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let id = try #require(bought.item.transactionID)
        let whole = try await store.transactionInfo(id, in: .production)
        func payload(_ kind: FaultKind) async throws -> (TransactionPayload, [UInt8]) {
            _ = try await store.setFaults(plan(FaultRule(kind: kind, on: "signing/transaction")))
            let token = try await store.transactionInfo(id, in: .production)
            let jws = try CompactJWSBytes(token)
            return (try opened(token), jws.signature)
        }
        let (early, _) = try await payload(.futurePurchaseDate)
        #expect((early.purchaseDate ?? .zero) > (early.signedDate ?? .zero))
        let (late, _) = try await payload(.lateOriginalDate)
        #expect((late.originalPurchaseDate ?? .zero) > (late.purchaseDate ?? .zero))
        #expect(try await payload(.unknownValue).0.offerType == 99)
        #expect(try await payload(.unknownField).0.otherFields["futureField"] == "futureValue")
        for kind in [
            FaultKind.wrongSignature, .expiredCertificate, .foreignRoot, .missingMarker,
            .xcodeDates,
        ] {
            #expect(try await payload(kind).1 == Array(kind.rawValue.utf8))
        }
        _ = try await store.setFaults(
            plan(FaultRule(kind: .cut, on: "signing/transaction", bytes: 9)))
        #expect(try await store.transactionInfo(id, in: .production).count == 9)
        _ = try await store.setFaults(FaultPlan(rules: []))
        #expect(try await store.transactionInfo(id, in: .production) == whole)
    }

    @Test func `Receipts come unsorted and empty when a fault wants it`() async throws {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        for _ in 0..<8 {
            _ = try await store.purchase(device, PurchaseRequest(productID: "com.example.coins20"))
        }
        func receipt() async throws -> [Substring] {
            let text = try #require(try await store.receipt(device).receipt)
            let data = try #require(Data(base64Encoded: text))
            return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().map {
                $0
            }
        }
        let sorted = try await receipt()
        _ = try await store.setFaults(plan(FaultRule(kind: .unsortedReceipt)))
        let unsorted = try await receipt()
        #expect(unsorted != sorted && unsorted.sorted() == sorted.sorted())
        _ = try await store.setFaults(plan(FaultRule(kind: .emptyReceipt)))
        #expect(try await receipt().isEmpty)
    }

    @Test func `The queue forgets a username after a relaunch, and at once when a fault wants it`()
        async throws
    {
        let store = try LocalStore.forTests()
        let device = try await store.testDevice()
        let request = PurchaseRequest(productID: "com.example.coins20", applicationUsername: "u1")
        #expect(try await store.purchase(device, request).item.applicationUsername == "u1")
        _ = try await store.launch(LaunchRequest(deviceID: device), port: .production)
        let items = try await store.queue(device).items
        #expect(items.count == 1 && items[0].applicationUsername == nil)
        _ = try await store.setFaults(plan(FaultRule(kind: .forgetUsername)))
        #expect(try await store.purchase(device, request).item.applicationUsername == nil)
    }

    @Test func `A device hears of a purchase twice or by an event first when a fault wants it`()
        async throws
    {
        for (kind, count) in [(FaultKind.repeatEvent, 2), (.earlyEvent, 1)] {
            let store = try LocalStore.forTests()
            let device = try await store.testDevice()
            _ = try await store.setFaults(plan(FaultRule(kind: kind)))
            let answer = try await store.purchase(
                device, PurchaseRequest(productID: "com.example.coins20"))
            let page = try await store.events(device, after: 0, wait: 0)
            #expect(
                page.events.compactMap(\.transaction?.transactionID)
                    == Array(repeating: try #require(answer.item.transactionID), count: count))
        }
    }
}
