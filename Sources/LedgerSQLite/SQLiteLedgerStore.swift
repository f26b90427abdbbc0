public import AppStoreModel
import SQLiteDriver
import Synchronization
public import TillLedger

/// A ledger in an SQLite file: one writer with group commit, several readers, nothing to set up.
///
/// The file is in WAL mode with `synchronous = FULL`: what was answered is on the disk. Several processes
/// may share it; `docs/ledger-schema.md` tells how to read it with `sqlite3`.
public final class SQLiteLedgerStore: LedgerStore {
    /// What may be tuned.
    public struct Options: Sendable, Hashable {
        /// How many decisions may wait for the writer; more fail as `overloaded`.
        public var longestLine = 10_000
        /// How many decisions are committed together at most.
        public var largestBatch = 256
        /// How many connections read.
        public var readers = 2
        /// How many reads may be under way; more fail as `overloaded`.
        public var mostReads = 10_000
        /// How large the file may grow, in pages of 4 KiB; nil for as large as the disk allows.
        public var mostPages: Int64?
        /// How long a statement waits for other processes, in milliseconds.
        public var busyTimeout: Int32 = 5_000

        /// The options that serve well.
        public init() {}
    }

    let writer: LedgerWriter
    private let readers: [LedgerReader]
    private let options: Options
    private let reads = Mutex((next: 0, underWay: 0))

    private init(writer: LedgerWriter, readers: [LedgerReader], options: Options) {
        self.writer = writer
        self.readers = readers
        self.options = options
    }

    /// Opens a file, made if there is none, and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must be there and be writable, for the log beside it.
    ///   - options: What may be tuned.
    /// - Returns: The open ledger.
    /// - Throws: `damaged`, `foreign`, `newer`, `readOnly`, `cannotOpen`, `busy`: the file is as it was.
    public static func open(
        path: String, options: Options = Options()
    ) async throws(LedgerError) -> SQLiteLedgerStore {
        let writer = LedgerWriter(options: options)
        try await writer.open(path)
        var readers: [LedgerReader] = []
        for number in 0..<max(1, options.readers) {
            let reader = LedgerReader(number: number)
            try await reader.open(path, options: options)
            readers.append(reader)
        }
        return SQLiteLedgerStore(writer: writer, readers: readers, options: options)
    }

    /// Reads, decides and records in the writer's line; answers after the commit.
    public func transact<Answer: Sendable>(
        reading query: FactQuery,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, LedgerError>, Never>) in
            let job = LedgerWriter.Job(
                run: { connection throws(LedgerError) in
                    let answer = try connection.decide(query, decide)
                    return { continuation.resume(returning: .success(answer)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            writer.submit(job)
        }
        return try result.get()
    }

    /// Reads facts as of one moment.
    public func facts(_ query: FactQuery) async throws(LedgerError) -> FactSnapshot {
        try await read { connection throws(SQLiteError) in try connection.snapshot(query) }
    }

    /// Reads what is recorded about a customer.
    public func facts(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        try await read { connection throws(SQLiteError) in
            try connection.customer(customer, limit: limit)
        }
    }

    /// Reads a customer's wallet entries.
    public func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) async throws(LedgerError) -> [StatementEntry] {
        try await read { connection throws(SQLiteError) in
            try connection.statement(of: customer, after: place, limit: limit)
        }
    }

    /// Reads an order.
    public func order(_ id: OrderID) async throws(LedgerError) -> OrderFacts? {
        try await read { connection throws(SQLiteError) in try connection.order(id) }
    }

    /// Reads the orders that look as if somebody paid and got nothing.
    public func lostOrderSuspects(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [LostOrderSuspect] {
        try await read { connection throws(SQLiteError) in
            try connection.lostOrderSuspects(of: app, limit: limit)
        }
    }

    /// Reads purchases, in the order of their books' numbers and keys.
    public func purchases(
        after place: PurchasePlace?, limit: Int
    ) async throws(LedgerError) -> [PurchaseFacts] {
        try await read { connection throws(SQLiteError) in
            try connection.purchases(after: place, limit: limit)
        }
    }

    /// Compares balances and the list of unpaid orders with the facts.
    public func derivedDiscrepancies(
        repairing: Bool
    ) async throws(LedgerError) -> [Discrepancy] {
        guard repairing else {
            return try await read { connection throws(SQLiteError) in
                try connection.derivedDiscrepancies()
            }
        }
        return try await writer.perform { connection throws(SQLiteError) in
            let found = try connection.derivedDiscrepancies()
            if !found.isEmpty { try connection.deriveAnew() }
            return found
        }
    }

    /// Reads a kept proof.
    public func proof(_ digest: ProofDigest) async throws(LedgerError) -> StoredProof? {
        try await read { connection throws(SQLiteError) in try connection.proof(digest) }
    }

    /// Writes a consistent copy into a new file while the ledger goes on.
    public func backUp(to path: String) async throws(LedgerError) {
        let reader = nextReader()
        try await reader.backUp(to: path)
    }

    /// Lets the line run out, moves the log into the file and closes it.
    public func close() async {
        await writer.close()
        for reader in readers { await reader.close() }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
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
        return try await nextReader().read(body)
    }

    private func nextReader() -> LedgerReader {
        reads.withLock { reads in
            reads.next = (reads.next + 1) % readers.count
            return readers[reads.next]
        }
    }
}
