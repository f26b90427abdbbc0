import AppStoreModel
import PostgresDriver
import TillLedger

/// Tasks: `due_at_ms` is when one is due, or when its hold runs out; so one look finds both.
extension Session {
    /// Holds what is due; what others are just taking is passed over, so that workers never wait for one
    /// another.
    mutating func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) throws(PostgresError) -> [ClaimedTask] {
        let sql = """
            WITH due AS MATERIALIZED (
                SELECT t.kind, t.subject, t.due_at_ms, t.lease_owner
                FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL (
                    SELECT kind, subject, due_at_ms, lease_owner FROM tasks
                    WHERE kind = k.kind AND due_at_ms <= $2
                    ORDER BY due_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED) t
                ORDER BY t.due_at_ms, t.kind, t.subject LIMIT $3),
            taken AS (
                UPDATE tasks t SET lease_owner = $4, due_at_ms = $5, attempts = t.attempts + 1
                FROM due WHERE t.kind = due.kind AND t.subject = due.subject
                RETURNING t.kind, t.subject, t.payload, t.attempts, t.generation,
                    due.lease_owner IS NOT NULL AS was_abandoned, due.due_at_ms AS was_due_at_ms)
            SELECT kind, subject, payload, attempts, generation, was_abandoned FROM taken
            ORDER BY was_due_at_ms, kind, subject
            """
        let parameters: [PostgresValue] = [
            .words(kinds.map(\.rawValue)), .int64(claim.now.milliseconds),
            .int64(Int64(claim.limit)), .word(claim.owner), .int64(claim.end.milliseconds),
        ]
        let rows = try run([PostgresQuery(sql, parameters)])[0]
        var tasks: [ClaimedTask] = []
        while rows.step() {
            let key = TaskKey(kind: TaskKind(rows.word()), subject: rows.word())
            let payload = rows.word()
            let lease = Lease(owner: claim.owner, attempt: Int(rows.int64()))
            tasks.append(
                ClaimedTask(
                    key: key, payload: payload, lease: lease, generation: rows.int64(),
                    wasAbandoned: rows.int64() == 1))
        }
        return tasks
    }

    mutating func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) throws(PostgresError) -> Bool {
        switch settlement {
        case .finished(let now):
            let removal = PostgresQuery(
                "DELETE FROM tasks WHERE \(Self.heldTask) AND generation = $5",
                Self.hold(on: task) + [.int64(task.generation)])
            if try run([removal])[0].affectedRows > 0 { return true }
            return try requeue(task, due: now, attempts: 0, error: nil)
        case .again(let due):
            return try requeue(task, due: due, attempts: 0, error: nil)
        case .resumed(let due, let payload):
            return try requeue(task, due: due, attempts: 0, error: nil, payload: payload)
        case .failed(let error, let due):
            return try requeue(task, due: due, attempts: task.lease.attempt, error: error)
        case .released(let now):
            return try requeue(task, due: now, attempts: task.lease.attempt - 1, error: nil)
        }
    }

    private static let heldTask =
        "kind = $1 AND subject = $2 AND lease_owner = $3 AND attempts = $4"

    private static func hold(on task: ClaimedTask) -> [PostgresValue] {
        [
            .word(task.key.kind.rawValue), .word(task.key.subject), .word(task.lease.owner),
            .int64(Int64(task.lease.attempt)),
        ]
    }

    private mutating func requeue(
        _ task: ClaimedTask, due: Timestamp, attempts: Int, error: String?,
        payload: String? = nil
    ) throws(PostgresError) -> Bool {
        let change = PostgresQuery(
            """
            UPDATE tasks SET lease_owner = NULL, due_at_ms = $5, attempts = $6, last_error = $7,
                payload = coalesce($8, payload)
            WHERE \(Self.heldTask)
            """,
            Self.hold(on: task) + [
                .int64(due.milliseconds), .int64(Int64(attempts)), .word(error), .word(payload),
            ])
        return try run([change])[0].affectedRows > 0
    }
}

extension Session {
    /// Makes a task due that waits.
    mutating func hasten(
        _ key: TaskKey, to now: Timestamp
    ) throws(PostgresError) -> TaskState? {
        let name: [PostgresValue] = [.word(key.kind.rawValue), .word(key.subject)]
        let change = PostgresQuery(
            """
            UPDATE tasks SET due_at_ms = least(due_at_ms, $3)
            WHERE kind = $1 AND subject = $2 AND lease_owner IS NULL
            """, name + [.int64(now.milliseconds)])
        let reading = PostgresQuery(
            "SELECT \(TaskReading.columns) FROM tasks WHERE kind = $1 AND subject = $2", name)
        return TaskReading.tasks([try run([change, reading])[1]]).first
    }

    /// Replaces a customer's name in what is to be done for them.
    static func renamingTasks(
        of name: CustomerID, to substitute: CustomerID, in books: [Book]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE tasks t SET subject = n.new
            FROM unnest($1::text[]) AS k (kind)
            CROSS JOIN unnest($2::text[], $3::text[]) AS n (old, new)
            WHERE t.kind = k.kind AND t.subject = n.old
            """,
            [
                .words(Reconciliation.ofCustomers.map(\.rawValue)),
                .words(books.map { BookedSubject(book: $0, name: name.rawValue).text }),
                .words(books.map { BookedSubject(book: $0, name: substitute.rawValue).text }),
            ])
    }
}

/// Reads tasks by key.
struct TaskReading {
    static let columns = "kind, subject, due_at_ms, attempts, lease_owner, last_error"

    let queries: [PostgresQuery]

    init(_ filter: TaskFilter = TaskFilter(), after place: TaskKey?, limit: Int) {
        var conditions = ["(kind, subject) > ($1, $2)"]
        var parameters: [PostgresValue] = [
            .word(place?.kind.rawValue ?? ""), .word(place?.subject ?? ""), .int64(Int64(limit)),
        ]
        if let kind = filter.kind {
            parameters.append(.word(kind.rawValue))
            conditions.append("kind = $\(parameters.count)")
        }
        if let subjects = filter.subjects {
            parameters += [.word(subjects.lowerBound), .word(subjects.upperBound)]
            conditions.append(
                "subject >= $\(parameters.count - 1) AND subject < $\(parameters.count)")
        }
        if filter.failedAlone { conditions.append("last_error IS NOT NULL") }
        queries = [
            PostgresQuery(
                """
                SELECT \(Self.columns) FROM tasks
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY kind, subject LIMIT $3
                """, parameters)
        ]
    }

    static func tasks(_ results: [PostgresRows]) -> [TaskState] {
        var tasks: [TaskState] = []
        for rows in results {
            while rows.step() {
                let key = TaskKey(kind: TaskKind(rows.word()), subject: rows.word())
                tasks.append(
                    TaskState(
                        key: key, due: rows.time(), attempts: Int(rows.int64()),
                        owner: rows.optionalWord(), lastError: rows.optionalWord()))
            }
        }
        return tasks
    }
}
