public import AppStoreModel

extension Ledger {
    /// The whole ledger as text: what Apple said and what follows from it, by the clock given.
    ///
    /// Without the time, order, number and path of arrival, so that two ledgers which were told the same
    /// things have the same text, byte for byte. Of customers it has those who ever held a purchase.
    /// Takes memory and time in proportion to the ledger.
    ///
    /// - Parameter now: The moment by which subscriptions and entitlements are judged.
    /// - Returns: Lines, each book's together.
    /// - Throws: What keeps the store from being read.
    public func export(at now: Timestamp) async throws(LedgerError) -> String {
        var export = LedgerExport(now: now)
        var place: PurchasePlace?
        while true {
            let purchases = try await store.purchases(after: place, limit: 500)
            guard let last = purchases.last else { break }
            place = PurchasePlace(book: last.book, key: last.key)
            for purchase in purchases {
                for id in Set(purchase.transactions.compactMap(\.orderID)) {
                    if let order = try await store.order(id) { export.orders[id] = order }
                }
            }
            export.purchases += purchases
        }
        for (book, originals) in export.originals {
            var query = FactQuery()
            query.books[book, default: BookQuery()].renewals = originals
            export.renewals[book] = try await store.facts(query).books[book]?.renewals
        }
        for customer in export.holders {
            export.customers[customer] = try await store.facts(of: customer, limit: 0)
        }
        var notification: NotificationPlace?
        while true {
            let page = try await store.notifications(after: notification, limit: 500)
            guard let last = page.last else { break }
            notification = last.place
            export.notifications += page
        }
        return export.text
    }
}

/// What an export is written from.
private struct LedgerExport {
    let now: Timestamp
    var purchases: [PurchaseFacts] = []
    var orders: [OrderID: OrderFacts] = [:]
    var renewals: [Book: [TransactionID: [RenewalObservation]]] = [:]
    var customers: [CustomerID: CustomerFacts] = [:]
    var notifications: [BookedNotification] = []

    init(now: Timestamp) { self.now = now }

    /// Whoever holds a purchase, or got the credits of one.
    var holders: Set<CustomerID> {
        Set(purchases.flatMap { $0.transactions.compactMap(\.holder) + $0.entries.map(\.customer) })
    }

    var originals: [Book: Set<TransactionID>] {
        var originals: [Book: Set<TransactionID>] = [:]
        for purchase in purchases where purchase.key.isPeriod {
            for transaction in purchase.transactions {
                originals[purchase.book, default: []].insert(transaction.originalID)
            }
        }
        return originals
    }

    var text: String {
        let books = Set(purchases.map(\.book) + notifications.map(\.book)).sorted()
        return books.flatMap { lines(of: $0) }.map { $0 + "\n" }.joined()
    }

    private func lines(of book: Book) -> [String] {
        let own = purchases.filter { $0.book == book }.sorted { $0.key < $1.key }
        let told = notifications.filter { $0.book == book }
            .sorted { $0.notification.id < $1.notification.id }
        return ["book \(book)"] + own.flatMap { lines(of: $0) } + orders(of: own)
            + subscriptions(in: book, own).flatMap { lines(of: $0) } + standings(own, in: book)
            + wallets(in: book) + told.map { line(of: $0.notification) }
    }

    // MARK: Purchases

    private func lines(of purchase: PurchaseFacts) -> [String] {
        var lines = ["  purchase \(purchase.key)"]
        for transaction in purchase.transactions.sorted(by: { $0.id < $1.id }) {
            // Receipts have whole seconds; which proof came first does not matter.
            lines.append(
                "    transaction \(transaction.id) of \(transaction.originalID): "
                    + "\(transaction.quantity) \(transaction.productID) "
                    + "at \(transaction.purchaseDate.seconds)")
        }
        let said = purchase.observations.map {
            "\($0.signedAt.milliseconds) \($0.fields.sortingText)"
        }
        lines += Set(said).sorted().map { "    signed \($0)" }
        let holders = Set(purchase.transactions.map { $0.holder?.rawValue ?? "nobody" })
        lines.append("    holder \(holders.sorted().joined(separator: ", "))")
        lines.append("    \(purchase.stands ? "stands" : "does not stand")")
        return lines
    }

    /// The orders that were paid; which period of a subscription paid one is a matter of arrival.
    private func orders(of purchases: [PurchaseFacts]) -> [String] {
        let paid = Set(purchases.flatMap { $0.transactions.compactMap(\.orderID) })
        return paid.map { id in
            "  order \(id.rawValue) \(orders[id]?.status(at: now).rawValue ?? "unknown")"
        }.sorted()
    }

    private func wallets(in book: Book) -> [String] {
        customers.sorted { $0.key < $1.key }.flatMap { customer, facts in
            facts.balances.filter { $0.book == book && $0.amount != 0 }
                .sorted { $0.currency < $1.currency }
                .map { "  wallet \(customer) \($0.currency) \($0.amount)" }
        }
    }

    /// What each customer may use.
    private func standings(_ purchases: [PurchaseFacts], in book: Book) -> [String] {
        let subscriptions = subscriptions(in: book, purchases)
        let byHolder = Dictionary(grouping: purchases) { $0.transactions.first?.holder }
        return customers.sorted { $0.key < $1.key }.flatMap { customer, facts in
            entitlements(
                of: byHolder[customer] ?? [], in: subscriptions,
                promotions: facts.promotions.filter { $0.promotion.place.book == book }, at: now
            ).map { state in
                let end = state.expiresAt.map { " until \($0.milliseconds)" } ?? ""
                return "  entitlement \(customer) \(state.entitlement) "
                    + (state.isActive ? "active" : "over") + end
            }
        }
    }

    // MARK: Subscriptions

    private func subscriptions(
        in book: Book, _ purchases: [PurchaseFacts]
    ) -> [SubscriptionFacts] {
        var byOriginal: [TransactionID: [PurchaseFacts]] = [:]
        for purchase in purchases where purchase.key.isPeriod {
            for original in Set(purchase.transactions.map(\.originalID)) {
                byOriginal[original, default: []].append(purchase)
            }
        }
        return byOriginal.sorted { $0.key < $1.key }.map { original, periods in
            SubscriptionFacts(
                book: book, originalID: original, purchases: periods,
                renewals: renewals[book]?[original] ?? [])
        }
    }

    private func lines(of facts: SubscriptionFacts) -> [String] {
        var lines = ["  subscription \(facts.originalID)"]
        lines += facts.renewals.map { "    signed \($0.signedAt.milliseconds) \($0.fields.text)" }
            .sorted()
        guard let state = SubscriptionState(facts, at: now) else { return lines }
        lines.append(
            "    \(state.standing.rawValue) \(state.productID) \(state.transactionID) "
                + "until \(state.expiresAt.milliseconds)")
        let more: [(String, String?)] = [
            ("grace", state.graceUntil.map { "\($0.milliseconds)" }),
            ("renews", state.isAutoRenewing.map { "\($0)" }),
            ("as", state.autoRenewProductID?.rawValue), ("ends", state.endingReason?.description),
            ("price", state.priceIncrease?.description),
        ]
        lines += more.compactMap { name, value in value.map { "    \(name) \($0)" } }
        return lines
    }

    private func line(of notification: RecordedNotification) -> String {
        var words = ["  notification", notification.id.rawValue, notification.type.rawValue]
        words.append(notification.subtype?.rawValue ?? "-")
        words.append(notification.signedAt.map { "\($0.milliseconds)" } ?? "-")
        words.append(notification.originalID?.rawValue ?? "-")
        words.append(notification.transactionID?.rawValue ?? "-")
        return words.joined(separator: " ")
    }
}
