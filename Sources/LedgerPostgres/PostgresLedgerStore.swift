public import AppStoreModel
import PostgresDriver
import Synchronization
public import TillLedger

/// A ledger in a PostgreSQL database that any number of servers share.
///
/// Uniqueness is the database's, never a process's. A decision reads and writes while it has locks on what
/// it touches, so none is made on facts that changed before it was recorded; decisions that wait together
/// are committed together. `docs/ledger-postgres.md` tells how it is set up and run.
public final class PostgresLedgerStore: LedgerStore {
    /// What may be tuned.
    public struct Options: Sendable, Hashable {
        /// How many decisions may wait for the writers; more fail as `overloaded`.
        public var longestLine = 10_000
        /// How many decisions are committed together at most.
        public var largestBatch = 64
        /// How many connections write.
        public var writers = 2
        /// How many connections read.
        public var readers = 2
        /// How many reads may be under way; more fail as `overloaded`.
        public var mostReads = 10_000
        /// How long connecting may take.
        public var connectTime: Duration = .seconds(5)
        /// How long a statement may take, and a transaction may wait for this process.
        public var statementTime: Duration = .seconds(10)
        /// How long a decision waits for what others have locked.
        public var lockTime: Duration = .seconds(3)
        /// How long a journey to the server and back may take.
        public var callTime: Duration = .seconds(30)

        /// The options that serve well.
        public init() {}
    }

    private let line: Line
    private let readers: [Lane]
    /// Where what is no decision is written: holds on work, upkeep, erasures.
    private let upkeep: Lane
    /// Where what may take long is read, so that nobody's read waits behind it.
    private let audits: Lane
    private let options: Options
    private let reads = Mutex((next: 0, underWay: 0))

    private init(line: Line, readers: [Lane], upkeep: Lane, audits: Lane, options: Options) {
        self.line = line
        self.readers = readers
        self.upkeep = upkeep
        self.audits = audits
        self.options = options
    }

    /// Opens a database and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - address: `postgres://user:password@host/database?…` or whatever else libpq takes.
    ///   - options: What may be tuned.
    /// - Returns: The open ledger.
    /// - Throws: `foreign`, `newer`, `damaged`, `cannotOpen`, `readOnly`, `unreachable`: the database
    ///   is as it was.
    public static func open(
        address: String, options: Options = Options()
    ) async throws(LedgerError) -> PostgresLedgerStore {
        let writers = (0..<max(1, options.writers)).map {
            Lane("writer.\($0)", address: address, options: options)
        }
        let readers = (0..<max(1, options.readers)).map {
            Lane("reader.\($0)", address: address, options: options)
        }
        try await writers[0].perform { session throws(LedgerError) in try session.open() }
        let line = Line(writers: writers, options: options)
        let upkeep = Lane("upkeep", address: address, options: options)
        let audits = Lane("audits", address: address, options: options)
        return PostgresLedgerStore(
            line: line, readers: readers, upkeep: upkeep, audits: audits, options: options)
    }

    /// Reads, decides and records in the writers' line; answers after the commit.
    public func transact<Answer: Sendable>(
        reading query: FactQuery,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, LedgerError>, Never>) in
            let job = Job(
                query,
                decide: { snapshot in
                    let decision = decide(snapshot)
                    return Job.Verdict(
                        facts: decision.facts,
                        answer: { continuation.resume(returning: .success(decision.answer)) })
                },
                fail: { continuation.resume(returning: .failure($0)) })
            line.submit(job)
        }
        return try result.get()
    }

    /// Reads facts as of one moment.
    public func facts(_ query: FactQuery) async throws(LedgerError) -> FactSnapshot {
        try await read { session throws(PostgresError) in try session.snapshot(query) }
    }

    /// Reads what is recorded about a customer.
    public func facts(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        try await read { session throws(PostgresError) in
            try session.customer(customer, limit: limit, isWhole: true)
        }
    }

    /// Reads a customer's purchases and wallet.
    public func holdings(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        try await read { session throws(PostgresError) in
            try session.customer(customer, limit: limit, isWhole: false)
        }
    }

    /// Reads a customer's wallet entries.
    public func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) async throws(LedgerError) -> [StatementEntry] {
        try await read { session throws(PostgresError) in
            let reading = StatementReading(customer, after: place, limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.entries(results)
            }
        }
    }

    /// Reads the orders that look as if somebody paid and got nothing.
    public func lostOrderSuspects(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [LostOrderSuspect] {
        try await audit { session throws(PostgresError) in
            let reading = SuspectReading(app, limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.suspects(results)
            }
        }
    }

    /// Reads an order.
    public func order(_ id: OrderID) async throws(LedgerError) -> OrderFacts? {
        try await read { session throws(PostgresError) in
            let reading = OrderReading(id)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.facts(results)
            }
        }
    }

    /// Reads purchases, in the order of their keys and books' numbers.
    public func purchases(
        after place: PurchasePlace?, limit: Int
    ) async throws(LedgerError) -> [PurchaseFacts] {
        try await audit { session throws(PostgresError) in
            var start: Int64 = 0
            if let place {
                guard let book = try session.bookID(place.book) else { return [] }
                start = book
            }
            let key = place?.key ?? GrantKey(rawValue: "")
            let reading = AuditReading(after: start, key, limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.facts(results)
            }
        }
    }

    /// Reads notifications, in the order of their books' numbers and names.
    public func notifications(
        after place: NotificationPlace?, limit: Int
    ) async throws(LedgerError) -> [BookedNotification] {
        try await audit { session throws(PostgresError) in
            var start: Int64 = 0
            if let place {
                guard let book = try session.bookID(place.book) else { return [] }
                start = book
            }
            let reading = NotificationReading(
                after: start, place?.id.rawValue ?? "", limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.notifications(results)
            }
        }
    }

    /// Compares balances, grants' holders and the lists of orders with the facts, a piece at a time.
    ///
    /// Only a piece in which something differs is put right, with the ledger to itself meanwhile.
    public func derivedDiscrepancies(
        repairing: Bool
    ) async throws(LedgerError) -> [Discrepancy] {
        var found: [Discrepancy] = []
        for list in DerivedList.allCases {
            var place: [PostgresValue]?
            repeat {
                let start = place
                var piece = try await audit { session throws(PostgresError) in
                    try session.piece(of: list, after: start)
                }
                if repairing, !piece.found.isEmpty {
                    piece.found = try await write { session throws(PostgresError) in
                        try session.repairPiece(of: list, after: start)
                    }
                }
                found += piece.found.prefix(RebuildReport.mostDiscrepancies - found.count)
                place = piece.end
            } while place != nil
        }
        return found
    }

    /// Reads a kept proof.
    public func proof(_ digest: ProofDigest) async throws(LedgerError) -> StoredProof? {
        try await read { session throws(PostgresError) in
            let query = PostgresQuery(
                "SELECT kind, bytes, received_at_ms FROM proofs WHERE digest = $1",
                [.bytes(digest.rawValue)])
            return try session.moment([query]) { results throws(PostgresError) in
                guard let rows = results.first, rows.step() else { return nil }
                return StoredProof(
                    digest: digest, kind: try rows.word("a proof's kind"), bytes: rows.bytes(),
                    receivedAt: rows.time())
            }
        }
    }

    /// Asks the server whether it takes what is written: a standby does not, nor one that was set so.
    ///
    /// It waits for no lock and no decision.
    public func checkWriting() async throws(LedgerError) {
        let isReadOnly = try await perform(on: nextReader()) { session throws(LedgerError) in
            let isReadOnly = try session.read { session throws(PostgresError) in
                let rows = try session.run([PostgresQuery("SHOW transaction_read_only")]).first
                return rows?.step() == true && rows?.text() == "on"
            }
            // Another server may be the one that writes by now.
            if isReadOnly { session.disconnect() }
            return isReadOnly
        }
        if isReadOnly { throw LedgerError(.readOnly, "the server takes no writing") }
    }

    /// Lets the line run out and closes the connections.
    public func close() async {
        await line.close()
        await upkeep.close()
        await audits.close()
        for reader in readers { await reader.close() }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout Session) throws(PostgresError) -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(on: nextReader()) { session throws(LedgerError) in
            try session.read(body)
        }
    }

    /// Reads what may take long.
    func audit<Value: Sendable>(
        _ body: @escaping @Sendable (inout Session) throws(PostgresError) -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(on: audits) { session throws(LedgerError) in try session.read(body) }
    }

    /// Writes in a transaction beside the decisions, all or nothing.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout Session) throws(PostgresError) -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(on: upkeep) { session throws(LedgerError) in try session.write(body) }
    }

    private func perform<Value: Sendable>(
        on lane: Lane,
        _ work: @escaping @Sendable (inout Session) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let isAdmitted = reads.withLock { reads in
            guard reads.underWay < options.mostReads else { return false }
            reads.underWay += 1
            return true
        }
        guard isAdmitted else {
            throw LedgerError(.overloaded, "more than \(options.mostReads) reads are under way")
        }
        defer { reads.withLock { $0.underWay -= 1 } }
        return try await lane.perform(work)
    }

    private func nextReader() -> Lane {
        reads.withLock { reads in
            reads.next = (reads.next + 1) % readers.count
            return readers[reads.next]
        }
    }
}

extension Session {
    /// Connects for the first time and brings the tables up to date.
    fileprivate mutating func open() throws(LedgerError) {
        var fault: LedgerError?
        do throws(PostgresError) {
            try withConnection { connection throws(PostgresError) in
                do throws(LedgerError) { try connection.bringUpToDate() } catch { fault = error }
            }
        } catch {
            throw LedgerError(opening: error)
        }
        if let fault { throw fault }
    }
}
