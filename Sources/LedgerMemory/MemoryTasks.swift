import AppStoreModel
import TillLedger

/// Tasks in memory; `due` is when one is due, or when its hold runs out.
struct MemoryTasks: Sendable {
    private struct Row: Sendable {
        var due: Timestamp
        var payload: String
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
        case .resumed(let due, let payload):
            row.due = due
            row.payload = payload
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

    func list(_ filter: TaskFilter, after place: TaskKey?, limit: Int) -> [TaskState] {
        Array(
            rows.keys.filter { key in place.map { key > $0 } ?? true }.sorted()
                .compactMap { state(of: $0) }.filter(filter.fits).prefix(limit))
    }

    private func state(of key: TaskKey) -> TaskState? {
        rows[key].map { row in
            TaskState(
                key: key, due: row.due, attempts: row.attempts, owner: row.owner,
                lastError: row.lastError)
        }
    }

    /// Makes a task due that waits.
    mutating func hasten(_ key: TaskKey, to now: Timestamp) -> TaskState? {
        if let row = rows[key], row.owner == nil { rows[key]?.due = min(row.due, now) }
        return state(of: key)
    }

    /// Replaces customers' names in what is to be done for them.
    mutating func rename(_ renaming: Renaming) {
        for (key, row) in rows where Reconciliation.ofCustomers.contains(key.kind) {
            guard let subject = BookedSubject(key.subject),
                let name = CustomerID(rawValue: subject.name), renaming.names.contains(name)
            else { continue }
            rows[key] = nil
            let renamed = BookedSubject(book: subject.book, name: renaming(name).rawValue)
            rows[TaskKey(kind: key.kind, subject: renamed.text)] = row
        }
    }
}
