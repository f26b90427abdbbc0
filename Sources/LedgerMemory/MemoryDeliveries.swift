import AppStoreModel
import TillLedger

/// Events in memory and their way to the endpoints; `due` is when one is due, or when its hold runs out.
struct MemoryDeliveries: Sendable {
    private enum State: Sendable {
        case waiting, delivered, dead
    }

    private struct Place: Hashable, Sendable {
        let event: EventID
        let endpoint: WebhookName
    }

    private struct Row: Sendable {
        var event: NumberedEvent
        let endpoint: WebhookPlace
        var state = State.waiting
        var due: Timestamp
        var attempts = 0
        var owner: String?
        var failure: DeliveryFailure?
        var endedAt: Timestamp?

        func isBehind(_ other: Row) -> Bool {
            endpoint == other.endpoint && event.event.customer == other.event.event.customer
                && event.sequence > other.event.sequence
        }
    }

    private struct Counter: Hashable, Sendable {
        let bundleID: BundleID
        let customer: CustomerID
    }

    private var events: [EventID: NumberedEvent] = [:]
    private var counters: [Counter: Int64] = [:]
    private var rows: [Place: Row] = [:]
    private var standing: [WebhookPlace: EndpointState] = [:]

    /// Records an event under its customer's next number; one that is known stays as it was.
    mutating func include(_ event: CustomerEvent, to endpoints: [WebhookName]) {
        guard events[event.id] == nil else { return }
        let counter = Counter(bundleID: event.bundleID, customer: event.customer)
        counters[counter, default: 0] += 1
        let numbered = NumberedEvent(event: event, sequence: counters[counter] ?? 1)
        events[event.id] = numbered
        for name in endpoints {
            rows[Place(event: event.id, endpoint: name)] = Row(
                event: numbered, endpoint: WebhookPlace(bundleID: event.bundleID, name: name),
                due: event.at)
        }
    }

    /// Whether anything was told of a customer.
    func knows(_ customer: CustomerID) -> Bool {
        counters.keys.contains { $0.customer == customer }
    }

    mutating func claim(_ claim: WorkClaim, to endpoint: WebhookPlace) -> [ClaimedDelivery] {
        if let state = standing[endpoint] {
            guard state.disabledAt == nil, state.pausedUntil.map({ $0 <= claim.now }) ?? true
            else { return [] }
        }
        let waiting = rows.values.filter { $0.endpoint == endpoint && $0.state == .waiting }
        var heads: [CustomerID: Row] = [:]
        for row in waiting {
            let customer = row.event.event.customer
            if let head = heads[customer], row.isBehind(head) { continue }
            heads[customer] = row
        }
        let due = heads.values.filter { $0.due <= claim.now }
            .sorted { ($0.due, $0.event.event.id) < ($1.due, $1.event.event.id) }
        return due.prefix(claim.limit).map { row in
            let place = Place(event: row.event.event.id, endpoint: endpoint.name)
            rows[place]?.owner = claim.owner
            rows[place]?.due = claim.end
            rows[place]?.attempts += 1
            return ClaimedDelivery(
                endpoint: endpoint, event: row.event,
                lease: Lease(owner: claim.owner, attempt: row.attempts + 1))
        }
    }

    mutating func settle(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) -> Bool {
        let place = Place(event: delivery.event.event.id, endpoint: delivery.endpoint.name)
        guard var row = rows[place], row.state == .waiting, row.owner == delivery.lease.owner,
            row.attempts == delivery.lease.attempt
        else { return false }
        row.owner = nil
        switch settlement {
        case .delivered(_, let now):
            row.state = .delivered
            row.failure = nil
            row.endedAt = now
        case .dead(let failure, let now):
            row.state = .dead
            row.failure = failure
            row.endedAt = now
        case .postponed(let failure, let due):
            row.failure = failure
            row.due = due
        case .released(let due):
            row.due = due
            row.attempts -= 1
        }
        rows[place] = row
        if let change { note(change, at: delivery.endpoint) }
        return true
    }

    private mutating func note(_ change: EndpointChange, at place: WebhookPlace) {
        var state = standing[place] ?? EndpointState(place: place)
        switch change {
        case .paused(let end): state.pausedUntil = end
        case .disabled(let failure, let now):
            guard state.disabledAt == nil else { return }
            state.disabledAt = now
            state.disabledBecause = failure.text
        }
        standing[place] = state
    }

    // MARK: For operators

    func endpoints(of app: BundleID) -> [EndpointState] {
        var states = standing.filter { $0.key.bundleID == app }
        for row in rows.values where row.endpoint.bundleID == app && row.state != .delivered {
            var state = states[row.endpoint] ?? EndpointState(place: row.endpoint)
            if row.state == .dead {
                state.dead += 1
            } else {
                state.waiting += 1
                let at = row.event.event.at
                state.oldestWaiting = state.oldestWaiting.map { min($0, at) } ?? at
            }
            states[row.endpoint] = state
        }
        return states.values.sorted { $0.place < $1.place }
    }

    mutating func enable(_ endpoint: WebhookPlace) { standing[endpoint] = nil }

    func deadLetters(of app: BundleID, limit: Int) -> [DeadLetter] {
        let letters = rows.values.compactMap { row -> DeadLetter? in
            guard row.endpoint.bundleID == app, row.state == .dead, let failure = row.failure,
                let at = row.endedAt
            else { return nil }
            return DeadLetter(
                endpoint: row.endpoint, event: row.event, attempts: row.attempts,
                failure: failure, at: at)
        }
        .sorted {
            ($0.at, $0.event.event.id, $0.endpoint.name)
                < ($1.at, $1.event.event.id, $1.endpoint.name)
        }
        return Array(letters.prefix(limit))
    }

    mutating func replay(_ replay: DeliveryReplay, of app: BundleID, now: Timestamp) -> Int {
        var count = 0
        for (place, row) in rows where row.endpoint.bundleID == app && row.state != .waiting {
            let isMeant =
                switch replay {
                case .events(let ids): ids.contains(place.event)
                case .deadSince(let time): row.state == .dead && row.event.event.at >= time
                }
            guard isMeant else { continue }
            rows[place] = Row(event: row.event, endpoint: row.endpoint, due: now)
            count += 1
        }
        return count
    }

    /// Replaces customers' names.
    mutating func rename(_ pseudonym: Renaming) {
        events = events.mapValues { pseudonym($0) }
        for (place, row) in rows { rows[place]?.event = pseudonym(row.event) }
        counters = Dictionary(
            uniqueKeysWithValues: counters.map { counter, last in
                (
                    Counter(
                        bundleID: counter.bundleID, customer: pseudonym(counter.customer)), last
                )
            })
    }

    mutating func prune(before time: Timestamp, limit: Int) -> Int {
        let waiting = Set(rows.filter { $0.value.state == .waiting }.map(\.key.event))
        let old = events.values.filter { $0.event.at < time && !waiting.contains($0.event.id) }
            .map(\.event.id).sorted().prefix(limit)
        for id in old { events[id] = nil }
        let gone = Set(old)
        rows = rows.filter { !gone.contains($0.key.event) }
        return gone.count
    }
}
