public import AppStoreModel
import SQLiteDriver
public import TillLedger

extension SQLiteLedgerStore {
    /// Holds tasks that are due; asks a reader first.
    public func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) async throws(LedgerError) -> [ClaimedTask] {
        let isDue = try await read { connection throws(SQLiteError) in
            try connection.hasDueTasks(kinds, at: claim.now)
        }
        guard isDue else { return [] }
        return try await write { connection throws(SQLiteError) in
            try connection.claimTasks(claim, of: kinds)
        }
    }

    /// Ends a hold on a task.
    public func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) async throws(LedgerError) -> Bool {
        try await write { connection throws(SQLiteError) in
            try connection.settle(task, settlement)
        }
    }

    /// Reads tasks by key.
    public func tasks(
        _ filter: TaskFilter, after place: TaskKey?, limit: Int
    ) async throws(LedgerError) -> [TaskState] {
        try await read { connection throws(SQLiteError) in
            try connection.tasks(filter, after: place, limit: limit)
        }
    }

    /// Makes a task due that waits.
    public func hasten(
        _ key: TaskKey, to now: Timestamp
    ) async throws(LedgerError) -> TaskState? {
        try await write { connection throws(SQLiteError) in
            try connection.hasten(key, to: now)
        }
    }

    /// Holds deliveries that are due; asks a reader first.
    public func claimDeliveries(
        _ claim: WorkClaim, to endpoint: WebhookPlace
    ) async throws(LedgerError) -> [ClaimedDelivery] {
        let isDue = try await read { connection throws(SQLiteError) in
            try connection.hasDueDeliveries(to: endpoint, at: claim.now)
        }
        guard isDue else { return [] }
        return try await write { connection throws(SQLiteError) in
            try connection.claimDeliveries(claim, to: endpoint)
        }
    }

    /// Ends a hold on a delivery.
    public func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) async throws(LedgerError) -> Bool {
        try await write { connection throws(SQLiteError) in
            try connection.settle(delivery, settlement, change)
        }
    }

    /// Reads how an app's endpoints stand.
    public func endpoints(of app: BundleID) async throws(LedgerError) -> [EndpointState] {
        try await audit { connection throws(SQLiteError) in try connection.endpoints(of: app) }
    }

    /// Lets an endpoint be sent to again.
    public func enable(_ endpoint: WebhookPlace) async throws(LedgerError) {
        try await write { connection throws(SQLiteError) in try connection.enable(endpoint) }
    }

    /// Reads what was put aside.
    public func deadLetters(
        of app: BundleID, limit: Int
    ) async throws(LedgerError) -> [DeadLetter] {
        try await read { connection throws(SQLiteError) in
            try connection.deadLetters(of: app, limit: limit)
        }
    }

    /// Puts events in line again.
    public func replay(
        _ replay: DeliveryReplay, of app: BundleID, now: Timestamp
    ) async throws(LedgerError) -> Int {
        try await write { connection throws(SQLiteError) in
            try connection.replay(replay, of: app, now: now)
        }
    }

    /// Removes old records.
    public func prune(
        _ kind: PrunableRecord, before time: Timestamp, limit: Int
    ) async throws(LedgerError) -> Int {
        let rows = try await audit { connection throws(SQLiteError) in
            try connection.oldRows(kind, before: time, limit: limit)
        }
        guard !rows.isEmpty else { return 0 }
        return try await write { connection throws(SQLiteError) in
            try connection.remove(rows, kind, before: time)
        }
    }

    /// Writes in the writer's line, all or nothing; answers after the commit.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) async throws(LedgerError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, LedgerError>, Never>) in
            let job = LedgerWriter.Job(
                run: { connection, _ throws(LedgerError) in
                    let value = try connection.atomically(body)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            writer.submit(job)
        }
        return try result.get()
    }
}

extension LedgerConnection {
    /// Writes within a savepoint of the open transaction: all or nothing.
    fileprivate mutating func atomically<Value>(
        _ body: (inout LedgerConnection) throws(SQLiteError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(SQLiteError) {
            try database.run("SAVEPOINT work")
            do throws(SQLiteError) {
                let value = try body(&self)
                try database.run("RELEASE work")
                return value
            } catch {
                if database.isInTransaction {
                    try database.run("ROLLBACK TO work")
                    try database.run("RELEASE work")
                }
                throw error
            }
        } catch {
            throw LedgerError(error)
        }
    }
}
