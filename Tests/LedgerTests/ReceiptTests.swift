import AppStoreModel
import Testing
import TillLedger

@Suite struct ReceiptTests {
    private let coins = Sale("1")
    private let boost = Sale("2") { $0.product = Sale.coins20 }

    @Test(arguments: StoreKind.allCases)
    func `A receipt without purchases is valid and grants nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let answer = try await shop.showReceipt([])
        #expect(answer == PurchaseAnswer())
        let order = try await shop.order()
        #expect(try await shop.showReceipt([], order: order.order.id).results == [])
        #expect(try await shop.ledger.order(order.order.id, of: .anna)?.events == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `Without a claim every record is taken, in whatever order the receipt has them`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let answer = try await shop.showReceipt([boost, Sale.month(1), coins, Sale.month(0)])
        #expect(answer.results.map(\.transactionID) == ["1", "2", "200000", "200001"])
        #expect(answer.results.allSatisfy { $0.outcome == .granted })
    }

    @Test(arguments: StoreKind.allCases)
    func `A claim takes the record that it names, be it first, last or between`(
        kind: StoreKind
    ) async throws {
        for place in 0..<3 {
            let shop = try await Shop(kind)
            var records = [coins, Sale("3") { $0.quantity = 2 }]
            records.insert(boost, at: place)
            let answer = try await shop.showReceipt(records, claiming: ["2"])
            #expect(answer.results.map(\.transactionID) == ["2"])
            #expect(try await shop.balance() == 20)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A claim that is an original takes its chain, and one that is in no record is told`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let months = [Sale.month(2), Sale.month(1)]
        let answer = try await shop.showReceipt(
            [coins] + months, claiming: ["200000", "404", "404"])
        #expect(answer.results.map(\.transactionID) == ["200001", "200002"])
        #expect(answer.absent == ["404"])
        #expect(try await shop.balance() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `A claim that is in no receipt leaves signed transactions as they are`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale.receipt([coins]), boost.proof],
            transactionIDs: ["404"])
        let answer = try await shop.ledger.record(submission, now: Sale.noon)
        #expect(answer.results.map(\.transactionID) == ["2"])
        #expect(answer.absent == ["404"])
    }

    @Test(arguments: StoreKind.allCases)
    func `A receipt's record and the signed transaction are one purchase`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        let signed = Sale("1") { $0.token = order.order.id.rawValue }
        let submission = PurchaseSubmission(
            customer: .anna, proofs: [Sale.receipt([coins, boost]), signed.proof])
        let answer = try await shop.ledger.record(submission, now: Sale.noon)
        #expect(answer.results.map(\.transactionID) == ["1", "2"])
        // The receipt has no token; the signed transaction beside it does.
        #expect(answer.results.map(\.orderID) == [order.order.id, nil])
        #expect(try await shop.show(signed).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance() == 620)
    }

    @Test(arguments: StoreKind.allCases)
    func `Proofs are kept once, and only those that say something new`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let first = Sale.receipt([coins])
        let same = Sale.receipt([coins], created: Sale.noon.later(days: 1))
        let more = Sale.receipt([coins, boost], created: Sale.noon.later(days: 2))
        for proof in [first, same, more, first] {
            let submission = PurchaseSubmission(customer: .anna, proofs: [proof])
            _ = try await shop.ledger.record(submission, now: Sale.noon)
        }
        var kept: [Bool] = []
        for proof in [first, same, more] {
            let stored = try await shop.store.proof(try #require(Self.digest(proof)))
            kept.append(stored != nil)
        }
        #expect(kept == [true, false, true])
        let stored = try await shop.store.proof(try #require(Self.digest(first)))
        #expect(stored?.kind == .receipt)
        #expect(stored?.receivedAt == Sale.noon)
    }

    @Test(arguments: StoreKind.allCases)
    func `A long receipt is taken whole, and one beyond the limit is refused whole`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let records = (1...1_500).map { Sale(TransactionID("\($0)")) }
        #expect(try await shop.showReceipt(records).results.count == 1_500)
        #expect(try await shop.balance() == 900_000)
        let tooMany = (0...PurchaseSubmission.mostTransactions).map {
            Sale(TransactionID("x\($0)"))
        }
        let error = await #expect(throws: LedgerError.self) {
            try await shop.showReceipt(tooMany)
        }
        #expect(error?.code == .tooManyTransactions)
        #expect(try await shop.showReceipt(tooMany, claiming: ["x7"]).results.count == 1)
    }
}
