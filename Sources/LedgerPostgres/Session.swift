import AppStoreModel
import PostgresDriver
import TillLedger

/// A connection to a ledger's database that is made when it is needed, and again when it was lost.
struct Session: ~Copyable {
    /// How long a server that was not to be reached is left alone.
    private static let pause: Duration = .milliseconds(200)

    private let address: String
    private let options: PostgresLedgerStore.Options
    private var connection: PostgresConnection?
    private var refusal: (error: PostgresError, until: ContinuousClock.Instant)?
    private var lockSpace = LockSpace(schema: 0)
    /// The numbers of books, which never change.
    private(set) var bookIDs: [Book: Int64] = [:]
    var isClosed = false

    init(address: String, options: PostgresLedgerStore.Options) {
        self.address = address
        self.options = options
    }

    /// Sends statements one behind the other, and gives what each gave.
    mutating func run(_ queries: [PostgresQuery]) throws(PostgresError) -> [PostgresRows] {
        let settings = settings
        return try withConnection { connection throws(PostgresError) in
            guard !connection.preparesStatements else { return try connection.run(queries) }
            // Behind a pooler each transaction may be on another connection, so each is set up by itself.
            var sent: [PostgresQuery] = []
            var added: Set<Int> = []
            for query in queries {
                sent.append(query)
                guard query.sql.hasPrefix("BEGIN") else { continue }
                added.insert(sent.count)
                sent.append(settings)
            }
            return try connection.run(sent).enumerated().filter { !added.contains($0.offset) }
                .map(\.element)
        }
    }

    /// Lends the connection; one that was lost on the way is let go.
    mutating func withConnection<Value>(
        _ body: (inout PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        var lent = try taken()
        do throws(PostgresError) {
            let value = try body(&lent)
            connection = consume lent
            return value
        } catch {
            // A server that only reads may have been the one that writes: the next may be elsewhere.
            if !lent.isBroken, error.kind != .readOnly { connection = consume lent }
            throw error
        }
    }

    /// The names of the ledger's locks.
    mutating func locks() throws(PostgresError) -> LockSpace {
        // They hang on the schema, which the server alone can tell.
        if connection == nil { connection = try taken() }
        return lockSpace
    }

    /// Gives the connection up, and with it whatever is under way on it.
    mutating func disconnect() { connection = nil }

    /// Ends a transaction that failed.
    mutating func rollBack() {
        guard connection != nil else { return }
        let isOver: ()? = try? withConnection { connection throws(PostgresError) in
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
        }
        if isOver == nil { disconnect() }
    }

    private mutating func taken() throws(PostgresError) -> PostgresConnection {
        if let known = connection.take() { return known }
        if let refusal, refusal.until > ContinuousClock.now { throw refusal.error }
        do throws(PostgresError) {
            let made = try connected()
            refusal = nil
            return made
        } catch {
            refusal = (error, ContinuousClock.now.advanced(by: Self.pause))
            throw error
        }
    }

    private mutating func connected() throws(PostgresError) -> PostgresConnection {
        var driver = PostgresConnection.Options()
        driver.connectTime = options.connectTime
        driver.callTime = options.callTime
        var made = try PostgresConnection(address: address, options: driver)
        // Nothing is prepared or set before it is known who answers.
        made.preparesStatements = false
        let known = try made.run(
            """
            SELECT coalesce(current_schema()::regnamespace::oid::bigint, 0), pg_backend_pid()::bigint
            """)
        if known.step() {
            lockSpace = LockSpace(schema: known.int64())
            // A pooler answers under a number of its own, and what is set on one connection is lost or another's.
            made.preparesStatements = known.int64() == made.backendID
        }
        if made.preparesStatements {
            try made.execute(
                settingValues.map { "SET \($0) = \($1)" }.joined(separator: ";") + ";"
                    + """
                    SELECT set_config('synchronous_commit', 'on', false)
                        WHERE current_setting('synchronous_commit') = 'off';
                    """)
        }
        return made
    }

    // MARK: Settings

    /// What is set on each connection: its time limits, and that every read goes by a key, so a plan made for an
    /// empty table must still be good for a full one.
    private var settingValues: [(String, String)] {
        let milliseconds = { (time: Duration) -> String in
            let (seconds, attoseconds) = time.components
            return String(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        }
        return [
            ("statement_timeout", milliseconds(options.statementTime)),
            ("lock_timeout", milliseconds(options.lockTime)),
            ("idle_in_transaction_session_timeout", milliseconds(options.statementTime)),
            ("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off"),
            ("plan_cache_mode", "force_generic_plan"), ("jit", "off"),
        ]
    }

    /// The same for one transaction alone.
    private var settings: PostgresQuery {
        let each = settingValues.map { "set_config('\($0)', '\($1)', true)" }
        return PostgresQuery(
            """
            SELECT \(each.joined(separator: ", ")), CASE current_setting('synchronous_commit')
                WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
            """)
    }

    // MARK: Books

    /// Reads what a query names, as of one moment.
    mutating func snapshot(_ query: FactQuery) throws(PostgresError) -> FactSnapshot {
        var opening = [Self.begin]
        var strangers = query.books.keys.filter { bookIDs[$0] == nil }
        for place in [query.wallet, query.promotion] {
            if let place, bookIDs[place.book] == nil { strangers.append(place.book) }
        }
        if !strangers.isEmpty {
            // Asked within the same moment: a book that is entered later has nothing in it yet.
            let results = try run(opening + strangers.map(Self.lookUp))
            for (book, rows) in zip(strangers, results.dropFirst()) where rows.step() {
                bookIDs[book] = rows.int64()
            }
            opening = []
        }
        let reading = SnapshotReading(query, bookIDs: bookIDs)
        let results = try run(opening + reading.queries)
        var snapshot = try reading.snapshot(results.dropFirst(opening.count))
        let unknown = snapshot.strangers(to: query)
        var closing = [PostgresQuery("COMMIT")]
        if !unknown.isEmpty { closing.insert(NameReading.query(unknown), at: 0) }
        let names = try run(closing).dropLast()
        if let rows = names.first {
            let aliases = NameReading.byName(try NameReading.aliases(rows))
            for stranger in unknown { snapshot.names.follow(stranger, in: aliases) }
        }
        return snapshot
    }

    /// The number of a book; nil when nothing was ever recorded in it.
    mutating func bookID(_ book: Book) throws(PostgresError) -> Int64? {
        if let known = bookIDs[book] { return known }
        let rows = try run([Self.lookUp(book)])[0]
        if rows.step() { bookIDs[book] = rows.int64() }
        return bookIDs[book]
    }

    /// Begins to read one moment of the database.
    static let begin = PostgresQuery("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    /// Enters books that are not entered yet, at once and for everybody; one without entries harms nobody.
    mutating func enterBooks(_ books: some Sequence<Book>) throws(PostgresError) {
        for book in books where bookIDs[book] == nil {
            let entry = PostgresQuery(
                """
                INSERT INTO books (bundle_id, environment, anchor) VALUES ($1, $2, $3)
                ON CONFLICT DO NOTHING
                """, Self.words(book))
            let known = try run([Self.lookUp(book)])[0]
            let rows = known.count > 0 ? known : try run([entry, Self.lookUp(book)])[1]
            if rows.step() { bookIDs[book] = rows.int64() }
        }
    }

    private static func lookUp(_ book: Book) -> PostgresQuery {
        PostgresQuery(
            "SELECT book_id FROM books WHERE bundle_id = $1 AND environment = $2 AND anchor = $3",
            words(book))
    }

    private static func words(_ book: Book) -> [PostgresValue] {
        [
            .word(book.bundleID.rawValue), .word(book.environment.rawValue),
            .word(book.anchor ?? ""),
        ]
    }
}
