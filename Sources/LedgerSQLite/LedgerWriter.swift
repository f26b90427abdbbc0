import SQLiteDriver
import Synchronization
import TillLedger

/// The one who writes: decisions wait in line, and those that wait together are committed together.
///
/// A decision is answered only after its commit is on the disk. One that fails, fails alone.
actor LedgerWriter {
    /// A decision in line.
    ///
    /// Exactly one of its closures is called, `fail` or what `run` gives.
    struct Job: Sendable {
        /// Reads, decides and appends within the open transaction; gives what answers the caller.
        let run: @Sendable (inout LedgerConnection) throws(LedgerError) -> @Sendable () -> Void
        /// Tells the caller what went wrong.
        let fail: @Sendable (LedgerError) -> Void
    }

    private struct Line {
        var jobs: [Job] = []
        var isBeingServed = false
        var isClosed = false
    }

    nonisolated private let executor = QueueExecutor(label: "till.ledger.writer")
    nonisolated private let line = Mutex(Line())
    nonisolated private let options: SQLiteLedgerStore.Options
    private var connection: LedgerConnection?

    /// Everything here runs on the writer's own queue.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(options: SQLiteLedgerStore.Options) { self.options = options }

    func open(_ path: String) throws(LedgerError) {
        connection = try LedgerConnection.writing(path, options: options)
    }

    /// Puts a job in line, or fails it at once when the line is too long or closed.
    nonisolated func submit(_ job: Job) {
        let refusal = line.withLock { line -> LedgerError? in
            guard !line.isClosed else { return LedgerError(.closed, "the ledger was closed") }
            guard line.jobs.count < options.longestLine else {
                return LedgerError(.overloaded, "more than \(options.longestLine) wait")
            }
            line.jobs.append(job)
            guard !line.isBeingServed else { return nil }
            line.isBeingServed = true
            Task.detached { await self.serve() }
            return nil
        }
        if let refusal { job.fail(refusal) }
    }

    /// Serves the line until nobody waits.
    private func serve() {
        while true {
            let batch = line.withLock { line in
                let batch = Array(line.jobs.prefix(options.largestBatch))
                line.jobs.removeFirst(batch.count)
                if batch.isEmpty { line.isBeingServed = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch)
        }
    }

    /// Lets the line run out, and gives the connection back.
    func close() {
        line.withLock { $0.isClosed = true }
        serve()
        if connection != nil { _ = try? connection?.database.checkpoint() }
        connection = nil
    }

    // MARK: Committing

    /// Commits a batch; when it cannot be committed as a whole, each job by itself.
    private func commit(_ batch: [Job]) {
        guard connection != nil else {
            for job in batch { job.fail(LedgerError(.closed, "the ledger was closed")) }
            return
        }
        do throws(LedgerError) {
            let answers = try run(batch)
            for answer in answers { answer() }
        } catch {
            guard batch.count > 1, error.code.mayBeOneJobs else {
                for job in batch { job.fail(error) }
                return
            }
            for job in batch { commit([job]) }
        }
    }

    /// Runs every job within one transaction; gives their answers after the commit.
    private func run(_ batch: [Job]) throws(LedgerError) -> [@Sendable () -> Void] {
        do throws(LedgerError) {
            try statement("BEGIN IMMEDIATE")
            var answers: [@Sendable () -> Void] = []
            for job in batch {
                do throws(LedgerError) {
                    if let answer = try connection?.run(job) { answers.append(answer) }
                } catch {
                    // A fault of the disk ends the transaction under everybody in it.
                    guard connection?.database.isInTransaction == true else { throw error }
                    answers.append { job.fail(error) }
                }
            }
            try statement("COMMIT")
            return answers
        } catch {
            if connection?.database.isInTransaction == true { try? statement("ROLLBACK") }
            connection?.forgetBooks()
            throw error
        }
    }

    private func statement(_ sql: String) throws(LedgerError) {
        try connection?.database.ledgerCall { database throws(SQLiteError) in
            try database.run(sql)
        }
    }

    /// Does something with the connection outside any job.
    func perform<Value: Sendable>(
        _ body: @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) throws(LedgerError) -> Value {
        guard let value = try connection?.inTransaction(body) else {
            throw LedgerError(.closed, "the ledger was closed")
        }
        return value
    }
}

extension LedgerError.Code {
    /// Whether one job may have brought the fault upon its batch, so that the others do better alone.
    fileprivate var mayBeOneJobs: Bool { self == .full || self == .unexpected }
}

extension LedgerConnection {
    /// How often a decision is made again when its keys are taken; within one writer it is a mistake.
    static let mostAttempts = 3

    fileprivate mutating func run(
        _ job: LedgerWriter.Job
    ) throws(LedgerError) -> @Sendable () -> Void {
        try job.run(&self)
    }

    /// Reads, decides and appends within the open transaction.
    mutating func decide<Answer>(
        _ query: FactQuery, _ decide: (FactSnapshot) -> Decision<Answer>
    ) throws(LedgerError) -> Answer {
        for _ in 0..<Self.mostAttempts {
            do {
                let decision = decide(try snapshot(query))
                guard !decision.facts.isEmpty else { return decision.answer }
                if try appendAll(decision.facts) { return decision.answer }
            } catch {
                throw LedgerError(error)
            }
        }
        throw LedgerError(.contended, "a key is taken whatever is decided")
    }

    /// Appends all within a savepoint; false, and nothing, when a key is taken.
    private mutating func appendAll(_ facts: [Fact]) throws(SQLiteError) -> Bool {
        try database.run("SAVEPOINT decision")
        do throws(SQLiteError) {
            for fact in facts { try append(fact) }
            try database.run("RELEASE decision")
            return true
        } catch {
            forgetBooks()
            if database.isInTransaction {
                try database.run("ROLLBACK TO decision")
                try database.run("RELEASE decision")
            }
            guard error.isDuplicateKey else { throw error }
            return false
        }
    }

    /// Writes in a transaction of its own.
    fileprivate mutating func inTransaction<Value>(
        _ body: (inout LedgerConnection) throws(SQLiteError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(SQLiteError) {
            try database.run("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                let value = try body(&self)
                try database.run("COMMIT")
                return value
            } catch {
                if database.isInTransaction { try? database.run("ROLLBACK") }
                forgetBooks()
                throw error
            }
        } catch {
            throw LedgerError(error)
        }
    }
}
