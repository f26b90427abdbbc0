import SQLiteDriver
import Synchronization
import TillLedger

/// One who reads, on a connection and a queue of its own; sees what was committed, waits for no writer.
///
/// Whatever waits when it is free is read as of one moment: SQLite forgets its pages as often as a new
/// moment begins after a commit.
actor LedgerReader {
    /// Something to be read.
    ///
    /// Exactly one of its closures answers: `run` by itself when it does not throw, else `fail`.
    struct Job: Sendable {
        let run: @Sendable (inout LedgerConnection) throws(SQLiteError) -> Void
        let fail: @Sendable (LedgerError) -> Void
    }

    private struct Line {
        var jobs: [Job] = []
        var isBeingServed = false
        var isClosed = false
    }

    nonisolated private let executor: QueueExecutor
    nonisolated private let line = Mutex(Line())
    private var connection: LedgerConnection?

    /// Everything here runs on the reader's own queue.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(number: Int) { executor = QueueExecutor(label: "till.ledger.reader.\(number)") }

    func open(_ path: String, options: SQLiteLedgerStore.Options) throws(LedgerError) {
        connection = try LedgerConnection.reading(path, options: options)
    }

    /// Puts a job in line, or fails it at once when the ledger was closed.
    nonisolated func submit(_ job: Job) {
        let isClosed = line.withLock { line in
            guard !line.isClosed else { return true }
            line.jobs.append(job)
            guard !line.isBeingServed else { return false }
            line.isBeingServed = true
            Task.detached { await self.serve() }
            return false
        }
        if isClosed { job.fail(.closed) }
    }

    /// Serves the line until nobody waits.
    private func serve() {
        while true {
            let jobs = line.withLock { line in
                let jobs = line.jobs
                line.jobs = []
                if jobs.isEmpty { line.isBeingServed = false }
                return jobs
            }
            guard !jobs.isEmpty else { return }
            guard connection != nil else {
                for job in jobs { job.fail(.closed) }
                continue
            }
            connection?.read(jobs)
        }
    }

    /// Copies the database; outside a transaction, as the copy is made in one of its own.
    func backUp(to path: String) throws(LedgerError) {
        guard connection != nil else { throw .closed }
        try connection?.database.ledgerCall { database throws(SQLiteError) in
            try database.execute("PRAGMA query_only = OFF")
            defer { try? database.execute("PRAGMA query_only = ON") }
            try database.backUp(to: path)
        }
    }

    /// Lets the line run out, and gives the connection back.
    func close() {
        line.withLock { $0.isClosed = true }
        serve()
        connection = nil
    }
}

extension LedgerConnection {
    /// Reads for everybody within one moment of the database; one that fails, fails alone.
    fileprivate mutating func read(_ jobs: [LedgerReader.Job]) {
        for job in jobs {
            do throws(SQLiteError) {
                // A fault of the disk ends the transaction under those who come after.
                if !database.isInTransaction {
                    try database.run("BEGIN")
                    moment = Moment()
                }
                try job.run(&self)
            } catch {
                job.fail(LedgerError(error))
            }
        }
        // There is nothing in it that could be lost.
        if database.isInTransaction { try? database.run("COMMIT") }
        if database.isInTransaction { try? database.run("ROLLBACK") }
    }
}
