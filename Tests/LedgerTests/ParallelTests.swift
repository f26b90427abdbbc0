import AppStoreModel
import LedgerPostgres
import LedgerSQLite
import TestKit
import Testing
import TillLedger

@Suite struct ParallelTests {
    private func race(
        _ tasks: Int, _ work: @escaping @Sendable (Int) async throws -> TransactionOutcome?
    ) async throws -> [TransactionOutcome: Int] {
        try await withThrowingTaskGroup(of: TransactionOutcome?.self) { group in
            for number in 0..<tasks { group.addTask { try await work(number) } }
            return try await group.reduce(into: [:]) { counts, outcome in
                if let outcome { counts[outcome, default: 0] += 1 }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `One proof fifty times at once by one customer is one grant`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let outcomes = try await race(50) { _ in
            try await shop.show(Sale("1"), alone: false).first?.outcome
        }
        #expect(outcomes == [.granted: 1, .alreadyGranted: 49])
        #expect(try await shop.balance() == 600)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `One proof fifty times at once by five customers has one owner`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let names = ["a", "b", "c", "d", "e"].map { CustomerID.named($0) }
        let outcomes = try await race(50) { number in
            try await shop.show(Sale.month(0), by: names[number % 5], alone: false).first?.outcome
        }
        #expect(outcomes == [.granted: 1, .alreadyGranted: 9, .anothers: 40])
        var owners = 0
        for name in names {
            let gems = try await shop.balance(name, "gems")
            #expect([0, 5].contains(gems))
            if try await shop.active(name) == ["pro"] { owners += 1 }
        }
        #expect(owners == 1)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `One subscription shown by a thousand customers stays with the first`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0), by: .anna)
        let outcomes = try await race(1_000) { number in
            try await shop.show(Sale.month(0), by: .named("thief\(number)")).first?.outcome
        }
        #expect(outcomes == [.anothers: 1_000])
        #expect(try await shop.active(.anna) == ["pro"])
        #expect(try await shop.active(.named("thief500")) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `Receipt and signed transaction of one purchase, at once, are one grant`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        let sale = Sale("1") { $0.token = order.order.id.rawValue }
        let outcomes = try await race(40) { number in
            number % 2 == 0
                ? try await shop.show(sale, order: order.order.id, alone: false).first?.outcome
                : try await shop.showReceipt([Sale("1")], order: order.order.id, alone: false)
                    .results.first?.outcome
        }
        #expect(outcomes == [.granted: 1, .alreadyGranted: 39])
        let paid = try await shop.ledger.order(order.order.id, of: .anna)
        #expect(paid?.events.map(\.kind) == [.paid, .fulfilled])
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund and the purchase at once leave nothing, in whatever order they come`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let refund = Sale("1") {
            $0.revoked = Sale.noon.later(days: 1)
            $0.signed = Sale.noon.later(days: 1)
        }
        _ = try await race(40) { number in
            try await shop.show(number % 2 == 0 ? Sale("1") : refund, alone: false).first?.outcome
        }
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `Whoever was answered reads what was recorded, however many read at once`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let outcomes = try await race(200) { number in
            let customer = CustomerID.named("c\(number % 20)")
            let id = TransactionID("\(1_000 + number)")
            try await shop.show(Sale(id), by: customer, alone: false)
            let holdings = try await shop.ledger.holdings(of: customer, now: Sale.noon)
            let entry = holdings.history.first { $0.transaction.id == id }
            #expect(holdings.balances.first?.amount ?? 0 >= 600)
            return entry?.outcome
        }
        #expect(outcomes == [.granted: 200])
        for number in 0..<20 {
            let customer = CustomerID.named("c\(number)")
            let whole = try await shop.ledger.customer(customer, now: Sale.noon)
            #expect(whole.balances.map(\.amount) == [6_000])
            let holdings = try await shop.ledger.holdings(of: customer, now: Sale.noon)
            #expect(holdings == whole.holdings)
        }
        try await shop.expectSound()
    }

    @Test(arguments: [0, 1, 50, 20_000])
    func `Batches that wait for company answer everybody, and alone nobody waits for ever`(
        microseconds: Int
    ) async throws {
        let folder = try Folder()
        var options = SQLiteLedgerStore.Options()
        options.gathering = microseconds
        let store = try await SQLiteLedgerStore.open(
            path: folder.file("till.db"), options: options)
        let ledger = Shop.ledger(on: store)
        var next = 0
        for round in 0..<60 {
            // From crowds to one alone, so that a batch waits for some who do not come.
            let count = [8, 3, 1, 5][round % 4]
            let first = next
            next += count
            let outcomes = try await race(count) { number in
                let sale = Sale(TransactionID("\(1 + first + number)"))
                return try await ledger.record(
                    PurchaseSubmission(customer: .anna, proofs: [sale.proof]), now: Sale.noon
                ).results.first?.outcome
            }
            #expect(outcomes == [.granted: count])
        }
        await store.close()
        let reopened = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
        let anna = try await Shop.ledger(on: reopened).customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [Int64(600 * next)])
        await reopened.close()
    }

    @Test func `Two stores over one file are as one`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let stores = [
            try await SQLiteLedgerStore.open(path: path),
            try await SQLiteLedgerStore.open(path: path),
        ]
        let ledgers = stores.map { Shop.ledger(on: $0) }
        let outcomes = try await race(60) { number in
            let customer: CustomerID = number % 3 == 0 ? .ben : .anna
            let sale = Sale(TransactionID("\(number % 5)"))
            let submission = PurchaseSubmission(customer: customer, proofs: [sale.proof])
            return try await ledgers[number % 2].record(submission, now: Sale.noon)
                .results.first?.outcome
        }
        #expect(outcomes[.granted] == 5)
        #expect(outcomes.values.reduce(0, +) == 60)
        #expect(try await ledgers[0].rebuild().discrepancies == [])
        let anna = try await ledgers[0].customer(.anna, now: Sale.noon).balances
        let ben = try await ledgers[1].customer(.ben, now: Sale.noon).balances
        #expect((anna + ben).map(\.amount).reduce(0, +) == 3_000)
        for store in stores { await store.close() }
    }

    // MARK: Two servers over one PostgreSQL database

    private func twoServers(
        _ change: (inout PostgresLedgerStore.Options) -> Void = { _ in }
    ) async throws -> (stores: [PostgresLedgerStore], ledgers: [Ledger]) {
        let schema = try PostgresSchema()
        var options = PostgresLedgerStore.Options()
        options.waitAsLongAsABusyMachineNeeds()
        change(&options)
        let stores = [
            try await PostgresLedgerStore.open(address: schema.address, options: options),
            try await PostgresLedgerStore.open(address: schema.address, options: options),
        ]
        return (stores, stores.map { Shop.ledger(on: $0) })
    }

    @Test(.enabled(if: PostgresServer.isInstalled), arguments: [1, 64])
    func `One proof fifty times at once by five customers at two servers has one owner`(
        batch: Int
    ) async throws {
        let (stores, ledgers) = try await twoServers { $0.largestBatch = batch }
        let names = ["a", "b", "c", "d", "e"].map { CustomerID.named($0) }
        let outcomes = try await race(50) { number in
            let submission = PurchaseSubmission(
                customer: names[number % 5], proofs: [Sale.month(0).proof])
            return try await ledgers[number % 2].record(submission, now: Sale.noon)
                .results.first?.outcome
        }
        #expect(outcomes == [.granted: 1, .alreadyGranted: 9, .anothers: 40])
        var owners = 0
        for name in names {
            let seen = try await ledgers[0].customer(name, now: Sale.noon)
            #expect(try await ledgers[1].customer(name, now: Sale.noon) == seen)
            #expect([[], [5]].contains(seen.balances.map(\.amount)))
            if seen.entitlements.map(\.isActive) == [true] { owners += 1 }
        }
        #expect(owners == 1)
        #expect(try await ledgers[1].rebuild().discrepancies == [])
        for store in stores { await store.close() }
    }

    /// Apple signs a purchase, then a refund, then its reversal, which says what the first said: whoever
    /// decides about one without the others decides wrong.
    @Test(.enabled(if: PostgresServer.isInstalled))
    func `A purchase, its refund and its reversal at once at two servers leave the goods`()
        async throws
    {
        let (stores, ledgers) = try await twoServers()
        let rounds = 60
        _ = try await race(rounds * 3) { number in
            let sale = Sale(TransactionID("\(number / 3)")) { sale in
                sale.signed = Sale.noon.later(days: number % 3)
                if number % 3 == 1 { sale.revoked = Sale.noon.later(days: 1) }
            }
            let submission = PurchaseSubmission(customer: .anna, proofs: [sale.proof])
            return try await ledgers[number % 2].record(submission, now: Sale.noon)
                .results.first?.outcome
        }
        let anna = try await ledgers[0].customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [Int64(600 * rounds)])
        #expect(try await ledgers[1].rebuild().discrepancies == [])
        for store in stores { await store.close() }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `Large restores and single purchases at once at two servers lose nothing`()
        async throws
    {
        let (stores, ledgers) = try await twoServers()
        let everything = (0..<300).map { Sale(TransactionID("\($0)")) }
        _ = try await race(40) { number in
            let proof =
                number % 4 == 0 ? Sale.receipt(everything) : everything[number * 7].proof
            let submission = PurchaseSubmission(customer: .anna, proofs: [proof])
            return try await ledgers[number % 2].record(submission, now: Sale.noon)
                .results.first?.outcome
        }
        let anna = try await ledgers[0].customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [180_000])
        #expect(try await ledgers[0].rebuild().discrepancies == [])
        for store in stores { await store.close() }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func
        `Two names that become one while both spend at two servers never spend more than there is`()
        async throws
    {
        let (stores, ledgers) = try await twoServers()
        let book = Book(bundleID: Sale.app, environment: .production)
        for (name, id) in [(CustomerID.anna, "1"), (.ben, "2")] {
            let submission = PurchaseSubmission(
                customer: name, proofs: [Sale(TransactionID(id)).proof])
            _ = try await ledgers[0].record(submission, now: Sale.noon)
        }
        let spent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<80 {
                group.addTask {
                    if number == 30 {
                        _ = try await ledgers[0].merge(.ben, into: .anna, now: Sale.noon)
                    }
                    let place = MovementPlace(
                        book: book, customer: number / 2 % 2 == 0 ? .anna : .ben,
                        id: try #require(MovementID(rawValue: "spend \(number)")))
                    let request = try #require(
                        SpendRequest(place: place, currency: "coins", amount: 50))
                    let answer = try await ledgers[number % 2].spend(request, now: Sale.noon)
                    if case .spent(_, let balance) = answer {
                        #expect(balance >= 0)
                        return true
                    }
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(spent == 24)
        for name in [CustomerID.anna, .ben] {
            let seen = try await ledgers[1].customer(name, now: Sale.noon)
            #expect(seen.customer == .anna)
            #expect(seen.balances.map(\.amount) == [0])
        }
        #expect(try await ledgers[1].rebuild().discrepancies == [])
        for store in stores { await store.close() }
    }
}
