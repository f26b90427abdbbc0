import AppStoreModel
import TillLedger

/// Tasks in memory; `due` is when one is due, or when its hold runs out.
struct MemoryTasks: Sendable {
    private struct Row: Sendable {
        var due: Timestamp
        let payload: String
        var attempts = 0
        var owner: String?
        var generation: Int64 = 0
        var lastError: String?
    }

    private var rows: [TaskKey: Row] = [:]

    /// Schedules a task; one that waits stays as it is, and one that is held runs once more.
    mutating func include(_ task: ScheduledTask) {
        guard let row = rows[task.key] else {
            rows[task.key] = Row(due: task.due, payload: task.payload)
            return
        }
        if row.owner != nil { rows[task.key]?.generation += 1 }
    }

    mutating func claim(_ claim: WorkClaim, of kinds: [TaskKind]) -> [ClaimedTask] {
        let due = rows.filter { kinds.contains($0.key.kind) && $0.value.due <= claim.now }
            .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        return due.prefix(claim.limit).map { key, row in
            rows[key]?.owner = claim.owner
            rows[key]?.due = claim.end
            rows[key]?.attempts += 1
            return ClaimedTask(
                key: key, payload: row.payload,
                lease: Lease(owner: claim.owner, attempt: row.attempts + 1),
                generation: row.generation, wasAbandoned: row.owner != nil)
        }
    }

    mutating func settle(_ task: ClaimedTask, _ settlement: TaskSettlement) -> Bool {
        guard var row = rows[task.key], row.owner == task.lease.owner,
            row.attempts == task.lease.attempt
        else { return false }
        row.owner = nil
        row.lastError = nil
        switch settlement {
        case .finished where row.generation == task.generation:
            rows[task.key] = nil
            return true
        case .finished(let due), .again(let due):
            row.due = due
            row.attempts = 0
        case .failed(let error, let due):
            row.due = due
            row.lastError = error
        case .released(let due):
            row.due = due
            row.attempts -= 1
        }
        rows[task.key] = row
        return true
    }

    func list(after place: TaskKey?, limit: Int) -> [TaskState] {
        rows.filter { key, _ in place.map { key > $0 } ?? true }.sorted { $0.key < $1.key }
            .prefix(limit).map { key, row in
                TaskState(
                    key: key, due: row.due, attempts: row.attempts, owner: row.owner,
                    lastError: row.lastError)
            }
    }
}
