import AppStoreModel
import HTTPMessage
import TillAPI
import TillLedger

/// What waits to be done, for backends and operators; no customer sees any of it.
extension TillService {
    /// Tasks in one answer: at the most, and when nothing else is asked for.
    private static let taskLimits = (most: 1_000, usual: 100)

    /// `GET /v1/tasks`: what waits, by kind and subject.
    func listTasks(_ request: HTTPRequest) async throws -> HTTPResponse {
        try callers.backend(of: request, now: clock())
        let query = try Self.query(of: request)
        let limit = try Self.limit(
            of: query, usual: Self.taskLimits.usual, most: Self.taskLimits.most)
        var place: TaskKey?
        if let text = query["after"] {
            guard let read = TaskPage.place(text) else {
                throw ProblemDocument(.invalidRequest, detail: "after: not a `next` of this list")
            }
            place = read
        }
        var filter = TaskFilter(kind: query["kind"].map { TaskKind($0) })
        if let app = query["app"] {
            guard configuration.app(BundleID(app)) != nil else {
                throw ProblemDocument(.unknownApp)
            }
            filter.app = BundleID(app)
        }
        if let failed = query["failed"] {
            guard failed == "true" || failed == "false" else {
                throw ProblemDocument(.invalidRequest, detail: "failed: true or false")
            }
            filter.failedAlone = failed == "true"
        }
        let tasks = try await ledger.work.tasks(filter, after: place, limit: limit)
        return try Answers.json(TaskPage(tasks, limit: limit, now: clock()))
    }

    /// `POST /v1/tasks/run`: has a worker do one now.
    func runTask(_ request: HTTPRequest) async throws -> HTTPResponse {
        try callers.backend(of: request, now: clock())
        let body = try RequestBody.decode(TaskRequest.self, from: request)
        let now = clock()
        let key = TaskKey(kind: body.kind, subject: body.subject)
        guard let task = try await ledger.work.hasten(key, to: now) else {
            throw ProblemDocument(.taskNotFound)
        }
        nudge()
        return try Answers.json(TaskDocument(task, now: now))
    }
}

/// `POST /v1/tasks/run`.
private struct TaskRequest: Decodable {
    let kind: TaskKind
    let subject: String
}

/// `GET /v1/tasks`.
private struct TaskPage: Encodable {
    let tasks: [TaskDocument]
    /// What `after` must be for the next piece; none at the end.
    let next: String?

    init(_ found: [TaskState], limit: Int, now: Timestamp) {
        tasks = found.map { TaskDocument($0, now: now) }
        next =
            found.count < limit ? nil : found.last.map { "\($0.key.kind)/\($0.key.subject)" }
    }

    static func place(_ text: String) -> TaskKey? {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        return TaskKey(
            kind: TaskKind(String(text[..<slash])),
            subject: String(text[text.index(after: slash)...]))
    }
}

/// A task as it stands.
private struct TaskDocument: Encodable {
    let kind: TaskKind
    let subject: String
    /// `due`, `waiting` or `running`.
    let state: String
    /// When it is due; of one that runs, when its hold ends.
    let dueAt: Timestamp
    let attempts: Int
    let lastError: String?
    /// Of a subject within a book: the app, the environment, the name.
    let bundleID: BundleID?
    let environment: AppStoreEnvironment?
    let name: String?

    private enum CodingKeys: String, CodingKey {
        case kind, subject, state, dueAt, attempts, lastError
        case bundleID = "bundleId"
        case environment, name
    }

    init(_ task: TaskState, now: Timestamp) {
        kind = task.key.kind
        subject = task.key.subject
        state = task.owner != nil && task.due > now ? "running" : task.due > now ? "waiting" : "due"
        dueAt = task.due
        attempts = task.attempts
        lastError = task.lastError
        let booked = BookedSubject(task.key.subject)
        bundleID = booked?.book.bundleID
        environment = booked?.book.environment
        name = booked?.name
    }
}
