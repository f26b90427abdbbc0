public import AppStoreModel

extension Ledger {
    /// What waits to be done, and what waits to be told: for workers and operators.
    public var work: any WorkStore { store }

    /// Schedules work; a task that is known and not finished stays as it is.
    public func schedule(_ tasks: [ScheduledTask]) async throws(LedgerError) {
        _ = try await store.transact(reading: FactQuery()) { _ in
            Decision(facts: tasks.map { .task($0) }, answer: true)
        }
    }

    /// Finds out whether the store can be read and written now; records nothing.
    ///
    /// - Throws: What keeps it from that.
    public func checkReadiness() async throws(LedgerError) {
        if let nobody = OrderID(rawValue: "00000000-0000-0000-0000-000000000000") {
            _ = try await store.order(nobody)
        }
        try await store.checkWriting()
    }

    /// Tells the app's backend, once, that an order was not paid in time.
    ///
    /// False when there is no such order, or it was paid, or waits for an approval.
    public func expireOrder(_ id: OrderID, now: Timestamp) async throws(LedgerError) -> Bool {
        var query = FactQuery()
        query.orders = [id]
        let catalog = catalog
        return try await store.transact(reading: query) { snapshot in
            decideExpiry(of: id, catalog: catalog, snapshot: snapshot, now: now)
        }
    }
}
