public import AppStoreModel
import PostgresDriver
public import TillLedger

extension PostgresLedgerStore {
    /// Holds tasks that are due.
    public func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) async throws(LedgerError) -> [ClaimedTask] {
        try await write { session throws(PostgresError) in
            try session.claimTasks(claim, of: kinds)
        }
    }

    /// Ends a hold on a task.
    public func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) async throws(LedgerError) -> Bool {
        try await write { session throws(PostgresError) in try session.settle(task, settlement) }
    }

    /// Reads tasks by key.
    public func tasks(
        _ filter: TaskFilter, after place: TaskKey?, limit: Int
    ) async throws(LedgerError) -> [TaskState] {
        try await read { session throws(PostgresError) in
            let reading = TaskReading(filter, after: place, limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                TaskReading.tasks(results)
            }
        }
    }

    /// Makes a task due that waits.
    public func hasten(
        _ key: TaskKey, to now: Timestamp
    ) async throws(LedgerError) -> TaskState? {
        try await write { session throws(PostgresError) in try session.hasten(key, to: now) }
    }

    /// Holds deliveries that are due.
    public func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) async throws(LedgerError) -> [ClaimedDelivery] {
        try await write { session throws(PostgresError) in
            try session.claimDeliveries(claim, to: endpoint)
        }
    }

    /// Ends a hold on a delivery.
    public func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) async throws(LedgerError) -> Bool {
        try await write { session throws(PostgresError) in
            try session.settle(delivery, settlement, change)
        }
    }

    /// Reads how an app's endpoints stand.
    public func endpoints(of app: BundleID) async throws(LedgerError) -> [EndpointState] {
        try await audit { session throws(PostgresError) in
            let reading = EndpointReading(app)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                reading.states(results)
            }
        }
    }

    /// Lets an endpoint be sent to again.
    public func enable(_ endpoint: WebhookPlace) async throws(LedgerError) {
        try await write { session throws(PostgresError) in try session.enable(endpoint) }
    }

    /// Reads what was put aside.
    public func deadLetters(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [DeadLetter] {
        try await read { session throws(PostgresError) in
            let reading = DeadLetterReading(app, limit: limit)
            return try session.moment(reading.queries) { results throws(PostgresError) in
                try reading.letters(results)
            }
        }
    }

    /// Puts events in line again.
    public func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) async throws(LedgerError) -> Int {
        try await write { session throws(PostgresError) in
            try session.replay(replay, of: app, now: now)
        }
    }

    /// Removes old records.
    public func prune(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) async throws(LedgerError) -> Int {
        try await write { session throws(PostgresError) in
            try session.prune(kind, before: time, limit: limit)
        }
    }
}
