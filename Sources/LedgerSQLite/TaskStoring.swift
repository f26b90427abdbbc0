import AppStoreModel
import SQLiteDriver
import TillLedger

/// Tasks: `due_at_ms` is when one is due, or when its hold runs out; so one look finds both.
extension LedgerConnection {
    /// Whether there is anything to hold; asked of a reader, so that idle workers keep no writer busy.
    mutating func hasDueTasks(
        _ kinds: [TaskKind], at now: Timestamp
    ) throws(SQLiteError) -> Bool {
        for kind in kinds {
            let sql = "SELECT 1 FROM tasks WHERE kind = ? AND due_at_ms <= ? LIMIT 1"
            let found = try database.number(sql) { statement throws(SQLiteError) in
                try statement.bind(kind.rawValue)
                try statement.bind(now.milliseconds)
            }
            if found != nil { return true }
        }
        return false
    }

    mutating func claimTasks(
        _ claim: WorkClaim, of kinds: [TaskKind]
    ) throws(SQLiteError) -> [ClaimedTask] {
        var due: [(due: Int64, task: ClaimedTask)] = []
        for kind in kinds { due += try dueTasks(kind, claim) }
        let taken = due.sorted { ($0.due, $0.task.key) < ($1.due, $1.task.key) }
            .prefix(claim.limit).map(\.task)
        let sql = """
            UPDATE tasks SET lease_owner = ?, due_at_ms = ?, attempts = ?
            WHERE kind = ? AND subject = ?
            """
        for task in taken {
            try database.run(sql) { statement throws(SQLiteError) in
                try statement.bind(claim.owner)
                try statement.bind(claim.end.milliseconds)
                try statement.bind(Int64(task.lease.attempt))
                try statement.bind(task.key)
            }
        }
        return taken
    }

    private mutating func dueTasks(
        _ kind: TaskKind, _ claim: WorkClaim
    ) throws(SQLiteError) -> [(due: Int64, task: ClaimedTask)] {
        let sql = """
            SELECT due_at_ms, subject, payload, attempts, generation, lease_owner FROM tasks
            WHERE kind = ? AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(kind.rawValue)
            try statement.bind(claim.now.milliseconds)
            try statement.bind(Int64(claim.limit))
            var tasks: [(due: Int64, task: ClaimedTask)] = []
            while try statement.step() {
                let due = statement.int64()
                let key = TaskKey(kind: kind, subject: statement.text())
                let payload = statement.text()
                let lease = Lease(owner: claim.owner, attempt: Int(statement.int64()) + 1)
                let task = ClaimedTask(
                    key: key, payload: payload, lease: lease, generation: statement.int64(),
                    wasAbandoned: statement.optionalText() != nil)
                tasks.append((due, task))
            }
            return tasks
        }
    }

    mutating func settle(
        _ task: ClaimedTask, _ settlement: TaskSettlement
    ) throws(SQLiteError) -> Bool {
        switch settlement {
        case .finished(let now):
            let sql = "DELETE FROM tasks WHERE \(Self.heldTask) AND generation = ?"
            try database.run(sql) { statement throws(SQLiteError) in
                try statement.bind(task)
                try statement.bind(task.generation)
            }
            if database.changedRows > 0 { return true }
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
        "kind = ? AND subject = ? AND lease_owner = ? AND attempts = ?"

    private mutating func requeue(
        _ task: ClaimedTask, due: Timestamp, attempts: Int, error: String?,
        payload: String? = nil
    ) throws(SQLiteError) -> Bool {
        let sql = """
            UPDATE tasks SET lease_owner = NULL, due_at_ms = ?, attempts = ?, last_error = ?,
                payload = ifnull(?, payload)
            WHERE \(Self.heldTask)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(due.milliseconds)
            try statement.bind(Int64(attempts))
            try statement.bind(error)
            try statement.bind(payload)
            try statement.bind(task)
        }
        return database.changedRows > 0
    }

    private static let taskColumns =
        "kind, subject, due_at_ms, attempts, lease_owner, last_error"

    mutating func tasks(
        _ filter: TaskFilter, after place: TaskKey?, limit: Int
    ) throws(SQLiteError) -> [TaskState] {
        var conditions = ["(kind, subject) > (?, ?)"]
        if filter.kind != nil { conditions.append("kind = ?") }
        if filter.subjects != nil { conditions.append("subject >= ? AND subject < ?") }
        if filter.failedAlone { conditions.append("last_error IS NOT NULL") }
        let sql = """
            SELECT \(Self.taskColumns) FROM tasks
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY kind, subject LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(place ?? TaskKey(kind: "", subject: ""))
            if let kind = filter.kind { try statement.bind(kind.rawValue) }
            if let subjects = filter.subjects {
                try statement.bind(subjects.lowerBound)
                try statement.bind(subjects.upperBound)
            }
            try statement.bind(Int64(limit))
            return try statement.tasks()
        }
    }

    /// Makes a task due that waits.
    mutating func hasten(
        _ key: TaskKey, to now: Timestamp
    ) throws(SQLiteError) -> TaskState? {
        let sql = """
            UPDATE tasks SET due_at_ms = min(due_at_ms, ?)
            WHERE kind = ? AND subject = ? AND lease_owner IS NULL
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(now.milliseconds)
            try statement.bind(key)
        }
        let reading = "SELECT \(Self.taskColumns) FROM tasks WHERE kind = ? AND subject = ?"
        return try database.withStatement(reading) { statement throws(SQLiteError) in
            try statement.bind(key)
            return try statement.tasks().first
        }
    }

    /// Replaces a customer's name in what is to be done for them.
    mutating func renameTasks(
        of name: CustomerID, to substitute: CustomerID
    ) throws(SQLiteError) -> Int64 {
        let numbers = try database.withStatement("SELECT book_id FROM books WHERE book_id > 0") {
            statement throws(SQLiteError) in
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.int64()) }
            return numbers
        }
        var count: Int64 = 0
        for number in numbers {
            let book = try book(number)
            for kind in Reconciliation.ofCustomers {
                let sql = "UPDATE tasks SET subject = ? WHERE kind = ? AND subject = ?"
                try database.run(sql) { statement throws(SQLiteError) in
                    try statement.bind(BookedSubject(book: book, name: substitute.rawValue).text)
                    try statement.bind(kind.rawValue)
                    try statement.bind(BookedSubject(book: book, name: name.rawValue).text)
                }
                count += database.changedRows
            }
        }
        return count
    }
}

extension SQLiteStatement {
    fileprivate mutating func tasks() throws(SQLiteError) -> [TaskState] {
        var tasks: [TaskState] = []
        while try step() {
            let key = TaskKey(kind: TaskKind(text()), subject: text())
            tasks.append(
                TaskState(
                    key: key, due: time(), attempts: Int(int64()), owner: optionalText(),
                    lastError: optionalText()))
        }
        return tasks
    }

    fileprivate mutating func bind(_ key: TaskKey) throws(SQLiteError) {
        try bind(key.kind.rawValue)
        try bind(key.subject)
    }

    fileprivate mutating func bind(_ task: ClaimedTask) throws(SQLiteError) {
        try bind(task.key)
        try bind(task.lease.owner)
        try bind(Int64(task.lease.attempt))
    }
}
