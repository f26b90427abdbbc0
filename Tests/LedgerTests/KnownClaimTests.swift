import AppStoreModel
import Testing
import TillLedger

/// Claims of transactions that no proof shows, as StoreKit 1 makes them by giving what is restored new ids.
@Suite struct KnownClaimTests {
    private let coins = Sale("1")
    private let forever = Sale("2") { $0.product = Sale.lifetime }
    /// The same purchase under the id that a restore gave it.
    private let again = Sale("777") {
        $0.original = "2"
        $0.product = Sale.lifetime
    }

    @Test(arguments: StoreKind.allCases)
    func `What the ledger granted to the claimant is answered though the receipt lacks it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(coins)
        let answer = try await shop.showReceipt([forever], claiming: ["1", "2"])
        #expect(answer.results.map(\.transactionID) == ["2", "1"])
        #expect(answer.results.map(\.outcome) == [.granted, .alreadyGranted])
        #expect(answer.results.allSatisfy { $0.mayFinish })
        #expect(answer.absent == [])
        #expect(try await shop.balance() == 600)
        // The same alone, with nothing else to record.
        let alone = try await shop.showReceipt([forever], claiming: ["1"])
        #expect(alone.results.map(\.outcome) == [.alreadyGranted])
        #expect(alone.results.map(\.originalTransactionID) == ["1"])
        #expect(alone.results.map(\.productID) == [Sale.coins600])
        #expect(alone.absent == [])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What belongs to another, or to nobody, is not told by its id`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(coins)
        try await shop.tell(Sale("3"))
        let before = try await shop.export()
        let claims: [TransactionID] = ["1", "3", "404"]
        for _ in 0..<2 {
            let answer = try await shop.showReceipt([forever], by: .ben, claiming: claims)
            #expect(answer.results == [])
            #expect(answer.absent.sorted() == claims)
        }
        #expect(try await shop.export() == before)
        #expect(try await shop.balance(.ben) == 0)
        #expect(try await shop.show(Sale("3"), by: .anna).map(\.outcome) == [.granted])
    }

    @Test(arguments: StoreKind.allCases)
    func `A second id that Apple told of is granted by the receipt's record of the purchase`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        #expect(try await shop.tell(again).map(\.outcome) == [.pending])
        let answer = try await shop.showReceipt([coins, forever], claiming: ["777"])
        #expect(answer.results.map(\.transactionID) == ["2", "777"])
        #expect(answer.results.allSatisfy { $0.mayFinish })
        #expect(answer.absent == [])
        #expect(try await shop.active() == ["pro"])
        // What was not claimed and has nothing to do with it stays out.
        #expect(try await shop.balance() == 0)
        let repeated = try await shop.showReceipt([coins, forever], claiming: ["777"])
        #expect(repeated.results.map(\.outcome) == [.alreadyGranted, .alreadyGranted])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A second id of a period is granted by the receipt's record of its subscription`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let alias = Sale.month(1) { $0.id = "777" }
        try await shop.tell(alias)
        let answer = try await shop.showReceipt([Sale.month(0)], claiming: ["777"])
        #expect(answer.results.map(\.transactionID) == ["200000", "777"])
        #expect(answer.results.allSatisfy { $0.mayFinish })
        #expect(try await shop.active(at: Sale.noon.later(days: 45)) == ["pro"])
        #expect(try await shop.balance(.anna, "gems") == 10)
        // Another subscription's receipt says nothing of it.
        let other = Sale("9") {
            $0.product = Sale.yearly
            $0.expires = Sale.noon.later(days: 365)
        }
        let stranger = try await shop.showReceipt([other], by: .ben, claiming: ["777"])
        #expect(stranger.results == [] && stranger.absent == ["777"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A second id of another's purchase is refused to whoever shows that purchase`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(forever)
        try await shop.tell(again)
        let answer = try await shop.showReceipt([forever], by: .ben, claiming: ["777"])
        #expect(answer.results.map(\.transactionID) == ["2", "777"])
        #expect(answer.results.map(\.outcome) == [.anothers, .anothers])
        #expect(answer.results.allSatisfy { $0.mayFinish && $0.orderID == nil })
        #expect(try await shop.active(.ben) == [])
        #expect(try await shop.active(.anna) == ["pro"])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `What was taken back is told as that, and a claim gives nothing again`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(coins)
        try await shop.tell(
            Sale("1") {
                $0.revoked = Sale.noon.later(days: 1)
                $0.signed = Sale.noon.later(days: 1)
            })
        let shown = try await shop.showReceipt([forever], claiming: ["1"])
        #expect(shown.results.map(\.outcome) == [.revoked])
        #expect(shown.results.allSatisfy { $0.mayFinish })
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Ids count within their book alone`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1") { $0.environment = .sandbox })
        let answer = try await shop.showReceipt([forever], claiming: ["1"])
        #expect(answer.results == [] && answer.absent == ["1"])
        // Known in both, another's in one of them.
        try await shop.show(coins, by: .ben)
        let sandbox = Sale("5") { $0.environment = .sandbox }
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale.receipt([forever]), Sale.receipt([sandbox])],
            transactionIDs: ["404", "1"])
        let both = try await shop.ledger.record(submission, now: Sale.noon)
        #expect(both.results.map(\.transactionID) == ["1"])
        #expect(both.results.map(\.book.environment) == [.sandbox])
        #expect(both.absent == ["404"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A restore that names an original takes its whole chain`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let months = [Sale.month(0), Sale.month(1)]
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale.receipt([coins] + months)],
            transactionIDs: ["200000"], isRestore: true)
        let answer = try await shop.ledger.record(submission, now: Sale.noon)
        #expect(answer.results.map(\.transactionID) == ["200000", "200001"])
        #expect(answer.absent == [])
        #expect(try await shop.active(at: Sale.noon.later(days: 45)) == ["pro"])
        // A purchase that is claimed takes its record alone.
        let bens = try await Shop(kind)
        let one = try await bens.showReceipt([coins] + months, claiming: ["200000"])
        #expect(one.results.map(\.transactionID) == ["200000"])
        try await shop.expectSound()
    }
}
