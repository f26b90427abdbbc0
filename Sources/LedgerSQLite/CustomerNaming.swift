import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Records that two names are one customer's; throws a duplicate key when the first is merged already.
    mutating func append(_ merge: Merge) throws(SQLiteError) {
        let sql = "INSERT INTO aliases (customer_id, into_customer_id, at_ms) VALUES (?, ?, ?)"
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(merge.from.rawValue)
            try statement.bind(merge.into.rawValue)
            try statement.bind(merge.at.milliseconds)
        }
        moment.hasAliases = true
    }

    /// Every name of a customer, the one that counts first, and what the store knows of them.
    mutating func everyName(
        of customer: CustomerID
    ) throws(SQLiteError) -> (all: [CustomerID], names: CustomerNames) {
        var names = CustomerNames()
        guard try hasAliases() else { return ([customer], names) }
        try follow(customer, into: &names)
        var all = [names.canonical(customer)]
        var next = 0
        let sql = "SELECT customer_id, at_ms FROM aliases WHERE into_customer_id = ?"
        while next < all.count {
            let into = all[next]
            next += 1
            let merges = try database.withStatement(sql) { statement throws(SQLiteError) in
                try statement.bind(into.rawValue)
                var found: [Merge] = []
                while try statement.step() {
                    found.append(
                        Merge(
                            from: try statement.word("a merged name"), into: into,
                            at: statement.time()))
                }
                return found
            }
            for merge in merges where !all.contains(merge.from) {
                names.include(merge)
                all.append(merge.from)
            }
        }
        return (all, names)
    }

    private mutating func follow(
        _ customer: CustomerID, into names: inout CustomerNames
    ) throws(SQLiteError) {
        let sql = "SELECT into_customer_id, at_ms FROM aliases WHERE customer_id = ?"
        var name = customer
        while names.merges[name] == nil {
            let from = name
            let row = try database.withStatement(sql) {
                statement throws(SQLiteError) -> (into: CustomerID?, at: Timestamp)? in
                try statement.bind(from.rawValue)
                guard try statement.step() else { return nil }
                return (try statement.optionalWord("a name"), statement.time())
            }
            guard let row else { return }
            guard let into = row.into else { return names.include(erased: from) }
            names.include(Merge(from: from, into: into, at: row.at))
            name = into
        }
    }

    /// What is special about the names that a snapshot brings up; those that were looked up stay as they are.
    mutating func addNames(
        to snapshot: inout FactSnapshot, for query: FactQuery, except known: [CustomerID]
    ) throws(SQLiteError) {
        guard try hasAliases() else { return }
        var customers = query.customers
        for order in snapshot.orders.values { customers.insert(order.order.customer) }
        for book in snapshot.books.values {
            for owner in book.owners.values { customers.insert(owner.customer) }
            for share in book.shares.values.joined() { customers.insert(share.customer) }
            for transaction in book.transactions.values {
                if let holder = transaction.holder { customers.insert(holder) }
            }
            customers.formUnion(book.balances.keys)
            for grant in book.grants.values { customers.insert(grant.customer) }
        }
        for customer in customers.subtracting(known) {
            try follow(customer, into: &snapshot.names)
        }
    }
}
