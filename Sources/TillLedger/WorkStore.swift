public import AppStoreModel

/// The store's side of work that outlives the process: tasks, events on their way, and what may be forgotten.
///
/// Any number of workers of any number of processes may share it: what one holds, no other gets, until the
/// hold runs out. A hold is told from a later one of the same work by its ``Lease``.
public protocol WorkStore: Sendable {
    // MARK: Tasks

    /// Holds tasks of these kinds that are due, the longest due first.
    func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) async throws(LedgerError) -> [ClaimedTask]

    /// Ends a hold; false, and nothing changed, when another has taken the task meanwhile.
    func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) async throws(LedgerError) -> Bool

    /// Reads the tasks that a filter lets through after a place, by key; at most `limit`.
    func tasks(
        _ filter: TaskFilter, after place: TaskKey?, limit: Int
    ) async throws(LedgerError) -> [TaskState]

    /// Makes a task due that waits; one that is held stays as it is. Gives how it stands then, nil for no task.
    func hasten(_ key: TaskKey, to now: Timestamp) async throws(LedgerError) -> TaskState?

    // MARK: Deliveries

    /// Holds deliveries to an endpoint that are due, the longest due first.
    ///
    /// An event is due only when none before it for the same customer waits for that endpoint. Nothing is due
    /// while the endpoint is paused or disabled.
    func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) async throws(LedgerError) -> [ClaimedDelivery]

    /// Ends a hold, and notes what it means for the endpoint; false, and nothing changed, when another has
    /// taken the delivery meanwhile.
    func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) async throws(LedgerError) -> Bool

    /// Reads how an app's endpoints stand: those of which anything is recorded, by name.
    func endpoints(of app: BundleID) async throws(LedgerError) -> [EndpointState]

    /// Lifts a pause, or lets an endpoint be sent to again that was disabled.
    func enable(_ endpoint: WebhookPlace) async throws(LedgerError)

    /// Reads what was put aside, the longest first, at most `limit`.
    func deadLetters(of app: BundleID, limit: Int) async throws(LedgerError) -> [DeadLetter]

    /// Puts events of an app in line again, their attempts counted anew; gives how many.
    ///
    /// What waits anyway stays as it is. Costs time in proportion to the number.
    func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) async throws(LedgerError) -> Int

    // MARK: Upkeep

    /// Removes records that are older than a moment, at most `limit`; gives how many.
    func prune(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) async throws(LedgerError) -> Int
}

extension WorkStore {
    /// Reads all tasks after a place, by key; at most `limit`.
    public func tasks(
        after place: TaskKey?, limit: Int
    ) async throws(LedgerError) -> [TaskState] {
        try await tasks(TaskFilter(), after: place, limit: limit)
    }
}

/// What may be forgotten after a while.
public enum PrunableRecord: Sendable, Hashable, CaseIterable {
    /// Answers kept under idempotency keys.
    case idempotentAnswers
    /// Refusals that customers were shown.
    case refusals
    /// Events, with their deliveries, that wait for no endpoint any more.
    case events
}
