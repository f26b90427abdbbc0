import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Reads what a decision needs.
    mutating func snapshot(_ query: FactQuery) throws(SQLiteError) -> FactSnapshot {
        var snapshot = FactSnapshot()
        var orders = query.orders
        for (book, keys) in query.books {
            var facts = BookFacts()
            if let id = try bookID(book) { facts = try bookFacts(id, keys) }
            for transaction in facts.transactions.values {
                if let order = transaction.orderID { orders.insert(order) }
            }
            snapshot.books[book] = facts
        }
        for id in orders { snapshot.orders[id] = try order(id) }
        var known: [CustomerID] = []
        if let unpaid = query.unpaidOrders {
            (known, snapshot.names) = try everyName(of: unpaid.customer)
            if !unpaid.isNeedless(with: snapshot.orders) {
                for id in try unpaidOrders(unpaid, of: known) where snapshot.orders[id] == nil {
                    snapshot.orders[id] = try order(id)
                }
            }
        }
        moment.orders = snapshot.orders.mapValues(\.order)
        if let place = query.wallet {
            snapshot.names = try everyName(of: place.customer).names
            snapshot.wallet = try wallet(place)
        }
        if let place = query.promotion {
            snapshot.names = try everyName(of: place.customer).names
            snapshot.promotion = try promotion(place)
        }
        try addNames(to: &snapshot, for: query, except: known)
        if let key = query.idempotency { snapshot.answer = try answer(key) }
        return snapshot
    }

    private mutating func bookFacts(
        _ book: Int64, _ query: BookQuery
    ) throws(SQLiteError) -> BookFacts {
        var facts = BookFacts()
        var keys = query.grants
        var known: [TransactionID] = []
        for id in query.transactions {
            let sql =
                "SELECT grant_key FROM transactions WHERE book_id = ? AND transaction_id = ?"
            let key = try database.text(sql) { statement throws(SQLiteError) in
                try statement.bind(book)
                try statement.bind(id.rawValue)
            }
            guard let key else { continue }
            keys.insert(GrantKey(rawValue: key))
            known.append(id)
        }
        for original in query.originals {
            let owner = try owner(book, original)
            facts.owners[original] = owner
            // What belongs to an original that nobody owns is nobody's, too, and waits for its owner.
            var isWanted = query.viewer != nil && owner?.customer != query.viewer
            if owner == nil { isWanted = try hasUnclaimed() }
            guard isWanted else { continue }
            keys.formUnion(try purchases(ofOriginal: original, in: book))
            let shares = try shares(book, original)
            if !shares.isEmpty { facts.shares[original] = shares }
        }
        for original in query.subscriptions {
            keys.formUnion(try newestPeriods(of: original, in: book))
        }
        for key in keys {
            let transactions = try transactions(book, key)
            // Every grant has a transaction, so without one there is nothing more to look for.
            guard !transactions.isEmpty else { continue }
            for transaction in transactions {
                facts.include(transaction)
                facts.observations[transaction.id] = try observations(book, transaction.id)
            }
            guard let grant = try grant(book, key) else { continue }
            facts.grants[key] = grant
            let changes = try changes(book, key)
            if !changes.isEmpty { facts.changes[key] = changes }
            guard !grant.credits.isEmpty else { continue }
            facts.entries[key] = try entries(PlaceRow(book: book, key: key))
            if query.includesBalances, facts.balances[grant.customer] == nil {
                for name in try everyName(of: grant.customer).all {
                    facts.balances[name] = try balances(of: name, in: book)
                }
            }
        }
        try includeNews(in: &facts, book, query)
        if let customer = query.viewer {
            // What is refused is recorded first.
            for id in known { facts.refusals.formUnion(try refusals(book, id, customer)) }
            if !query.introductoryGroups.isEmpty {
                facts.introductoryUses = try introductoryUses(
                    of: customer, query.introductoryGroups, in: book)
            }
        }
        return facts
    }

    mutating func transactions(
        _ book: Int64, _ key: GrantKey
    ) throws(SQLiteError) -> [RecordedTransaction] {
        let sql = Statements.transactions
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(key.rawValue)
            var found: [RecordedTransaction] = []
            while try statement.step() { found.append(try statement.transaction()) }
            return found
        }
    }

    mutating func observations(
        _ book: Int64, _ id: TransactionID
    ) throws(SQLiteError) -> [Observation] {
        let sql = Statements.observations
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(id.rawValue)
            var found: [Observation] = []
            while try statement.step() { found.append(try statement.observation()) }
            return found
        }
    }

    mutating func grant(_ book: Int64, _ key: GrantKey) throws(SQLiteError) -> Grant? {
        let sql = Statements.grant
        var goods = goods
        defer { self.goods = goods }
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(key.rawValue)
            return try statement.step() ? try statement.grant(&goods) : nil
        }
    }

    mutating func changes(
        _ book: Int64, _ key: GrantKey
    ) throws(SQLiteError) -> [GrantChange] {
        let sql = """
            SELECT turn, transaction_id, at_ms FROM grant_changes
            WHERE book_id = ? AND grant_key = ? ORDER BY turn
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(key.rawValue)
            var found: [GrantChange] = []
            while try statement.step() {
                found.append(
                    GrantChange(
                        key: key, turn: Int(statement.int64()),
                        transactionID: TransactionID(statement.text()), at: statement.time()))
            }
            return found
        }
    }

    /// The present owner of an original transaction.
    private mutating func owner(
        _ book: Int64, _ original: TransactionID
    ) throws(SQLiteError) -> Ownership? {
        try owners(book, original, limit: 1).first
    }

    /// The owners of an original transaction, the present one first.
    mutating func owners(
        _ book: Int64, _ original: TransactionID, limit: Int64 = 1_000
    ) throws(SQLiteError) -> [Ownership] {
        let sql = """
            SELECT number, customer_id, binding, since_ms FROM owners
            WHERE book_id = ? AND original_transaction_id = ? ORDER BY number DESC LIMIT ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(original.rawValue)
            try statement.bind(limit)
            var found: [Ownership] = []
            while try statement.step() {
                found.append(
                    Ownership(
                        originalID: original, number: Int(statement.int64()),
                        customer: try statement.word("an owner"),
                        binding: try statement.word("an owner's binding"),
                        since: statement.time()))
            }
            return found
        }
    }

    private mutating func refusals(
        _ book: Int64, _ id: TransactionID, _ customer: CustomerID
    ) throws(SQLiteError) -> [ShownRefusal] {
        let sql = """
            SELECT reason FROM refusals
            WHERE book_id = ? AND transaction_id = ? AND customer_id = ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(id.rawValue)
            try statement.bind(customer.rawValue)
            var found: [ShownRefusal] = []
            while try statement.step() {
                found.append(
                    ShownRefusal(transactionID: id, reason: try statement.word("a reason")))
            }
            return found
        }
    }

    // MARK: Orders and answers

    private mutating func unpaidOrders(
        _ query: UnpaidOrdersQuery, of names: [CustomerID]
    ) throws(SQLiteError) -> Set<OrderID> {
        let sql = Statements.unpaidOrders
        var found: Set<OrderID> = []
        for customer in names {
            for (bundleID, products) in query.products {
                for product in products {
                    try database.withStatement(sql) { statement throws(SQLiteError) in
                        try statement.bind(customer.rawValue)
                        try statement.bind(bundleID.rawValue)
                        try statement.bind(product.rawValue)
                        while try statement.step() {
                            found.insert(try statement.word("an unpaid order"))
                        }
                    }
                }
            }
        }
        return found
    }

    mutating func order(_ id: OrderID) throws(SQLiteError) -> OrderFacts? {
        guard let order = try bareOrder(id) else { return nil }
        return OrderFacts(order: order, events: try events(of: id))
    }

    /// An order as it was opened.
    mutating func bareOrder(_ id: OrderID) throws(SQLiteError) -> Order? {
        let sql = Statements.order
        return try database.withStatement(sql) { statement throws(SQLiteError) -> Order? in
            try statement.bind(id.rawValue)
            return try statement.step() ? try statement.order() : nil
        }
    }

    private mutating func events(of id: OrderID) throws(SQLiteError) -> [OrderEvent] {
        let sql = """
            SELECT number, kind, book_id, transaction_id, at_ms FROM order_events
            WHERE order_id = ? ORDER BY number
            """
        let rows = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(id.rawValue)
            var rows: [EventRow] = []
            while try statement.step() { rows.append(try EventRow(&statement)) }
            return rows
        }
        var events: [OrderEvent] = []
        for row in rows {
            var reference: TransactionReference?
            if let book = row.book, let transaction = row.transaction {
                reference = TransactionReference(book: try self.book(book), id: transaction)
            }
            events.append(
                OrderEvent(
                    orderID: id, number: row.number, kind: row.kind, transaction: reference,
                    at: row.at))
        }
        return events
    }

    private mutating func answer(
        _ key: IdempotencyKey
    ) throws(SQLiteError) -> StoredAnswer? {
        let sql = """
            SELECT input_digest, answer, at_ms FROM idempotent_answers
            WHERE caller = ? AND key = ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(key.caller)
            try statement.bind(key.key)
            guard try statement.step(),
                let known = IdempotencyKey(
                    caller: key.caller, key: key.key, input: statement.bytes())
            else { return nil }
            return StoredAnswer(key: known, answer: statement.text(), at: statement.time())
        }
    }
}

/// An order's event before its book is known.
private struct EventRow {
    let number: Int
    let kind: OrderEvent.Kind
    let book: Int64?
    let transaction: TransactionID?
    let at: Timestamp

    init(_ statement: inout SQLiteStatement) throws(SQLiteError) {
        number = Int(statement.int64())
        kind = try statement.word("an order's event")
        book = statement.optionalInt64()
        transaction = statement.optionalText().map { TransactionID($0) }
        at = statement.time()
    }
}
