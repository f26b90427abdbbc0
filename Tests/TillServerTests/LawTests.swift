import AppStoreModel
import Foundation
import HTTPMessage
import LedgerMemory
import SignedDataCoding
import Testing
import TillAPI

@testable import TillServer

/// The laws, through the routes.
@Suite struct LawTests {
    private func bought(_ response: PurchaseResponse) -> [TransactionOutcome] {
        response.results.map(\.outcome)
    }

    // MARK: L1 once

    @Test func `a proof shown twice is granted once, and the second answer is a success`()
        async throws
    {
        let shop = try TestShop()
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        let first = try await shop.purchase(request, by: "anna")
        #expect(bought(first) == [.granted])
        #expect(first.customer.balances == ["coins": 600])
        let second = try await shop.purchase(request, by: "anna")
        #expect(bought(second) == [.alreadyGranted])
        #expect(second.results.map(\.mayFinish) == [true])
        #expect(second.customer.balances == ["coins": 600])
    }

    @Test func `a receipt and a signed transaction of one purchase are one grant`() async throws {
        let shop = try TestShop()
        let receipt = try shop.receipt([("1", TestShop.coins), ("2", TestShop.gems)])
        let both = PurchaseRequest(receipt: receipt, signedTransactions: [try shop.signed("1")])
        let response = try await shop.purchase(both, by: "anna")
        #expect(response.results.map(\.transactionID) == ["1", "2"])
        #expect(bought(response) == [.granted, .granted])
        #expect(response.customer.balances == ["coins": 600, "gems": 10])
    }

    @Test func `one proof posted fifty times in parallel is one grant`() async throws {
        let shop = try TestShop()
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        let outcomes = try await withThrowingTaskGroup(of: TransactionOutcome?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await shop.purchase(request, by: "anna").results.first?.outcome
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .granted } == 1)
        #expect(outcomes.count { $0 == .alreadyGranted } == 49)
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test
    func `receipt and signed transaction at the same time are one grant, and each answer knows it`()
        async throws
    {
        let shop = try TestShop()
        for number in 1...100 {
            let id = TransactionID("\(number)")
            let name = "customer-\(number)"
            let signed = PurchaseRequest(signedTransactions: [try shop.signed(id)])
            let receipt = PurchaseRequest(receipt: try shop.receipt([(id, TestShop.coins)]))
            async let left = shop.purchase(signed, by: name)
            async let right = shop.purchase(receipt, by: name)
            let answers = try await [left, right]
            #expect(Set(answers.flatMap(bought)) == [.granted, .alreadyGranted])
            // Each answer sees what it wrote.
            for answer in answers { #expect(answer.customer.balances == ["coins": 600]) }
        }
    }

    // MARK: L3 finish after record

    @Test func `a lost database acknowledges nothing and lets go of nothing`() async throws {
        let store = MemoryLedgerStore()
        let shop = try TestShop(store: store)
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        await store.close()
        let problem = try await shop.refusal(request, by: "anna")
        #expect(problem.status == 503)
        #expect(problem.code.kind == .storageUnavailable)
        #expect(problem.isRetryable)
        #expect(!problem.mayFinish)
        let order = try await shop.send(
            .post, APIWire.orders, Data(#"{"productId": "\#(TestShop.coins)"}"#.utf8), as: "anna")
        #expect(order.status == .serviceUnavailable)
        #expect(try await shop.send(.get, "/readyz", as: nil).status == .serviceUnavailable)
        #expect(try await shop.send(.get, "/healthz", as: nil).status == .ok)
    }

    @Test func `a forgery is let go of, a purchase that the catalog lacks is not`() async throws {
        let shop = try TestShop()
        let forged = PurchaseRequest(
            signedTransactions: [try TestAuthority.stranger.sign(TestShop.transaction("1"))])
        let refusal = try await shop.refusal(forged, by: "anna")
        #expect(refusal.code.kind == .untrustedRoot)
        #expect(refusal.mayFinish)
        #expect(!refusal.isRetryable)
        let unknown = PurchaseRequest(
            signedTransactions: [try shop.signed("2", "com.example.removed")])
        let result = try #require(
            try await shop.purchase(unknown, by: "anna").results.first)
        #expect(result.outcome == .refused)
        #expect(result.reason == "productUnknown")
        #expect(!result.mayFinish)
        #expect(try await shop.customer("anna").balances.isEmpty)
    }

    // MARK: L4 no proof, no goods

    @Test func `what is signed when its certificates were not valid gives nothing, and is kept`()
        async throws
    {
        let shop = try TestShop()
        let late = try shop.signed("1") { $0.signedDate = Timestamp(seconds: 7_258_118_400) }
        let problem = try await shop.refusal(
            PurchaseRequest(signedTransactions: [late]), by: "anna")
        #expect(problem.code.kind == .certificateNotValidThen)
        #expect(!problem.mayFinish)
        // Signed afresh, it counts.
        let fresh = PurchaseRequest(signedTransactions: [late, try shop.signed("1")])
        let answer = try await shop.purchase(fresh, by: "anna")
        #expect(answer.results.map(\.outcome) == [.granted])
        #expect(answer.refusedProofs?.map(\.mayFinish) == [false])
    }

    @Test func `what the client says of itself proves nothing`() async throws {
        let shop = try TestShop()
        let answer =
            #"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.app","in_app":[{"product_id":"com.example.coins600","transaction_id":"1"}]}}"#
        let relayed = try await shop.refusal(PurchaseRequest(receipt: answer), by: "anna")
        #expect(relayed.status == 422)
        #expect(relayed.code.kind == .wrongKind)
        let claimed = try await shop.refusal(
            PurchaseRequest(orderID: UUID(), transactionIDs: ["1"], isRestore: true), by: "anna")
        #expect(claimed.code.kind == .proofMissing)
        #expect(try await shop.customer("anna").transactions.isEmpty)
    }

    @Test func `a signature over other content is refused`() async throws {
        let shop = try TestShop()
        let parts = try shop.signed("1").split(separator: ".").map(String.init)
        let payload = String(
            decoding: try #require(Base64.decodeURL(Array(parts[1].utf8))), as: UTF8.self)
        let richer = payload.replacing("\"quantity\":1", with: "\"quantity\":9")
        try #require(richer != payload)
        let forged = "\(parts[0]).\(Base64.encode(Array(richer.utf8), .url)).\(parts[2])"
        let problem = try await shop.refusal(
            PurchaseRequest(signedTransactions: [forged]), by: "anna")
        #expect(problem.code.kind == .wrongSignature)
        var receipt = try #require(
            Base64.decodeStandard(Array(try shop.receipt([("1", TestShop.coins)]).utf8)))
        receipt[receipt.count - 1] ^= 1
        let other = try await shop.refusal(
            PurchaseRequest(receipt: Base64.encode(receipt)), by: "anna")
        #expect(other.code.kind == .wrongSignature)
    }

    @Test func `another app, another environment and a revoked purchase give nothing`() async throws
    {
        let shop = try TestShop()
        let foreign = try shop.signed("1") { $0.bundleID = "com.example.other" }
        #expect(
            try await shop.refusal(PurchaseRequest(signedTransactions: [foreign]), by: "anna").code
                .kind
                == .wrongApp)
        let production = try shop.signed("2") { $0.environment = .production }
        #expect(
            try await shop.refusal(PurchaseRequest(signedTransactions: [production]), by: "anna")
                .code.kind
                == .environmentNotAdmitted)
        let revoked = try shop.signed("3") {
            $0.revocationDate = TestClock.start
            $0.revocationReason = .other
        }
        let answer = try await shop.purchase(
            PurchaseRequest(signedTransactions: [revoked]), by: "anna")
        #expect(bought(answer) == [.refused])
        #expect(answer.results.first?.reason == "revoked")
        #expect(answer.results.first?.mayFinish == true)
        #expect(answer.customer.balances["coins"] ?? 0 == 0)
    }

    @Test func `a genuine receipt with no purchase in it gives nothing`() async throws {
        let shop = try TestShop()
        let answer = try await shop.purchase(
            PurchaseRequest(receipt: try shop.receipt([])), by: "anna")
        #expect(answer.results.isEmpty)
        #expect(answer.customer.transactions.isEmpty)
        let waited = try await shop.purchase(
            PurchaseRequest(receipt: try shop.receipt([]), transactionIDs: ["7"]), by: "anna")
        #expect(waited.absentTransactionIDs == ["7"])
    }

    @Test func `an id of what is the customer's own is answered though the receipt is empty`()
        async throws
    {
        let shop = try TestShop()
        _ = try await shop.purchase(
            PurchaseRequest(signedTransactions: [try shop.signed("7")]), by: "anna")
        let claim = PurchaseRequest(
            receipt: try shop.receipt([]), transactionIDs: ["7", "8"])
        let answer = try await shop.purchase(claim, by: "anna")
        #expect(bought(answer) == [.alreadyGranted])
        #expect(answer.results.map(\.mayFinish) == [true])
        #expect(answer.absentTransactionIDs == ["8"])
        let foreign = try await shop.purchase(claim, by: "ben")
        #expect(foreign.results.isEmpty)
        #expect(foreign.absentTransactionIDs == ["7", "8"])
    }

    // MARK: L5 one owner

    @Test func `the first customer owns it, whoever shows it later`() async throws {
        let shop = try TestShop()
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        #expect(bought(try await shop.purchase(request, by: "anna")) == [.granted])
        for _ in 0..<2 {
            let answer = try await shop.purchase(request, by: "ben")
            #expect(bought(answer) == [.refused])
            #expect(answer.results.first?.reason == "belongsToAnother")
            #expect(answer.results.first?.mayFinish == true)
            #expect(answer.customer.balances.isEmpty)
        }
        #expect(bought(try await shop.purchase(request, by: "anna")) == [.alreadyGranted])
    }

    @Test func `five customers fighting for one purchase: one has it, four have nothing`()
        async throws
    {
        let shop = try TestShop()
        let request = PurchaseRequest(signedTransactions: [try shop.signed("1")])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { try await shop.purchase(request, by: "customer-\(number % 5)") }
            }
            try await group.waitForAll()
        }
        var owners = 0
        for number in 0..<5 {
            let balances = try await shop.customer("customer-\(number)").balances
            if balances == ["coins": 600] { owners += 1 } else { #expect(balances.isEmpty) }
        }
        #expect(owners == 1)
    }

    @Test func `a subscription shown by two hundred strangers stays its owner's`() async throws {
        let shop = try TestShop()
        let token = try shop.signed("1", TestShop.monthly, type: .autoRenewable) {
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 30 * 86_400_000)
            $0.webOrderLineItemID = "77"
        }
        let request = PurchaseRequest(signedTransactions: [token])
        try await shop.purchase(request, by: "anna")
        for number in 0..<200 {
            let answer = try await shop.purchase(request, by: "stranger-\(number)")
            #expect(bought(answer) == [.refused])
            #expect(answer.customer.entitlements.isEmpty)
        }
        let anna = try await shop.customer("anna")
        #expect(anna.entitlements.map(\.entitlement) == ["pro"])
        #expect(anna.entitlements.map(\.isActive) == [true])
    }
}
