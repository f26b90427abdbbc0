public import AppStoreModel
public import TillLedger

extension MemoryLedgerStore {
    /// Holds tasks that are due.
    public func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) async throws(LedgerError) -> [ClaimedTask] {
        try withFacts { facts throws(LedgerError) in facts.tasks.claim(claim, of: kinds) }
    }

    /// Ends a hold on a task.
    public func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) async throws(LedgerError) -> Bool {
        try withFacts { facts throws(LedgerError) in facts.tasks.settle(task, settlement) }
    }

    /// Reads tasks by key.
    public func tasks(
        _ filter: TaskFilter, after place: TaskKey?, limit: Int
    ) async throws(LedgerError) -> [TaskState] {
        try withFacts { facts throws(LedgerError) in
            facts.tasks.list(filter, after: place, limit: limit)
        }
    }

    /// Makes a task due that waits.
    public func hasten(
        _ key: TaskKey, to now: Timestamp
    ) async throws(LedgerError) -> TaskState? {
        try withFacts { facts throws(LedgerError) in facts.tasks.hasten(key, to: now) }
    }

    /// Holds deliveries that are due.
    public func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) async throws(LedgerError) -> [ClaimedDelivery] {
        try withFacts { facts throws(LedgerError) in facts.deliveries.claim(claim, to: endpoint) }
    }

    /// Ends a hold on a delivery.
    public func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) async throws(LedgerError) -> Bool {
        try withFacts { facts throws(LedgerError) in
            facts.deliveries.settle(delivery, settlement, change)
        }
    }

    /// Reads how an app's endpoints stand.
    public func endpoints(of app: BundleID) async throws(LedgerError) -> [EndpointState] {
        try withFacts { facts throws(LedgerError) in facts.deliveries.endpoints(of: app) }
    }

    /// Lets an endpoint be sent to again.
    public func enable(_ endpoint: WebhookPlace) async throws(LedgerError) {
        try withFacts { facts throws(LedgerError) in facts.deliveries.enable(endpoint) }
    }

    /// Reads what was put aside.
    public func deadLetters(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [DeadLetter] {
        try withFacts { facts throws(LedgerError) in
            facts.deliveries.deadLetters(of: app, limit: limit)
        }
    }

    /// Puts events in line again.
    public func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) async throws(LedgerError) -> Int {
        try withFacts { facts throws(LedgerError) in
            facts.deliveries.replay(replay, of: app, now: now)
        }
    }

    /// Removes old records.
    public func prune(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) async throws(LedgerError) -> Int {
        try withFacts { facts throws(LedgerError) in
            facts.prune(kind, before: time, limit: limit)
        }
    }
}
