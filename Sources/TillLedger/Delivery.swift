public import AppStoreModel

/// An event on its way to one endpoint, held by a worker.
public struct ClaimedDelivery: Sendable, Hashable {
    /// Where it goes.
    public let endpoint: WebhookPlace
    /// What it tells.
    public let event: NumberedEvent
    /// The hold.
    public let lease: Lease

    /// Makes a held delivery.
    public init(endpoint: WebhookPlace, event: NumberedEvent, lease: Lease) {
        self.endpoint = endpoint
        self.event = event
        self.lease = lease
    }
}

/// What an endpoint said to a delivery.
public struct DeliveryFailure: Sendable, Hashable {
    /// The most characters of the text that are kept.
    public static let longest = 300

    /// The HTTP status; nil when no answer came.
    public let status: Int?
    /// What went wrong, in words.
    public let text: String

    /// Makes a failure; a long text is cut.
    public init(status: Int?, text: String) {
        self.status = status
        self.text = String(text.prefix(Self.longest))
    }
}

/// What becomes of a held delivery.
public enum DeliverySettlement: Sendable, Hashable {
    /// The endpoint took it.
    case delivered(status: Int, at: Timestamp)
    /// It comes again later; what follows it for the same customer waits with it.
    case postponed(DeliveryFailure, until: Timestamp)
    /// Put aside: nobody tries it again by itself.
    case dead(DeliveryFailure, at: Timestamp)
    /// Given back as it was, the attempt not counted.
    case released(at: Timestamp)
}

/// What an answer means for everything that goes to that endpoint.
public enum EndpointChange: Sendable, Hashable {
    /// Nothing is sent before that moment.
    case paused(until: Timestamp)
    /// Nothing is sent until an operator says so.
    case disabled(DeliveryFailure, at: Timestamp)
}

/// How an endpoint answered one delivery, before the rules say what it means.
public enum DeliveryAnswer: Sendable, Hashable {
    /// An answer came; `retryAfter` is what the endpoint asked for, in milliseconds.
    case status(Int, retryAfter: Int64?)
    /// No answer came.
    case nothing(String)

    /// The longest time that an endpoint may ask to be left alone, in milliseconds.
    public static let longestRetryAfter: Int64 = 24 * 3_600_000
}

extension ClaimedDelivery {
    /// What an answer means: for this delivery, and for its endpoint.
    public func settlement(
        for answer: DeliveryAnswer, now: Timestamp
    ) -> (DeliverySettlement, EndpointChange?) {
        let failure: DeliveryFailure
        var least: Int64 = 0
        var change: EndpointChange?
        switch answer {
        case .status(let status, _) where (200..<300).contains(status):
            return (.delivered(status: status, at: now), nil)
        case .status(410, _):
            let gone = DeliveryFailure(status: 410, text: "the endpoint says that it is gone")
            // It stays in line, for the case that an operator enables the endpoint again.
            return (.postponed(gone, until: now), .disabled(gone, at: now))
        case .status(let status, let retryAfter):
            failure = DeliveryFailure(status: status, text: "status \(status)")
            if status == 429 || status == 503, let retryAfter, retryAfter > 0 {
                least = min(retryAfter, DeliveryAnswer.longestRetryAfter)
                change = .paused(until: now.advanced(byMilliseconds: least))
            }
        case .nothing(let text): failure = DeliveryFailure(status: nil, text: text)
        }
        guard let pause = RetrySchedule.deliveryPause(after: lease.attempt, of: event.event.id)
        else { return (.dead(failure, at: now), change) }
        return (
            .postponed(failure, until: now.advanced(byMilliseconds: max(pause, least))), change
        )
    }
}

/// An event that was put aside after its last attempt.
public struct DeadLetter: Sendable, Hashable {
    /// Where it should have gone.
    public let endpoint: WebhookPlace
    /// What it tells.
    public let event: NumberedEvent
    /// How often it was tried.
    public let attempts: Int
    /// How the last attempt went.
    public let failure: DeliveryFailure
    /// When it was put aside.
    public let at: Timestamp

    /// Describes a dead letter.
    public init(
        endpoint: WebhookPlace, event: NumberedEvent, attempts: Int, failure: DeliveryFailure,
        at: Timestamp
    ) {
        self.endpoint = endpoint
        self.event = event
        self.attempts = attempts
        self.failure = failure
        self.at = at
    }
}

/// How an endpoint stands.
public struct EndpointState: Sendable, Hashable {
    /// The endpoint.
    public let place: WebhookPlace
    /// Events that wait for it.
    public var waiting: Int = 0
    /// When the oldest of them happened.
    public var oldestWaiting: Timestamp?
    /// Events that were put aside.
    public var dead: Int = 0
    /// Until when it asked to be left alone.
    public var pausedUntil: Timestamp?
    /// Since when nothing is sent any more.
    public var disabledAt: Timestamp?
    /// Why.
    public var disabledBecause: String?

    /// The state of an endpoint of which nothing is known.
    public init(place: WebhookPlace) { self.place = place }
}

/// Which events are sent again.
public enum DeliveryReplay: Sendable, Hashable {
    /// These, whatever became of them before.
    case events([EventID])
    /// Those that were put aside and that happened at that moment or later.
    case deadSince(Timestamp)
}
