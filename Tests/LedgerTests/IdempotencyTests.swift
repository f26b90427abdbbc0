import AppStoreModel
import Testing
import TillLedger

@Suite struct IdempotencyTests {
    private func key(_ input: UInt8, caller: String = "anna") throws -> IdempotencyKey {
        try #require(IdempotencyKey(caller: caller, key: "k", input: [input]))
    }

    private func submission(_ sales: Sale...) -> PurchaseSubmission {
        PurchaseSubmission(customer: .anna, proofs: sales.map(\.proof))
    }

    @Test(arguments: StoreKind.allCases)
    func `The same request under the same key has the very same answer`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        let sales = submission(
            Sale("1") { $0.token = order.order.id.rawValue },
            Sale("2") { $0.environment = .sandbox },
            Sale("3") { $0.revoked = Sale.noon })
        let first = try await shop.ledger.record(sales, idempotency: key(1), now: Sale.noon)
        #expect(first.results.map(\.outcome) == [.granted, .revoked, .granted])
        let again = try await shop.ledger.record(sales, idempotency: key(1), now: Sale.noon)
        #expect(again == first)
        let unkeyed = try await shop.ledger.record(sales, now: Sale.noon)
        #expect(unkeyed.results.map(\.outcome) == [.alreadyGranted, .revoked, .alreadyGranted])
    }

    @Test(arguments: StoreKind.allCases)
    func `The same key with another request is a mistake that changes nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        _ = try await shop.ledger.record(
            submission(Sale("1")), idempotency: key(1), now: Sale.noon)
        let error = await #expect(throws: LedgerError.self) {
            _ = try await shop.ledger.record(
                submission(Sale("2")), idempotency: key(2), now: Sale.noon)
        }
        #expect(error?.code == .idempotencyKeyReused)
        #expect(error?.isRetryable == false)
        #expect(try await shop.balance() == 600)
        // Another caller may use the same word.
        _ = try await shop.ledger.record(
            submission(Sale("2")), idempotency: key(2, caller: "ben"), now: Sale.noon)
        #expect(try await shop.balance() == 1_200)
    }

    @Test(arguments: StoreKind.allCases)
    func `An answer that may turn out better is not frozen`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let sale = Sale("1") { $0.product = "com.example.new" }
        _ = try await shop.ledger.record(
            submission(sale), idempotency: key(1), now: Sale.noon)
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products["com.example.new"] = ProductRule(
            kind: .nonConsumable, entitlements: ["new"])
        let answer = try await shop.with(catalog).record(
            submission(sale), idempotency: key(1), now: Sale.noon)
        #expect(answer.results.map(\.outcome) == [.granted])
    }

    @Test(arguments: StoreKind.allCases)
    func `Fifty requests at once under one key have one answer`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let key = try key(1)
        let answers = try await withThrowingTaskGroup(of: PurchaseAnswer.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await shop.ledger.record(
                        submission(Sale("1")), idempotency: key, now: Sale.noon)
                }
            }
            return try await group.reduce(into: Set<PurchaseAnswer>()) { $0.insert($1) }
        }
        #expect(answers.map { $0.results.map(\.outcome) } == [[.granted]])
    }

    @Test func `A key has something in it, but not too much`() {
        for text in ["", "a\nb", "a\0b", String(repeating: "a", count: 256)] {
            #expect(IdempotencyKey(caller: "anna", key: text, input: []) == nil)
            #expect(IdempotencyKey(caller: text, key: "k", input: []) == nil)
        }
        for text in ["a", "键", String(repeating: "a", count: 255)] {
            #expect(IdempotencyKey(caller: "anna", key: text, input: []) != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `Callers are told apart by their bytes`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        for (number, caller) in ["caf\u{e9}", "cafe\u{301}"].enumerated() {
            let answer = try await shop.ledger.record(
                submission(Sale(TransactionID("\(number + 1)"))),
                idempotency: key(UInt8(number), caller: caller), now: Sale.noon)
            #expect(answer.results.map(\.outcome) == [.granted])
        }
    }
}
