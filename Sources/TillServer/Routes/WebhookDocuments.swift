import AppStoreModel
import TillLedger

/// `GET /v1/apps/{bundleId}/webhooks`.
struct WebhookList: Encodable {
    let endpoints: [WebhookDocument]
}

/// An endpoint and how it stands.
struct WebhookDocument: Encodable {
    let name: WebhookName
    /// Nil where the configuration no longer names it.
    let url: String?
    let events: [String]?
    let state: String
    let waiting: Int
    let oldestWaiting: Timestamp?
    let dead: Int
    let pausedUntil: Timestamp?
    let disabledAt: Timestamp?
    let disabledBecause: String?

    init(_ state: EndpointState, _ webhook: WebhookConfiguration?) {
        name = state.place.name
        url = webhook?.shownURL
        events = webhook?.events.map(\.text)
        self.state =
            webhook == nil ? "unconfigured" : state.disabledAt != nil ? "disabled" : "enabled"
        waiting = state.waiting
        oldestWaiting = state.oldestWaiting
        dead = state.dead
        pausedUntil = state.pausedUntil
        disabledAt = state.disabledAt
        disabledBecause = state.disabledBecause
    }
}

/// `GET …/webhooks/deadLetters`.
struct DeadLetterList: Encodable {
    let deadLetters: [DeadLetterDocument]
}

/// An event that was put aside.
struct DeadLetterDocument: Encodable {
    let eventID: EventID
    let endpoint: WebhookName
    let type: EventKind
    let customerID: CustomerID
    let sequence: Int64
    let happenedAt: Timestamp
    let putAsideAt: Timestamp
    let attempts: Int
    let status: Int?
    let error: String

    private enum CodingKeys: String, CodingKey {
        case eventID = "eventId"
        case endpoint, type
        case customerID = "customerId"
        case sequence, happenedAt, putAsideAt, attempts, status, error
    }

    init(_ letter: DeadLetter) {
        eventID = letter.event.event.id
        endpoint = letter.endpoint.name
        type = letter.event.event.kind
        customerID = letter.event.event.customer
        sequence = letter.event.sequence
        happenedAt = letter.event.event.at
        putAsideAt = letter.at
        attempts = letter.attempts
        status = letter.failure.status
        error = letter.failure.text
    }
}

/// `POST …/webhooks/replay`.
struct ReplayRequest: Decodable {
    let eventIDs: [EventID]?
    let since: Timestamp?

    private enum CodingKeys: String, CodingKey {
        case eventIDs = "eventIds"
        case since
    }
}

/// How many deliveries were put in line again.
struct ReplayAnswer: Encodable {
    let replayed: Int
}

/// `POST …/webhooks/test` and `…/enable`.
struct EndpointRequest: Decodable {
    let endpoint: WebhookName?
}

/// How the endpoints answered a test.
struct TestAnswer: Encodable {
    let eventID: EventID
    let results: [TestResult]

    private enum CodingKeys: String, CodingKey {
        case eventID = "eventId"
        case results
    }
}

/// How one endpoint answered.
struct TestResult: Encodable {
    let endpoint: WebhookName
    let isDelivered: Bool
    let status: Int?
    let error: String?

    private enum CodingKeys: String, CodingKey {
        case endpoint
        case isDelivered = "delivered"
        case status, error
    }

    init(_ endpoint: WebhookName, _ answer: DeliveryAnswer?) {
        self.endpoint = endpoint
        switch answer {
        case .status(let status, _):
            isDelivered = (200..<300).contains(status)
            self.status = status
            error = nil
        case .nothing(let text):
            isDelivered = false
            status = nil
            error = text
        case nil:
            isDelivered = false
            status = nil
            error = "the server is stopping"
        }
    }
}
