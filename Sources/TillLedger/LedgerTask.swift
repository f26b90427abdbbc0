public import AppStoreModel

/// What is to be done, such as `order.expire`; the one who registered a handler for it does it.
public struct TaskKind: AppStoreIdentifier {
    /// The name.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }

    /// Closes an order that was not paid in time; the subject is the order's id.
    public static let expireOrder = TaskKind("order.expire")
    /// Tells what the clock does to a subscription; the subject is a ``BookedSubject`` of an original
    /// transaction and a moment.
    public static let tellSubscription = TaskKind("ledger.subscription")
    /// Removes records that nobody needs any more.
    public static let prune = TaskKind("ledger.prune")
}

/// Names a task: there is one of a kind for each subject.
public struct TaskKey: Sendable, Hashable, Comparable {
    /// What is to be done.
    public let kind: TaskKind
    /// With what.
    public let subject: String

    /// Names a task.
    public init(kind: TaskKind, subject: String) {
        self.kind = kind
        self.subject = subject
    }

    /// Orders by kind and subject.
    public static func < (left: TaskKey, right: TaskKey) -> Bool {
        (left.kind.rawValue, left.subject) < (right.kind.rawValue, right.subject)
    }
}

/// Work for later, scheduled by a decision and done by a worker, across restarts.
public struct ScheduledTask: Sendable, Hashable {
    /// Its name.
    public let key: TaskKey
    /// When it may be done at the earliest.
    public let due: Timestamp
    /// What the handler needs to know beside the subject: a JSON object.
    public let payload: String

    /// Schedules work.
    public init(_ kind: TaskKind, subject: String, due: Timestamp, payload: String = "{}") {
        key = TaskKey(kind: kind, subject: subject)
        self.due = due
        self.payload = payload
    }
}

/// Who wants work, and how much.
public struct WorkClaim: Sendable, Hashable {
    /// Who takes it: a name that no other worker has.
    public let owner: String
    /// The moment by which it is due.
    public let now: Timestamp
    /// How long it is held, in milliseconds; afterwards anybody may take it.
    public let lease: Int64
    /// The most that is taken.
    public let limit: Int

    /// Makes a claim.
    public init(owner: String, now: Timestamp, lease: Int64, limit: Int) {
        self.owner = owner
        self.now = now
        self.lease = lease
        self.limit = limit
    }

    /// Until when it is held.
    public var end: Timestamp { now.advanced(byMilliseconds: lease) }
}

/// A hold on work: who took it, at which attempt.
///
/// A hold that ran out and was taken by another is void.
public struct Lease: Sendable, Hashable {
    /// Who took it.
    public let owner: String
    /// Which attempt this is, from 1 on.
    public let attempt: Int

    /// Makes a hold.
    public init(owner: String, attempt: Int) {
        self.owner = owner
        self.attempt = attempt
    }
}

/// A task that a worker holds.
public struct ClaimedTask: Sendable, Hashable {
    /// Its name.
    public let key: TaskKey
    /// What the handler needs to know beside the subject: a JSON object.
    public let payload: String
    /// The hold.
    public let lease: Lease
    /// How often it was scheduled while it was held; tells whether it came again meanwhile.
    public let generation: Int64
    /// Whether a hold of another worker ran out: that one stopped in the middle.
    public let wasAbandoned: Bool

    /// Makes a held task.
    public init(
        key: TaskKey, payload: String, lease: Lease, generation: Int64, wasAbandoned: Bool
    ) {
        self.key = key
        self.payload = payload
        self.lease = lease
        self.generation = generation
        self.wasAbandoned = wasAbandoned
    }
}

/// What becomes of a held task.
public enum TaskSettlement: Sendable, Hashable {
    /// Done: it is gone, unless it was scheduled again meanwhile; then it is due at that moment.
    case finished(at: Timestamp)
    /// Done for now, and due again, its attempts counted anew.
    case again(at: Timestamp)
    /// Done for now, and due again with another payload, its attempts counted anew.
    case resumed(at: Timestamp, payload: String)
    /// Not done; due again later.
    case failed(String, until: Timestamp)
    /// Given back as it was, the attempt not counted.
    case released(at: Timestamp)
}

/// A task as it stands, for operators.
public struct TaskState: Sendable, Hashable {
    /// Its name.
    public let key: TaskKey
    /// When it is due, or its hold runs out.
    public let due: Timestamp
    /// How often it was tried.
    public let attempts: Int
    /// Who holds it.
    public let owner: String?
    /// Why the last attempt failed.
    public let lastError: String?

    /// Describes a task.
    public init(key: TaskKey, due: Timestamp, attempts: Int, owner: String?, lastError: String?) {
        self.key = key
        self.due = due
        self.attempts = attempts
        self.owner = owner
        self.lastError = lastError
    }
}

/// Which tasks are wanted.
public struct TaskFilter: Sendable, Hashable {
    /// Of that kind alone.
    public var kind: TaskKind?
    /// Of that app alone, where the subject names one.
    public var app: BundleID?
    /// Those alone whose last attempt failed.
    public var failedAlone: Bool

    /// Every task, if nothing is set.
    public init(kind: TaskKind? = nil, app: BundleID? = nil, failedAlone: Bool = false) {
        self.kind = kind
        self.app = app
        self.failedAlone = failedAlone
    }

    /// The subjects of the app: those that begin with its name and a line feed.
    public var subjects: Range<String>? { app.map { "\($0)\n"..<"\($0)\u{B}" } }

    /// Whether a task is wanted.
    public func fits(_ task: TaskState) -> Bool {
        (kind == nil || task.key.kind == kind) && (!failedAlone || task.lastError != nil)
            && subjects?.contains(task.key.subject) ?? true
    }
}

/// How long what failed waits for its next attempt.
public enum RetrySchedule {
    private static let second: Int64 = 1_000
    private static let hour: Int64 = 3_600_000

    /// The pauses after the first, second, … failed delivery of an event, in milliseconds.
    ///
    /// Together more than three days; after the last the event is put aside.
    public static let deliveryPauses: [Int64] = [
        5 * second, 300 * second, 1_800 * second, 2 * hour, 5 * hour, 10 * hour, 14 * hour,
        20 * hour, 24 * hour,
    ]

    /// The longest pause between two attempts at a task, in milliseconds.
    public static let longestTaskPause: Int64 = 6 * hour

    /// The pause after so many failed attempts at a task: five seconds, doubled each time, jittered.
    public static func taskPause(after attempts: Int, key: TaskKey) -> Int64 {
        let doubled = 5 * second << Int64(min(max(attempts, 1) - 1, 20))
        return jittered(
            min(doubled, longestTaskPause), by: "\(key.kind)/\(key.subject)/\(attempts)")
    }

    /// The pause after so many failed deliveries, jittered; nil when it was the last.
    public static func deliveryPause(after attempts: Int, of event: EventID) -> Int64? {
        guard deliveryPauses.indices.contains(attempts - 1) else { return nil }
        return jittered(deliveryPauses[attempts - 1], by: "\(event)/\(attempts)")
    }

    /// Lengthens a pause by up to a fifth, the same for the same text, so that what failed together does not
    /// come again together.
    private static func jittered(_ pause: Int64, by text: String) -> Int64 {
        // FNV-1a; its low bits mix well enough to spread.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return pause + pause * Int64(hash % 200) / 1_000
    }
}
