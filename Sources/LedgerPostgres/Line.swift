import Synchronization
import TillLedger

/// A decision that waits to be made and recorded.
///
/// Exactly one of its closures is called: `fail`, or the answer of the verdict that was recorded.
struct Job: Sendable {
    /// What a decision comes to.
    struct Verdict: Sendable {
        let facts: [Fact]
        /// Tells the caller.
        let answer: @Sendable () -> Void
    }

    let query: FactQuery
    let decide: @Sendable (FactSnapshot) -> Verdict
    let fail: @Sendable (LedgerError) -> Void
    /// What it must have for itself, as far as it is known by now.
    var locks: LockSet
    /// The books that it reads or writes, as far as they are known by now.
    var books: Set<Book>
    /// How often it was decided in vain.
    var attempts = 0

    init(
        _ query: FactQuery, decide: @escaping @Sendable (FactSnapshot) -> Verdict,
        fail: @escaping @Sendable (LedgerError) -> Void
    ) {
        self.query = query
        self.decide = decide
        self.fail = fail
        locks = LockSet(query)
        books = Set(query.books.keys)
        for place in [query.wallet, query.promotion] {
            if let place { books.insert(place.book) }
        }
    }
}

/// Where decisions wait for the writers: first come, first served, and what waits together is recorded
/// together.
final class Line: Sendable {
    private struct State {
        var jobs: [Job] = []
        var idle: [Lane]
        var isClosed = false
    }

    private let writers: [Lane]
    private let options: PostgresLedgerStore.Options
    private let state: Mutex<State>

    init(writers: [Lane], options: PostgresLedgerStore.Options) {
        self.writers = writers
        self.options = options
        state = Mutex(State(idle: writers))
    }

    /// Puts a job in line, or fails it at once when the line is too long or closed.
    func submit(_ job: Job) {
        let (refusal, writer) = state.withLock { state -> (LedgerError?, Lane?) in
            guard !state.isClosed else {
                return (LedgerError(.closed, "the ledger was closed"), nil)
            }
            guard state.jobs.count < options.longestLine else {
                return (LedgerError(.overloaded, "more than \(options.longestLine) wait"), nil)
            }
            state.jobs.append(job)
            return (nil, state.idle.popLast())
        }
        if let refusal { job.fail(refusal) }
        if let writer { serve(by: writer) }
    }

    /// Lets a writer serve until nobody waits.
    private func serve(by writer: Lane) {
        writer.submit { session in
            while let batch = self.next(for: writer) {
                guard let trouble = session.record(batch) else { continue }
                // Without a server nobody in line can be served; each would wait for the same in vain.
                for job in self.everybody() { job.fail(trouble) }
            }
        }
    }

    private func next(for writer: Lane) -> [Job]? {
        state.withLock { state in
            let batch = Array(state.jobs.prefix(options.largestBatch))
            state.jobs.removeFirst(batch.count)
            if batch.isEmpty { state.idle.append(writer) }
            return batch.isEmpty ? nil : batch
        }
    }

    private func everybody() -> [Job] {
        state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Lets the line run out, and gives the connections back.
    func close() async {
        state.withLock { $0.isClosed = true }
        for writer in writers { await writer.close() }
    }
}
