import AppStoreModel
import TillLedger

/// What Apple told of subscriptions and by notifications, within one book.
struct MemoryNews: Sendable {
    private(set) var renewals: [TransactionID: [RenewalObservation]] = [:]
    private(set) var notifications: [NotificationID: RecordedNotification] = [:]
    private(set) var tales: [TransactionID: SubscriptionTale] = [:]

    func isTaken(_ original: TransactionID, _ number: Int) -> Bool {
        renewals[original]?.contains { $0.number == number } ?? false
    }

    func include(in facts: inout BookFacts, _ query: BookQuery) {
        for original in query.renewals.union(query.subscriptions) {
            facts.renewals[original] = renewals[original]
        }
        for original in query.subscriptions { facts.tales[original] = tales[original] }
        for id in query.notifications { facts.notifications[id] = notifications[id] }
    }

    mutating func include(_ observation: RenewalObservation) {
        renewals[observation.originalID, default: []].append(observation)
    }

    /// Whether the tale is not the one that follows upon what was told.
    func isTaken(_ tale: TransactionID, tale number: Int) -> Bool {
        number != (tales[tale]?.number ?? 0) + 1
    }

    mutating func include(_ tale: SubscriptionTale) { tales[tale.originalID] = tale }

    mutating func include(_ notification: RecordedNotification) {
        notifications[notification.id] = notification
    }

    mutating func raise(_ original: TransactionID, _ number: Int, to time: Timestamp) {
        guard
            let place = renewals[original]?.firstIndex(where: { $0.number == number }),
            let before = renewals[original]?[place].signedAt, before < time
        else { return }
        renewals[original]?[place].signedAt = time
    }
}

extension MemoryBook {
    /// The subscription of an original transaction, with every period of it.
    func subscription(_ original: TransactionID, in book: Book) -> SubscriptionFacts {
        SubscriptionFacts(
            book: book, originalID: original,
            purchases: purchases(of: original).filter(\.isPeriod).sorted()
                .map { purchase($0, in: book) },
            renewals: news.renewals[original] ?? [])
    }
}

extension MemoryFacts {
    /// The subscriptions of which the purchases are periods.
    func subscriptions(of purchases: [PurchaseFacts]) -> [SubscriptionFacts] {
        var seen: Set<TransactionReference> = []
        return purchases.filter(\.key.isPeriod).compactMap { purchase in
            guard let original = purchase.transactions.first?.originalID,
                seen.insert(TransactionReference(book: purchase.book, id: original)).inserted
            else { return nil }
            return books[purchase.book]?.subscription(original, in: purchase.book)
        }
    }

    func notifications(after place: NotificationPlace?, limit: Int) -> [BookedNotification] {
        let everything = books.sorted { $0.key < $1.key }.flatMap { book, facts in
            facts.news.notifications.values.sorted { $0.id < $1.id }
                .map { BookedNotification(book: book, notification: $0) }
        }
        let rest = everything.drop { row in
            place.map { (row.book, row.notification.id) <= ($0.book, $0.id) } ?? false
        }
        return Array(rest.prefix(limit))
    }
}
