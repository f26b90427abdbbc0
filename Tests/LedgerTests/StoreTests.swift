import AppStoreModel
import Testing

@testable import TillLedger

/// What every store promises, beneath the rules.
@Suite struct StoreTests {
    /// The facts of a purchase that pays an order, one of every kind that a purchase brings.
    private static func facts(_ shop: Shop) async throws -> [Fact] {
        let order = Order(
            id: try #require(
                OrderID(
                    randomBytes: [UInt8](repeating: 3, count: 10), at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600, quantity: 1,
            openedAt: Sale.noon, expiresAt: Sale.noon.later(days: 1))
        let sale = Sale("1") { $0.token = order.id.rawValue }
        let key = try #require(IdempotencyKey(caller: "anna", key: "k", input: [1]))
        let purchase = try PurchaseCase(
            PurchaseSubmission(customer: .anna, proofs: [sale.proof], track: "{}"),
            catalog: Sale.catalog, idempotency: key, now: Sale.noon)
        var snapshot = FactSnapshot()
        snapshot.orders[order.id] = OrderFacts(order: order)
        let decision = PurchaseDecision.decide(purchase, over: snapshot)
        let book = Book(bundleID: Sale.app, environment: .production)
        let change = GrantChange(
            key: GrantKey(rawValue: "once/1"), turn: 1, transactionID: "1", at: Sale.noon)
        let refusal = RecordedRefusal(
            transactionID: "1", customer: .ben, reason: .belongsToAnother, at: Sale.noon)
        let notice = Notice("n", .didRenew, nil, Sale.month(0)) { _ in }
        let told = PurchaseDecision.decide(
            notice.submission,
            try PurchaseCase(notice.submission, catalog: Sale.catalog, now: Sale.noon),
            over: FactSnapshot())
        let merge = Merge(from: .named("anon-1"), into: .cleo, at: Sale.noon)
        let share = Share(originalID: "1", number: 1, customer: .cleo, since: Sale.noon)
        let signal = Signal(kind: .forgery, customer: .ben, subject: "x", at: Sale.noon)
        return [.orderOpened(order)] + decision.facts
            + [.grantChange(book, change), .refusal(book, refusal)] + told.facts
            + [.renewalSignedAgain(book, "200000", number: 0, at: Sale.noon)]
            + [.merge(merge), .share(book, share), .signal(signal)]
            + [.told(book, SubscriptionTale(originalID: "200000", number: 1, text: "{}"))]
    }

    private static func append(_ facts: [Fact], to store: any LedgerStore) async throws {
        _ = try await store.transact(reading: FactQuery()) { _ in
            Decision(facts: facts, answer: true)
        }
    }

    private static func order(_ number: UInt8) throws -> Order {
        Order(
            id: try #require(
                OrderID(
                    randomBytes: [UInt8](repeating: number, count: 10),
                    at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app, customer: .cleo, productID: Sale.coins600, quantity: 1,
            openedAt: Sale.noon, expiresAt: Sale.noon)
    }

    @Test(arguments: StoreKind.allCases)
    func `Each fact's key is taken once, and a decision with a taken key leaves nothing`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let facts = try await Self.facts(shop)
        try await Self.append(facts, to: shop.store)
        let before = try await shop.customer()
        var refused = 0
        for (number, fact) in facts.enumerated() {
            let marker = try Self.order(UInt8(100 + number))
            let isKept: Bool
            do {
                try await Self.append([.orderOpened(marker), fact], to: shop.store)
                isKept = true
            } catch let error as LedgerError {
                #expect(error.code == .contended)
                isKept = false
                refused += 1
            }
            let mayRepeat =
                switch fact {
                case .proof, .signedAgain, .renewalSignedAgain, .refusal, .track, .signal: true
                default: false
                }
            #expect(isKept == mayRepeat, "\(fact)")
            #expect((try await shop.store.order(marker.id) != nil) == isKept)
        }
        #expect(refused >= 11)
        #expect(try await shop.customer() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `A key taken twice within one decision is refused as well`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try Self.order(1)
        let error = await #expect(throws: LedgerError.self) {
            try await Self.append([.orderOpened(order), .orderOpened(order)], to: shop.store)
        }
        #expect(error?.code == .contended)
        #expect(try await shop.store.order(order.id) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `An order is paid by one transaction, whatever the number of the event`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let facts = OrderFacts(order: try Self.order(1))
        let book = Book(bundleID: Sale.app, environment: .production)
        func paid(_ number: Int, _ id: TransactionID) -> Fact {
            .orderEvent(
                OrderEvent(
                    orderID: facts.order.id, number: number, kind: .paid,
                    transaction: TransactionReference(book: book, id: id), at: Sale.noon))
        }
        try await Self.append([.orderOpened(facts.order), paid(0, "1")], to: shop.store)
        await #expect(throws: LedgerError.self) {
            try await Self.append([paid(1, "2")], to: shop.store)
        }
        #expect(try await shop.store.order(facts.order.id)?.payment?.id == "1")
    }

    @Test(arguments: StoreKind.allCases)
    func `A decision sees what the query named, and the purchases and orders behind it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        try await shop.show(Sale("1"), order: order.order.id)
        try await shop.show(Sale.month(0))
        try await shop.show(Sale.month(0) { $0.id = "777" })
        try await shop.show(Sale.month(0), by: .ben)

        let book = Book(bundleID: Sale.app, environment: .production)
        var query = FactQuery()
        query.books[book] = BookQuery()
        query.books[book]?.transactions = ["1", "777", "404"]
        query.books[book]?.originals = ["200000", "404"]
        query.books[book]?.viewer = .ben
        query.books[Book(bundleID: Sale.app, environment: .xcode)] = BookQuery()
        let snapshot = try await shop.store.facts(query)
        let found = try #require(snapshot.books[book])
        #expect(Set(found.transactions.keys) == ["1", "777", "200000"])
        #expect(found.observations["777"]?.count == 1)
        #expect(found.grants.count == 2)
        #expect(found.owners["200000"]?.customer == .anna)
        #expect(found.owners["404"] == nil)
        #expect(found.refusals == [])
        #expect(snapshot.orders[order.order.id]?.payment?.id == "1")
        #expect(snapshot.books.count == 2)

        query.books[book]?.transactions = ["200000"]
        let same = try await shop.store.transact(reading: query) { Decision(answer: $0) }
        #expect(
            same.books[book]?.refusals
                == [ShownRefusal(transactionID: "200000", reason: .belongsToAnother)])
        #expect(try await shop.store.facts(query) == same)
    }

    @Test(arguments: StoreKind.allCases)
    func `Unpaid orders come newest first and no more than the limit`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        var ids: [OrderID] = []
        for minute in 0..<(FactQuery.mostUnpaidOrders + 3) {
            ids.append(try await shop.order(at: Sale.noon.later(minutes: minute)).order.id)
        }
        _ = try await shop.order(Sale.coins20)
        _ = try await shop.order(by: .ben)
        var query = FactQuery()
        query.unpaidOrders = UnpaidOrdersQuery(
            customer: .anna, products: [Sale.app: [Sale.coins600]])
        let orders = try await shop.store.facts(query).orders
        #expect(Set(orders.keys) == Set(ids.suffix(FactQuery.mostUnpaidOrders)))
    }

    @Test(arguments: StoreKind.allCases)
    func `Strange text survives`(kind: StoreKind) async throws {
        let strange = "漢字 '; DROP TABLE orders; -- \" % 🧾"
        let customer = CustomerID.named(strange)
        let product = ProductID(strange + "\0x")
        var catalog = Sale.catalog
        catalog.apps[Sale.app]?.products[product] = ProductRule(
            kind: .nonConsumable, credits: [WalletCurrency(strange): 5],
            entitlements: [EntitlementName(strange)])
        let shop = try await Shop(kind, catalog: catalog)
        try await shop.show(
            Sale(TransactionID(strange)) { $0.product = product }, by: customer)
        let found = try await shop.customer(customer)
        #expect(found.history.map(\.transaction.productID) == [product])
        #expect(found.history.map(\.transaction.id) == [TransactionID(strange)])
        #expect(found.entitlements.map(\.entitlement) == [EntitlementName(strange)])
        #expect(found.balances.map(\.currency) == [WalletCurrency(strange)])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A history is cut at its limit, and entitlements are not`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1") { $0.product = Sale.lifetime })
        let coins = (2...(Ledger.historyLimit + 50)).map { number in
            Sale(TransactionID("\(number)")) { $0.purchased = Sale.noon.later(minutes: number) }
        }
        try await shop.showReceipt(coins)
        let anna = try await shop.customer()
        #expect(anna.history.count == Ledger.historyLimit)
        #expect(anna.history.first?.transaction.id == coins.last?.id)
        #expect(anna.entitlements.map(\.isActive) == [true])
        #expect(anna.balances.map(\.amount) == [Int64(600 * coins.count)])
    }

    @Test(arguments: StoreKind.allCases)
    func `A rebuild walks every purchase and finds nothing amiss`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.showReceipt((1...1_234).map { Sale(TransactionID("\($0)")) })
        try await shop.show(Sale("1") { $0.environment = .sandbox })
        let report = try await shop.ledger.rebuild()
        #expect(report.purchases == 1_235)
        #expect(report.discrepancies == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A rebuild finds a grant that the facts do not bear out`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        let book = Book(bundleID: Sale.app, environment: .production)
        let change = GrantChange(
            key: GrantKey(rawValue: "once/1"), turn: 1, transactionID: "1", at: Sale.noon)
        try await Self.append([.grantChange(book, change)], to: shop.store)
        let report = try await shop.ledger.rebuild()
        #expect(report.discrepancies.count == 2)
        #expect(report.discrepancies.first?.subject.contains("standing") == true)
    }

    @Test(arguments: StoreKind.allCases)
    func `A closed store says so to everybody`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        await shop.store.close()
        for call in 0..<4 {
            let error = await #expect(throws: LedgerError.self) {
                switch call {
                case 0: try await shop.show(Sale("2"))
                case 1: _ = try await shop.customer()
                case 2: _ = try await shop.ledger.rebuild(repairing: true)
                default: _ = try await shop.ledger.rebuild()
                }
            }
            #expect(error?.code == .closed)
        }
        await shop.store.close()
    }
}
