import AppStoreModel
import PostgresDriver
import TestKit
import Testing
import TillLedger

@testable import LedgerPostgres

@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresFaultTests {
    private func open(
        _ address: String, _ change: (inout PostgresLedgerStore.Options) -> Void = { _ in }
    ) async throws(LedgerError) -> PostgresLedgerStore {
        var options = PostgresLedgerStore.Options()
        options.readers = 1
        options.writers = 1
        options.waitAsLongAsABusyMachineNeeds()
        change(&options)
        return try await PostgresLedgerStore.open(address: address, options: options)
    }

    private func opening(_ address: String) async -> LedgerError? {
        await #expect(throws: LedgerError.self) { _ = try await open(address) }
    }

    private func submission(
        _ id: TransactionID = "1", by customer: CustomerID = .anna
    ) -> PurchaseSubmission {
        PurchaseSubmission(customer: customer, proofs: [Sale(id).proof])
    }

    /// Tries until it works, as the pause after a refusal may not be over yet.
    private func eventually<Value>(
        _ body: () async throws -> Value
    ) async -> Value? {
        for _ in 0..<3_000 {
            if let value = try? await body() { return value }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }

    // MARK: Opening

    @Test func `A ledger opened again is the same ledger`() async throws {
        let schema = try PostgresSchema()
        for round in 0..<3 {
            let store = try await open(schema.address)
            let ledger = Shop.ledger(on: store)
            let results = try await ledger.record(submission(), now: Sale.noon).results
            #expect(results.map(\.outcome) == [round == 0 ? .granted : .alreadyGranted])
            await store.close()
        }
    }

    @Test func `Servers that start together make the tables once`() async throws {
        let schema = try PostgresSchema()
        let address = schema.address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let store = try await open(address)
                    _ = try await Shop.ledger(on: store).record(
                        submission(TransactionID("\(number)")), now: Sale.noon)
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try schema.texts("SELECT count(*)::text FROM schema_steps")
                == ["\(LedgerSchema.steps.count)"])
        #expect(try schema.texts("SELECT count(*)::text FROM books") == ["1"])
        #expect(try schema.texts("SELECT count(*)::text FROM grants") == ["8"])
    }

    @Test func `Another program's schema is refused and left as it is`() async throws {
        let scripts = [
            "CREATE TABLE notes (text TEXT)", "CREATE VIEW mine AS SELECT 1",
            "CREATE TABLE schema_steps (version INT)",
            "CREATE TABLE schema_steps (number BIGINT, checksum TEXT); "
                + "INSERT INTO schema_steps VALUES (1, 'x')",
        ]
        for script in scripts {
            let schema = try PostgresSchema()
            try schema.execute(script)
            #expect(await opening(schema.address)?.code == .foreign, "\(script)")
            #expect(
                try schema.texts(
                    """
                    SELECT count(*)::text FROM pg_class
                    WHERE relnamespace = current_schema()::regnamespace
                    """) == ["1"], "\(script)")
        }
    }

    @Test func `A newer form is refused, and one made by other steps too`() async throws {
        let schema = try PostgresSchema()
        await (try await open(schema.address)).close()
        let next = LedgerSchema.steps.count + 1
        try schema.execute("INSERT INTO schema_steps VALUES (\(next), 'later', 'x')")
        #expect(await opening(schema.address)?.code == .newer)
        try schema.execute("UPDATE schema_steps SET checksum = 'y' WHERE number = 1")
        #expect(await opening(schema.address)?.code == .foreign)
    }

    @Test func `An older form is brought up to date, and a step that fails leaves it as it was`()
        throws
    {
        let schema = try PostgresSchema()
        var connection = try PostgresConnection(address: schema.address)
        try connection.bringUpToDate()
        let good = LedgerSchema.Step(name: "more", sql: "CREATE TABLE more (n BIGINT)")
        let bad = LedgerSchema.Step(
            name: "bad", sql: "CREATE TABLE half (n BIGINT); CREATE TABLE orders (n BIGINT)")
        var failed = false
        do { try connection.bringUpToDate(LedgerSchema.steps + [good, bad]) } catch {
            failed = true
        }
        #expect(failed)
        #expect(try schema.texts("SELECT 'x' WHERE to_regclass('half') IS NOT NULL") == [])
        try connection.bringUpToDate(LedgerSchema.steps + [good])
        #expect(
            try schema.texts("SELECT name FROM schema_steps ORDER BY number").last == "more")
        var code: LedgerError.Code?
        do throws(LedgerError) { try connection.bringUpToDate() } catch { code = error.code }
        #expect(code == .newer)
    }

    @Test func `What cannot be opened says why, and never with the password`() async throws {
        let server = try PostgresServer.shared.get()
        let schema = try PostgresSchema()
        try schema.execute(
            "CREATE DATABASE \(schema.name)_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"
        )
        let refused = [
            server.address(database: "none"), server.address(schema: "none"),
            server.address(database: "\(schema.name)_ascii"),
            "postgres://nobody:secret@/postgres?host=\(server.folder)",
            "postgres://anna:secret@host:port/postgres",
        ]
        for address in refused {
            let error = await opening(address)
            #expect(error?.code == .cannotOpen, "\(address)")
            #expect(error?.description.contains("secret") == false)
        }
        let away = await opening("postgres://anna:secret@127.0.0.1:1/postgres")
        #expect(away?.code == .unreachable)
        #expect(away?.isRetryable == true)
        #expect(away?.description.contains("secret") == false)
        try schema.execute("DROP DATABASE \(schema.name)_ascii")
    }

    // MARK: Losing the server

    @Test(arguments: [UInt64(20)])
    func
        `What was acknowledged before each kill of the server is there, once, and it goes on by itself`(
            seed: UInt64
        ) async throws
    {
        var random = SeededRandom(seed: seed)
        let server = try PostgresServer()
        let store = try await open(server.address()) { $0.writers = 2 }
        let ledger = Shop.ledger(on: store)
        var acknowledged: [TransactionID] = []
        var losses = 0
        for round in 0..<4 {
            let limit = Int.random(in: 40...200, using: &random)
            let (granted, lost) = await buyUntilLost(ledger, round) { count in
                if count == limit { server.kill() }
            }
            acknowledged += granted
            losses += lost
            // While it is away, everybody is told to come again.
            let away = await #expect(throws: LedgerError.self) {
                try await ledger.customer(.anna, now: Sale.noon)
            }
            #expect(away?.code == .unreachable)
            #expect(away?.isRetryable == true)
            try server.start()
        }
        #expect(losses > 0)
        #expect(acknowledged.count >= 160)
        let report = await eventually { try await ledger.rebuild() }
        #expect(report?.discrepancies == [])
        #expect((report?.purchases ?? 0) >= acknowledged.count)
        let anna = try await ledger.customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [Int64(600 * (report?.purchases ?? 0))])
        let again = try await ledger.record(
            PurchaseSubmission(customer: .anna, proofs: acknowledged.map { Sale($0).proof }),
            now: Sale.noon)
        #expect(again.results.allSatisfy { $0.outcome == .alreadyGranted })
        await store.close()
    }

    /// Buys from sixteen tasks until each was told that the server is gone.
    private func buyUntilLost(
        _ ledger: Ledger, _ round: Int, _ onGrant: @escaping @Sendable (Int) -> Void
    ) async -> (granted: [TransactionID], losses: Int) {
        let counter = Counter()
        return await withTaskGroup(of: (granted: [TransactionID], losses: Int).self) { group in
            for task in 0..<16 {
                group.addTask {
                    var granted: [TransactionID] = []
                    for number in 0..<10_000 {
                        let id = TransactionID("\(round)-\(task)-\(number)")
                        do throws(LedgerError) {
                            let answer = try await ledger.record(submission(id), now: Sale.noon)
                            guard answer.results.map(\.outcome) == [.granted] else { continue }
                            granted.append(id)
                            onGrant(await counter.next())
                        } catch {
                            guard error.code == .unreachable else { continue }
                            return (granted, 1)
                        }
                    }
                    return (granted, 0)
                }
            }
            return await group.reduce(into: ([], 0)) { sum, part in
                sum.0 += part.granted
                sum.1 += part.losses
            }
        }
    }

    @Test func `Connections that the server ended are made anew without anybody noticing`()
        async throws
    {
        let server = try PostgresServer()
        let store = try await open(server.address())
        let ledger = Shop.ledger(on: store)
        for number in 0..<5 {
            let id = TransactionID("\(number)")
            let results = try await ledger.record(submission(id), now: Sale.noon).results
            #expect(results.map(\.outcome) == [.granted])
            let anna = try await ledger.customer(.anna, now: Sale.noon)
            #expect(anna.history.count == number + 1)
            server.stop()
            try server.start()
        }
        await store.close()
    }

    // MARK: Refusing for a while

    @Test func `What others hold for too long is told as busy, and goes on when it is free`()
        async throws
    {
        let schema = try PostgresSchema()
        for isLockTimeout in [true, false] {
            let store = try await open(schema.address) {
                $0.lockTime = isLockTimeout ? .milliseconds(20) : .seconds(60)
                $0.statementTime = isLockTimeout ? .seconds(60) : .milliseconds(300)
            }
            let ledger = Shop.ledger(on: store)
            let submission = submission(TransactionID("\(isLockTimeout)"))
            var other = try PostgresConnection(address: schema.address)
            try other.execute("BEGIN; LOCK TABLE transactions IN EXCLUSIVE MODE")
            let error = await #expect(throws: LedgerError.self) {
                try await ledger.record(submission, now: Sale.noon)
            }
            #expect(error?.code == .busy)
            #expect(error?.isRetryable == true)
            // Readers wait for nobody.
            _ = try await ledger.customer(.anna, now: Sale.noon)
            try other.execute("ROLLBACK")
            let results = try await ledger.record(submission, now: Sale.noon).results
            #expect(results.map(\.outcome) == [.granted])
            await store.close()
        }
    }

    @Test func `A server that only reads can be read, and says that it cannot be written`()
        async throws
    {
        let schema = try PostgresSchema()
        let writing = try await open(schema.address)
        _ = try await Shop.ledger(on: writing).record(submission(), now: Sale.noon)
        let store = try await open(schema.address + "%20-cdefault_transaction_read_only%3Don")
        let ledger = Shop.ledger(on: store)
        let anna = try await ledger.customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [600])
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.record(submission("2"), now: Sale.noon)
        }
        #expect(error?.code == .readOnly)
        #expect(error?.isRetryable == true)
        let empty = try PostgresSchema()
        let refused = await opening(empty.address + "%20-cdefault_transaction_read_only%3Don")
        #expect(refused?.code == .readOnly)
        for store in [writing, store] { await store.close() }
    }

    @Test func `Too many connections are told as too much work, and what is there goes on`()
        async throws
    {
        let server = try PostgresServer(settings: [
            "max_connections=2", "superuser_reserved_connections=0", "max_wal_senders=0",
        ])
        let store = try await open(server.address())
        let ledger = Shop.ledger(on: store)
        var results = try await ledger.record(submission("1"), now: Sale.noon).results
        #expect(results.map(\.outcome) == [.granted])
        do {
            let other = try PostgresConnection(address: server.address())
            #expect(other.serverVersion > 0)
            let error = await #expect(throws: LedgerError.self) {
                try await ledger.customer(.anna, now: Sale.noon)
            }
            #expect(error?.code == .overloaded)
            #expect(error?.isRetryable == true)
            results = try await ledger.record(submission("2"), now: Sale.noon).results
            #expect(results.map(\.outcome) == [.granted])
        }
        let anna = await eventually { try await ledger.customer(.anna, now: Sale.noon) }
        #expect(anna?.balances.map(\.amount) == [1_200])
        await store.close()
    }

    @Test func `A line that is too long refuses at once`() async throws {
        let schema = try PostgresSchema()
        let store = try await open(schema.address) {
            $0.longestLine = 0
            $0.mostReads = 0
        }
        let ledger = Shop.ledger(on: store)
        let written = await #expect(throws: LedgerError.self) {
            try await ledger.record(submission(), now: Sale.noon)
        }
        #expect(written?.code == .overloaded)
        let read = await #expect(throws: LedgerError.self) {
            try await ledger.customer(.anna, now: Sale.noon)
        }
        #expect(read?.code == .overloaded)
        await store.close()
    }

    @Test func `One bad decision does not sink those that wait with it`() async throws {
        let schema = try PostgresSchema()
        let store = try await open(schema.address)
        let ledger = Shop.ledger(on: store)
        _ = try await ledger.record(submission("first"), now: Sale.noon)
        // While the table is held from outside, everything lines up and then goes as one batch.
        var other = try PostgresConnection(address: schema.address)
        try other.execute("BEGIN; LOCK TABLE transactions IN EXCLUSIVE MODE")
        let bad = Order(
            id: try #require(
                OrderID(
                    randomBytes: [UInt8](repeating: 1, count: 10), at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app, customer: .ben, productID: Sale.coins600, quantity: 0,
            openedAt: Sale.noon, expiresAt: Sale.noon)
        async let refused: LedgerError? = #expect(throws: LedgerError.self) {
            try await store.transact(reading: FactQuery()) { _ in
                Decision(facts: [.orderOpened(bad)], answer: true)
            }
        }
        async let outcomes = withThrowingTaskGroup(of: TransactionOutcome?.self) { group in
            for number in 0..<20 {
                let submission = submission(TransactionID("\(number)"))
                group.addTask {
                    try await ledger.record(submission, now: Sale.noon).results.first?.outcome
                }
            }
            return try await group.reduce(into: [TransactionOutcome?]()) { $0.append($1) }
        }
        try other.execute("ROLLBACK")
        // The table's CHECK refuses an order for nothing.
        #expect(await refused?.code == .unexpected)
        #expect(try await outcomes == [TransactionOutcome?](repeating: .granted, count: 20))
        #expect(try await store.order(bad.id) == nil)
        await store.close()
    }

    // MARK: Keeping

    @Test func `A row that nobody here wrote is told as damage`() async throws {
        let schema = try PostgresSchema()
        let store = try await open(schema.address)
        let ledger = Shop.ledger(on: store)
        _ = try await ledger.record(submission(), now: Sale.noon)
        try schema.execute("UPDATE grants SET kind = 'gift'")
        let shown = await #expect(throws: LedgerError.self) {
            try await ledger.customer(.anna, now: Sale.noon)
        }
        #expect(shown?.code == .damaged)
        let recorded = await #expect(throws: LedgerError.self) {
            try await ledger.record(submission(), now: Sale.noon)
        }
        #expect(recorded?.code == .damaged)
        await store.close()
    }

    @Test func `Derived rows that went astray are found and put right`() async throws {
        let schema = try PostgresSchema()
        let store = try await open(schema.address)
        let ledger = Shop.ledger(on: store)
        _ = try await ledger.record(submission(), now: Sale.noon)
        let request = OrderRequest(
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600)
        _ = try await ledger.openOrder(request, now: Sale.noon)
        try schema.execute("UPDATE balances SET amount = 7; DELETE FROM unpaid_orders")
        let found = try await ledger.rebuild().discrepancies
        #expect(found.map(\.recorded) == ["7", "paid"])
        #expect(found.map(\.expected) == ["600", "unpaid"])
        #expect(try await ledger.rebuild(repairing: true).discrepancies == found)
        #expect(try await ledger.rebuild().discrepancies == [])
        let anna = try await ledger.customer(.anna, now: Sale.noon)
        #expect(anna.balances.map(\.amount) == [600])
        await store.close()
    }

    @Test func `The tables are readable with plain SQL`() async throws {
        let schema = try PostgresSchema()
        let store = try await open(schema.address)
        let refund = Sale("2") { $0.revoked = Sale.noon.later(days: 1) }
        _ = try await Shop.ledger(on: store).record(
            PurchaseSubmission(
                customer: .anna, proofs: [Sale("1"), Sale("2"), refund].map(\.proof)),
            now: Sale.noon)
        await store.close()
        let rows = try schema.texts(
            """
            SELECT concat_ws(' ', transaction_id, product_id, purchased AT TIME ZONE 'UTC', standing)
            FROM readable_transactions ORDER BY 1
            """)
        #expect(
            rows == [
                "1 com.example.coins600 2026-01-15 12:00:00 granted",
                "2 com.example.coins600 2026-01-15 12:00:00 not granted",
            ])
        #expect(
            try schema.texts("SELECT customer_id || ' ' || amount FROM readable_balances")
                == ["anna 600"])
    }

    @Test func `No look-up walks a table, however the tables grow after it was planned`() throws {
        let schema = try PostgresSchema()
        var connection = try PostgresConnection(address: schema.address)
        try connection.bringUpToDate()
        try connection.execute(
            "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off")
        let book = Book(bundleID: Sale.app, environment: .production)
        var query = FactQuery()
        query.books[book] = BookQuery()
        query.books[book]?.transactions = ["1"]
        query.books[book]?.grants = [GrantKey(rawValue: "once/1")]
        query.books[book]?.originals = ["1"]
        query.books[book]?.viewer = .anna
        query.books[book]?.introductoryGroups = ["group"]
        query.books[book]?.renewals = ["1"]
        query.books[book]?.subscriptions = ["1"]
        query.books[book]?.notifications = [try #require(NotificationID(rawValue: "n"))]
        query.books[book]?.includesBalances = true
        query.customers = [.anna, .ben]
        query.unpaidOrders = UnpaidOrdersQuery(customer: .anna, products: [Sale.app: ["p"]])
        let place = MovementPlace(
            book: book, customer: .anna, id: try #require(MovementID(rawValue: "m")))
        query.wallet = place
        query.promotion = place
        query.idempotency = IdempotencyKey(caller: "anna", key: "k", input: [1])
        let order = try #require(
            OrderID(randomBytes: [UInt8](repeating: 1, count: 10), at: Timestamp(milliseconds: 0)))
        let places = CustomerPlaces(.anna, limit: 10, count: 4)
        var found = CustomerPlaces.Found(customer: .anna, names: [.anna, .ben])
        found.periods[OriginalRow(book: 1, id: "1")] = DecidingPeriods(
            count: 4, keys: [GrantKey(rawValue: "period/1/2/3")], newest: [], isAll: true)
        let queries =
            SnapshotReading(query, bookIDs: [book: 1]).queries
            + places.queries + CustomerReading(found, limit: 10, isWhole: true).queries
            + OrderReading(order).queries
            + AuditReading(after: 0, GrantKey(rawValue: ""), limit: 10).queries
            + NotificationReading(after: 0, "", limit: 10).queries
            + StatementReading(.anna, after: nil, limit: 10).queries
            + SignalReading(.anna).queries + TaskReading(after: nil, limit: 10).queries
            + DeadLetterReading(Sale.app, limit: 10).queries
        #expect(queries.count >= 30)
        for query in queries {
            let rows = try connection.run([
                PostgresQuery("EXPLAIN " + query.sql, query.parameters)
            ])[0]
            var plan: [String] = []
            while rows.step() { plan.append(rows.text()) }
            let walks = plan.filter { line in
                line.contains("Seq Scan")
                    || (line.contains("  Filter:") && line.contains(" = ") && !line.contains("||"))
            }
            #expect(walks == [], "\(plan.joined(separator: "\n"))")
        }
    }

    @Test func `Lists and audits are read by keys, however the tables grow after it was planned`()
        throws
    {
        let schema = try PostgresSchema()
        var connection = try PostgresConnection(address: schema.address)
        try connection.bringUpToDate()
        try connection.execute(
            """
            SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
            BEGIN
            """)
        func plan(_ query: PostgresQuery) throws -> [String] {
            let rows = try connection.run([
                PostgresQuery("EXPLAIN " + query.sql, query.parameters)
            ])[0]
            var plan: [String] = []
            while rows.step() { plan.append(rows.text()) }
            return plan
        }
        /// Scans of a table or a whole index.
        func walks(_ plan: [String]) -> [String] {
            plan.indices.filter { place in
                let line = plan[place]
                if line.contains("Seq Scan") { return true }
                guard line.contains("Index Scan") || line.contains("Index Only Scan") else {
                    return false
                }
                // What nobody owns and what is owed are listed whole.
                guard !line.contains("transactions_unclaimed"), !line.contains("owed_orders_pkey")
                else { return false }
                return !plan[(place + 1)...].prefix { !$0.contains("->") }
                    .contains { $0.contains("Index Cond:") }
            }
            .map { plan[$0] }
        }
        // Whether others wait for the endpoint must not matter to an event.
        let event = CustomerEvent(
            id: "e", kind: .purchaseGranted, bundleID: Sale.app, environment: .production,
            customer: .anna, data: "{}", at: Sale.noon)
        let recording = try plan(FactWriting(bookIDs: [:]).recording(event, to: ["main"]))
        #expect(walks(recording) == [])
        #expect(recording.contains { $0.contains("webhook_deliveries_in_line") })
        #expect(!recording.contains { $0.contains("webhook_deliveries_due") })
        for query in SuspectReading(Sale.app, limit: 10).queries {
            let steps = try plan(query)
            #expect(walks(steps) == [], "\(steps.joined(separator: "\n"))")
        }
        _ = try connection.run([DerivedReading.plans])
        let lists = [DerivedList.orders, .unpaidOrders, .owedOrders, .holders]
        for list in lists {
            let steps = try plan(DerivedReading(list, after: nil).query)
            #expect(walks(steps) == [], "\(steps.joined(separator: "\n"))")
            #expect(!steps.contains { $0.contains("Sort") })
        }
        let wallets = [
            DerivedReading.endOfWallets(after: [.text("")]),
            DerivedReading.wallets([.text("a"), .text("b")]),
        ]
        for query in wallets {
            let steps = try plan(query)
            #expect(walks(steps) == [], "\(steps.joined(separator: "\n"))")
        }
    }

    @Test(arguments: ["", "plain", "\0", "\u{1}", "a\0\u{1}0\u{1}1\0", "\u{1}\u{1}", "漢\0字"])
    func `A text with characters that PostgreSQL has not comes back as it was`(text: String) {
        let stored = StoredText.stored(text)
        #expect(!stored.utf8.contains(0))
        #expect(StoredText.read(stored) == text)
    }
}

/// Counts across tasks.
private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
