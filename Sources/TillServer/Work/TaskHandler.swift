public import AppStoreModel
public import TillLedger

/// What a handler makes of a task.
public enum TaskOutcome: Sendable, Hashable {
    /// Done.
    case finished
    /// Done for now; to be done again at that moment. What recurs is made of this.
    case again(at: Timestamp)
    /// Done for now; to be done again at that moment, with that payload.
    case resume(at: Timestamp, payload: String)
    /// Not done; tried again after a pause that grows with each failure, up to six hours.
    case failed(String)
}

/// Does one kind of task.
///
/// A task is scheduled by a decision, with `Fact.task(ScheduledTask)` in the same commit as the facts that ask
/// for it, or by `Ledger.schedule(_:)`. There is one for each kind and subject, so scheduling again what
/// waits changes nothing. To do work of your own, name a kind, make a handler for it, and hand it to the
/// ``Worker``:
///
/// ```swift
/// let handler = TaskHandler(TaskKind("apple.reconcile")) { task, now in
///     let answer = try await client.status(of: task.key.subject)
///     try await ledger.record(answer, now: now)
///     return .again(at: now.advanced(byMilliseconds: 86_400_000))
/// }
/// ```
///
/// A handler runs at least once for each task and never twice at a time, as long as it ends within the worker's
/// lease (five minutes): a process can be killed in the middle, and another does the task again. So it must bear
/// being repeated, which it does when it records through the ledger. What takes longer does a part, and answers
/// `.again(at: now)`. It is cancelled when the server stops and it does not end by itself; the task is then
/// given back. Whatever it throws counts as a failure, told to operators with the error's own words.
public struct TaskHandler: Sendable {
    /// What it does.
    public let kind: TaskKind
    let run: @Sendable (ClaimedTask, Timestamp) async throws -> TaskOutcome

    /// Makes a handler; `run` gets the task and the worker's time.
    public init(
        _ kind: TaskKind,
        run: @escaping @Sendable (ClaimedTask, Timestamp) async throws -> TaskOutcome
    ) {
        self.kind = kind
        self.run = run
    }
}
