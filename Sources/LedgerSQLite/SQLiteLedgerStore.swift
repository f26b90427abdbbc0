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
        /// How long the next batch waits to become nearly as large as the last, in microseconds; whoever
        /// comes alone is not kept waiting.
        public var gathering = 2_000
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
    /// Reads what may take long, so that nobody's read waits behind it.
    private let auditor: LedgerReader
    private let options: Options
    private let reads = Mutex((next: 0, underWay: 0))

    private init(
        writer: LedgerWriter, readers: [LedgerReader], auditor: LedgerReader, options: Options
    ) {
        self.writer = writer
        self.readers = readers
        self.auditor = auditor
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
        let auditor = LedgerReader(number: readers.count)
        try await auditor.open(path, options: options)
        return SQLiteLedgerStore(
            writer: writer, readers: readers, auditor: auditor, options: options)
    }

    /// Reads, decides and records in the writer's line; answers after the commit.
    public func transact<Answer: Sendable>(
        reading query: FactQuery,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, LedgerError>, Never>) in
            let job = LedgerWriter.Job(
                run: { connection, guards throws(LedgerError) in
                    let answer = try connection.decide(query, guards: guards, decide).answer
                    return { continuation.resume(returning: .success(answer)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            writer.submit(job)
        }
        return try result.get()
    }

    /// Up to so many purchases of a customer are read by the one who just wrote there, whose pages are at
    /// hand; a longer history would keep everybody else waiting.
    private static let shortHistory = 8

    /// Reads, decides and records in the writer's line, and tells what the customer has after the commit.
    public func transact<Answer: Sendable>(
        reading query: FactQuery, thenHoldingsOf customer: CustomerID, limit: Int,
        _ decide: @escaping @Sendable (FactSnapshot) -> Decision<Answer>
    ) async throws(LedgerError) -> (answer: Answer, holdings: CustomerFacts) {
        let reader = nextReader()
        typealias Outcome = Result<(answer: Answer, holdings: CustomerFacts), LedgerError>
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Outcome, Never>) in
            let fail: @Sendable (LedgerError) -> Void = {
                continuation.resume(returning: .failure($0))
            }
            let job = LedgerWriter.Job(
                run: { connection, guards throws(LedgerError) in
                    let (answer, outcome) = try connection.decide(
                        query, guards: guards, decide)
                    // What cannot be read here a reader may, once all is recorded.
                    let short = try? connection.holdings(
                        of: customer, limit: limit, within: Self.shortHistory, knowing: outcome)
                    if let short {
                        return { continuation.resume(returning: .success((answer, short))) }
                    }
                    let reading = LedgerReader.Job(
                        run: { connection throws(SQLiteError) in
                            let holdings = try connection.holdings(of: customer, limit: limit)
                            continuation.resume(returning: .success((answer, holdings)))
                        }, fail: fail)
                    return { reader.submit(reading) }
                }, fail: fail)
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

    /// Reads a customer's purchases and wallet.
    public func holdings(
        of customer: CustomerID, limit: Int
    ) async throws(LedgerError) -> CustomerFacts {
        try await read { connection throws(SQLiteError) in
            try connection.holdings(of: customer, limit: limit)
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
        try await audit { connection throws(SQLiteError) in
            try connection.lostOrderSuspects(of: app, limit: limit)
        }
    }

    /// Reads purchases, in the order of their books' numbers and keys.
    public func purchases(
        after place: PurchasePlace?, limit: Int
    ) async throws(LedgerError) -> [PurchaseFacts] {
        try await audit { connection throws(SQLiteError) in
            try connection.purchases(after: place, limit: limit)
        }
    }

    /// Reads notifications, in the order of their books' numbers and names.
    public func notifications(
        after place: NotificationPlace?, limit: Int
    ) async throws(LedgerError) -> [BookedNotification] {
        try await audit { connection throws(SQLiteError) in
            try connection.notifications(after: place, limit: limit)
        }
    }

    /// Compares balances, grants' holders and the lists of orders with the facts, a piece at a time.
    ///
    /// Only a piece in which something differs is put right, by the writer and in its line.
    public func derivedDiscrepancies(
        repairing: Bool
    ) async throws(LedgerError) -> [Discrepancy] {
        var found: [Discrepancy] = []
        for list in DerivedList.allCases {
            var place: RowKey?
            repeat {
                let start = place
                var piece = try await audit { connection throws(SQLiteError) in
                    try connection.compare(list, after: start, repairing: false)
                }
                if repairing, !piece.found.isEmpty {
                    piece.found = try await write { connection throws(SQLiteError) in
                        try connection.compare(list, after: start, repairing: true).found
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
        try await read { connection throws(SQLiteError) in try connection.proof(digest) }
    }

    /// Looks whether the file is still there, and writes in turn what is undone at once; now and then, and
    /// after a fault of the disk, something goes to the disk and is removed again.
    public func checkWriting() async throws(LedgerError) { try await writer.checkWriting() }

    /// Writes a consistent copy into a new file while the ledger goes on.
    public func backUp(to path: String) async throws(LedgerError) {
        try await auditor.backUp(to: path)
    }

    /// Lets the line run out, moves the log into the file and closes it.
    public func close() async {
        await writer.close()
        for reader in readers + [auditor] { await reader.close() }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) async throws(LedgerError) -> Value {
        try await read(through: nextReader(), body)
    }

    /// Reads what may take long.
    func audit<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) async throws(LedgerError) -> Value {
        try await read(through: auditor, body)
    }

    private func read<Value: Sendable>(
        through reader: LedgerReader,
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
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, LedgerError>, Never>) in
            let job = LedgerReader.Job(
                run: { connection throws(SQLiteError) in
                    let value = try body(&connection)
                    continuation.resume(returning: .success(value))
                },
                fail: { continuation.resume(returning: .failure($0)) })
            reader.submit(job)
        }
        return try result.get()
    }

    private func nextReader() -> LedgerReader {
        reads.withLock { reads in
            reads.next = (reads.next + 1) % readers.count
            return readers[reads.next]
        }
    }
}
