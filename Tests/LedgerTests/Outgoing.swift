import AppStoreModel
import Testing

@testable import TillLedger

/// A shop whose app has endpoints, and what a worker does with it.
struct Outgoing: Sendable {
    let shop: Shop

    static let main = WebhookPlace(bundleID: Sale.app, name: "main")
    static let orders = WebhookPlace(bundleID: Sale.app, name: "orders")

    /// The shop's catalog, telling `main` everything and `orders` what happens to orders.
    static var catalog: Catalog {
        get throws {
            var catalog = Sale.catalog
            catalog.apps[Sale.app]?.webhooks = [
                WebhookRule(name: main.name),
                WebhookRule(name: orders.name, events: [try #require(EventPattern("order.*"))]),
            ]
            return catalog
        }
    }

    init(_ kind: StoreKind, catalog: Catalog? = nil) async throws {
        shop = try await Shop(kind, catalog: try catalog ?? Self.catalog)
    }

    var work: any WorkStore { shop.ledger.work }

    func claim(
        _ endpoint: WebhookPlace = main, at now: Timestamp = Sale.noon, limit: Int = 100,
        as owner: String = "worker"
    ) async throws -> [ClaimedDelivery] {
        try await work.claimDeliveries(
            WorkClaim(owner: owner, now: now, lease: 60_000, limit: limit), to: endpoint)
    }

    func claimTasks(
        _ kinds: [TaskKind], at now: Timestamp = Sale.noon, limit: Int = 100,
        as owner: String = "worker"
    ) async throws -> [ClaimedTask] {
        try await work.claimTasks(
            WorkClaim(owner: owner, now: now, lease: 60_000, limit: limit), of: kinds)
    }

    /// Takes and delivers everything that an endpoint has in line, and gives it in the order of delivery.
    func drain(
        _ endpoint: WebhookPlace = main, at now: Timestamp = Sale.noon
    ) async throws -> [NumberedEvent] {
        var events: [NumberedEvent] = []
        while true {
            let claimed = try await claim(endpoint, at: now)
            guard !claimed.isEmpty else { return events }
            for delivery in claimed {
                #expect(
                    try await work.settle(delivery, .delivered(status: 204, at: now), nil))
                events.append(delivery.event)
            }
        }
    }

    /// Answers everything that is due, as the rules say.
    @discardableResult
    func answer(
        _ endpoint: WebhookPlace = main, at now: Timestamp,
        _ answer: (NumberedEvent) -> DeliveryAnswer
    ) async throws -> Int {
        let claimed = try await claim(endpoint, at: now)
        for delivery in claimed {
            let (settlement, change) = delivery.settlement(for: answer(delivery.event), now: now)
            #expect(try await work.settle(delivery, settlement, change))
        }
        return claimed.count
    }
}

extension Timestamp {
    func later(seconds: Int64) -> Timestamp { advanced(byMilliseconds: seconds * 1_000) }
}
