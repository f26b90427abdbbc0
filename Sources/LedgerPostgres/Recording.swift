import PostgresDriver
import TillLedger

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why nothing of a round was recorded, or perhaps all of it.
private struct Setback: Error {
    let error: PostgresError
    /// Whether the end of the transaction was sent already, so that nobody here knows how it went.
    var mayBeRecorded = false

    /// Whether one of several may have brought it upon all.
    var mayBeOneJobs: Bool {
        switch error.kind {
        case .connectionLost, .timedOut, .exhausted, .notAdmitted, .notPermitted, .readOnly: false
        case .canceled, .serialization, .duplicateKey, .badValue, .unknownName, .full,
            .inputOutput, .corrupt, .other:
            true
        }
    }

    /// Whether the same decision may come to something else when it is made again.
    var isContention: Bool { error.kind == .duplicateKey || error.kind == .serialization }
}

extension Session {
    /// How often a decision is made again when its keys are taken or it needed more locks.
    static let mostAttempts = 6

    /// Makes decisions and records them together, each answered when that is durable; those that
    /// cannot be recorded together are recorded one by one, so that a bad one fails alone.
    ///
    /// Returns why the server cannot be reached, when it cannot.
    mutating func record(_ batch: [Job]) -> LedgerError? {
        var waiting = batch
        var isFresh = false
        while !waiting.isEmpty {
            do throws(Setback) {
                let round = try recordOnce(waiting)
                for answer in round.answers { answer() }
                waiting = withoutHopeless(round.again)
            } catch {
                rollBack()
                if error.error.endsConnection, !error.mayBeRecorded, !isFresh {
                    // A connection that lay idle while the server was started anew is found out here.
                    isFresh = true
                } else if waiting.count > 1, error.mayBeOneJobs {
                    return recordEach(waiting)
                } else if waiting.count == 1, error.isContention {
                    waiting = withoutHopeless(waiting)
                    for job in waiting { Self.pause(after: job.attempts) }
                } else {
                    let fault = LedgerError(error.error)
                    for job in waiting { job.fail(fault) }
                    return error.error.endsConnection ? fault : nil
                }
            }
        }
        return nil
    }

    private mutating func recordEach(_ jobs: [Job]) -> LedgerError? {
        for (place, job) in jobs.enumerated() {
            guard let trouble = record([job]) else { continue }
            for other in jobs.dropFirst(place + 1) { other.fail(trouble) }
            return trouble
        }
        return nil
    }

    /// Counts an attempt, and tells those that had the last one.
    private func withoutHopeless(_ jobs: [Job]) -> [Job] {
        jobs.compactMap { job in
            var job = job
            job.attempts += 1
            guard job.attempts < Self.mostAttempts else {
                job.fail(LedgerError(.contended, "a key is taken whatever is decided"))
                return nil
            }
            return job
        }
    }

    /// Waits for a moment that nobody can foresee, so that two who meet do not meet again.
    static func pause(after attempts: Int) {
        usleep(UInt32.random(in: 100...(1_000 << UInt32(min(attempts, 6)))))
    }

    // MARK: One transaction

    private struct Round {
        /// What answers the callers, once all is durable.
        var answers: [@Sendable () -> Void] = []
        /// Those that turned out to need more locks or books than they had.
        var again: [Job] = []
    }

    /// Records what can be recorded in one transaction.
    ///
    /// All locks are taken first and in order. READ COMMITTED, so that each statement behind them sees what
    /// was committed by whoever had the locks before.
    private mutating func recordOnce(_ jobs: [Job]) throws(Setback) -> Round {
        var round = Round()
        var held = LockSet()
        for job in jobs { held.formUnion(job.locks) }
        var opening: [PostgresQuery] = []
        try step { session throws(PostgresError) in
            try session.enterBooks(jobs.flatMap(\.books))
            opening = [PostgresQuery("BEGIN")] + (try session.locks().taking(held))
        }
        var waiting = jobs
        while !waiting.isEmpty {
            let (wave, later) = Self.disjoint(waiting)
            waiting = later
            let decided = try decide(wave, opening)
            opening = []
            var writing: [PostgresQuery] = []
            for (job, verdict, needed) in decided {
                guard !verdict.facts.isEmpty else {
                    round.answers.append(verdict.answer)
                    continue
                }
                let books = Set(verdict.facts.compactMap(\.book))
                if needed.isCovered(by: job.locks), books.isSubset(of: job.books) {
                    try step { session throws(PostgresError) in
                        writing += try session.statements(verdict.facts)
                    }
                    round.answers.append(verdict.answer)
                    continue
                }
                var wiser = job
                wiser.locks.formUnion(needed)
                wiser.books.formUnion(books)
                let isHeld = needed.isCovered(by: held) || LockSpace.isWhole(held)
                if isHeld, books.isSubset(of: job.books), wiser.locks != job.locks {
                    waiting.append(wiser)
                } else {
                    round.again.append(wiser)
                }
            }
            try write(writing, isLast: waiting.isEmpty)
        }
        return round
    }

    private mutating func write(
        _ statements: [PostgresQuery], isLast: Bool
    ) throws(Setback) {
        let all = statements + (isLast ? [PostgresQuery("COMMIT")] : [])
        guard !all.isEmpty else { return }
        do throws(PostgresError) {
            _ = try run(all)
        } catch {
            throw Setback(error: error, mayBeRecorded: isLast && !statements.isEmpty)
        }
    }

    /// Reads what each asked for and lets each decide; gives with it what the decision touches.
    private mutating func decide(
        _ jobs: [Job], _ opening: [PostgresQuery]
    ) throws(Setback) -> [(Job, Job.Verdict, LockSet)] {
        let readings = jobs.map { SnapshotReading($0.query, bookIDs: bookIDs) }
        var snapshots: [FactSnapshot] = []
        try step { session throws(PostgresError) in
            let results = try session.run(opening + readings.flatMap(\.queries))
            var rest = results.dropFirst(opening.count)
            for reading in readings {
                snapshots.append(try reading.snapshot(rest.prefix(reading.queries.count)))
                rest = rest.dropFirst(reading.queries.count)
            }
            try session.nameStrangers(in: &snapshots, of: jobs)
        }
        return zip(jobs, snapshots).map { job, snapshot in
            let verdict = job.decide(snapshot)
            return (job, verdict, LockSet(snapshot, verdict.facts, for: job.query))
        }
    }

    /// Reads what is special about the names of others whom the facts bring up; seldom does one.
    private mutating func nameStrangers(
        in snapshots: inout [FactSnapshot], of jobs: [Job]
    ) throws(PostgresError) {
        let strangers = zip(jobs, snapshots).map { $1.strangers(to: $0.query) }
        let all = strangers.reduce(into: Set<CustomerID>()) { $0.formUnion($1) }
        guard !all.isEmpty else { return }
        let rows = try run([NameReading.query(all)])[0]
        let aliases = NameReading.byName(try NameReading.aliases(rows))
        for place in snapshots.indices {
            for stranger in strangers[place] {
                snapshots[place].names.follow(stranger, in: aliases)
            }
        }
    }

    private func statements(_ facts: [Fact]) throws(PostgresError) -> [PostgresQuery] {
        let writing = FactWriting(bookIDs: bookIDs)
        var statements: [PostgresQuery] = []
        for fact in facts { statements += try writing.statements(fact) }
        return statements + writing.listing(OwedOrders(facts))
    }

    /// Those that have nothing to do with one another, and those that must see first what came of these.
    private static func disjoint(_ jobs: [Job]) -> (wave: [Job], later: [Job]) {
        var taken = LockSet()
        var wave: [Job] = []
        var later: [Job] = []
        for job in jobs {
            if job.locks.isDisjoint(with: taken) { wave.append(job) } else { later.append(job) }
            taken.formUnion(job.locks)
        }
        return (wave, later)
    }

    private mutating func step(
        _ body: (inout Session) throws(PostgresError) -> Void
    ) throws(Setback) {
        do throws(PostgresError) {
            try body(&self)
        } catch {
            throw Setback(error: error)
        }
    }
}
