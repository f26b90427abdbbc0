import Dispatch
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
        /// Whether it comes between two batches, and begins its own transaction if it wants one.
        var isAlone = false
        /// Reads, decides and appends within the open transaction, in a savepoint of its own or not; gives
        /// what answers the caller.
        let run:
            @Sendable (inout LedgerConnection, _ guards: Bool) throws(LedgerError)
                -> @Sendable () -> Void
        /// Tells the caller what went wrong.
        let fail: @Sendable (LedgerError) -> Void
    }

    private struct Line {
        var jobs: [Job] = []
        /// How many are waited for before the next batch is taken.
        var awaited: Int?
        var isBeingServed = false
        var isClosed = false

        /// Takes out those who come next together: at most so many, and whoever must be alone by itself.
        mutating func nextBatch(_ most: Int) -> [Job] {
            let waiting = jobs.prefix(most)
            let count = waiting.firstIndex(where: \.isAlone).map { max(1, $0) } ?? waiting.count
            defer { jobs.removeFirst(count) }
            return Array(waiting.prefix(count))
        }
    }

    /// As many share a commit's cost well enough; for more nobody is kept waiting.
    private static let largestGathering = 16

    nonisolated private let executor = QueueExecutor(label: "till.ledger.writer")
    nonisolated private let line = Mutex(Line())
    nonisolated private let gathered = DispatchSemaphore(value: 0)
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
        var isEnough = false
        let refusal = line.withLock { line -> LedgerError? in
            guard !line.isClosed else { return LedgerError.closed }
            guard line.jobs.count < options.longestLine else {
                return LedgerError(.overloaded, "more than \(options.longestLine) wait")
            }
            line.jobs.append(job)
            if let awaited = line.awaited, line.jobs.count >= awaited {
                line.awaited = nil
                isEnough = true
            }
            guard !line.isBeingServed else { return nil }
            line.isBeingServed = true
            Task.detached { await self.serve() }
            return nil
        }
        if isEnough { gathered.signal() }
        if let refusal { job.fail(refusal) }
    }

    /// Waits a little until nearly as many are in line as were in the last batch, since a commit costs the
    /// same for one as for many; one who comes alone is not kept waiting.
    ///
    /// Not for as many: if everybody waited for everybody, nobody would verify and answer meanwhile.
    private func gather(after last: Int) {
        guard last > 1, options.gathering > 0 else { return }
        let wanted = min(Self.largestGathering, last * 3 / 4)
        let waits = line.withLock { line in
            guard line.jobs.count < wanted, !line.isClosed else { return false }
            line.awaited = wanted
            return true
        }
        guard waits else { return }
        let time = DispatchTime.now() + .microseconds(options.gathering)
        guard gathered.wait(timeout: time) == .timedOut else { return }
        let isLate = line.withLock { line in
            defer { line.awaited = nil }
            return line.awaited == nil
        }
        // The signal came after the time was up: it must not end the next wait.
        if isLate { gathered.wait() }
    }

    /// Serves the line until nobody waits.
    private func serve() {
        while true {
            let batch = line.withLock { line in
                let batch = line.nextBatch(options.largestBatch)
                if batch.isEmpty { line.isBeingServed = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch)
            gather(after: batch.count)
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
            for job in batch { job.fail(LedgerError.closed) }
            return
        }
        if let job = batch.first, job.isAlone { return runAlone(job) }
        do throws(LedgerError) {
            let answers = try run(batch)
            for answer in answers { answer() }
        } catch {
            // A check believes in the disk again only when something reached it.
            connection?.provenAt = nil
            guard batch.count > 1, error.code.mayBeOneJobs else {
                for job in batch { job.fail(error) }
                return
            }
            for job in batch { commit([job]) }
        }
    }

    /// Runs every job within one transaction; gives their answers after the commit.
    ///
    /// A savepoint for each costs a copy of every page that it touches, and hardly ever is one needed. So
    /// the batch goes without at first; when a job fails, everything is undone and done again with them.
    private func run(_ batch: [Job]) throws(LedgerError) -> [@Sendable () -> Void] {
        if let answers = try run(batch, guards: false) { return answers }
        return try run(batch, guards: true) ?? []
    }

    /// Nil, with nothing done, when a job failed that had no savepoint.
    private func run(
        _ batch: [Job], guards: Bool
    ) throws(LedgerError) -> [@Sendable () -> Void]? {
        do throws(LedgerError) {
            try connection?.beginWriting()
            var answers: [@Sendable () -> Void] = []
            answers.reserveCapacity(batch.count)
            for job in batch {
                do throws(LedgerError) {
                    if let answer = try connection?.run(job, guards: guards) {
                        answers.append(answer)
                    }
                } catch {
                    guard guards else {
                        undo()
                        return nil
                    }
                    // A fault of the disk ends the transaction under everybody in it.
                    guard connection?.database.isInTransaction == true else { throw error }
                    answers.append { job.fail(error) }
                }
            }
            try statement("COMMIT")
            return answers
        } catch {
            undo()
            throw error
        }
    }

    private func undo() {
        if connection?.database.isInTransaction == true { try? statement("ROLLBACK") }
        connection?.forgetUndone()
    }

    private func statement(_ sql: String) throws(LedgerError) {
        try connection?.database.ledgerCall { database throws(SQLiteError) in
            try database.run(sql)
        }
    }

    // MARK: Alone

    /// Runs a job between two batches.
    private func runAlone(_ job: Job) {
        do throws(LedgerError) {
            try connection?.run(job, guards: true)()
        } catch {
            undo()
            job.fail(error)
        }
    }

    /// Does something in its turn: everybody before it is done, and nobody is with it.
    nonisolated func alone<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, LedgerError>, Never>) in
            let job = Job(
                isAlone: true,
                run: { connection, _ throws(LedgerError) in
                    let value = try body(&connection)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            submit(job)
        }
        return try result.get()
    }

    /// Writes in a transaction of its own, in its turn.
    nonisolated func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) async throws(LedgerError) -> Value {
        try await alone { connection throws(LedgerError) in try connection.inTransaction(body) }
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
        _ job: LedgerWriter.Job, guards: Bool
    ) throws(LedgerError) -> @Sendable () -> Void {
        try job.run(&self, guards)
    }

    /// Reads, decides and appends within the open transaction.
    ///
    /// - Parameters:
    ///   - query: What is read.
    ///   - guards: Whether what was appended is undone when it throws, and all is tried again when a key is
    ///     taken; else that is the caller's to do.
    ///   - decide: What is appended and answered.
    /// - Returns: The answer, and what the decision knows of what is recorded now.
    /// - Throws: `contended` when keys are taken whatever is decided, and the database's faults.
    mutating func decide<Answer>(
        _ query: FactQuery, guards: Bool, _ decide: (FactSnapshot) -> Decision<Answer>
    ) throws(LedgerError) -> (answer: Answer, outcome: FactSnapshot?) {
        for _ in 0..<Self.mostAttempts {
            do {
                let decision = decide(try snapshot(query))
                guard guards, !decision.facts.isEmpty else {
                    try append(decision.facts)
                    return (decision.answer, decision.outcome)
                }
                if try appendAll(decision.facts) { return (decision.answer, decision.outcome) }
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
            try append(facts)
            try database.run("RELEASE decision")
            return true
        } catch {
            forgetUndone()
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
        try beginWriting()
        do throws(SQLiteError) {
            let value = try body(&self)
            try database.run("COMMIT")
            return value
        } catch {
            if database.isInTransaction { try? database.run("ROLLBACK") }
            forgetUndone()
            throw LedgerError(error)
        }
    }
}
