import AppStoreModel
import PostgresDriver
import TillLedger

/// A name that became part of another, or the pseudonym of somebody who was erased.
struct Alias {
    let name: CustomerID
    /// Nil for somebody who was erased.
    let into: CustomerID?
    let at: Timestamp
}

/// Reads which names are one customer's.
enum NameReading {
    /// The list `names (name)` for a `WITH RECURSIVE`: every name of the customers that a query gives.
    ///
    /// A name is part of one other at most, so whoever goes up and down finds every name and no stranger's.
    static func list(of seeds: String) -> String {
        """
        names (name) AS (
            \(seeds)
            UNION
            SELECT near.name FROM names CROSS JOIN LATERAL (
                SELECT a.into_customer_id AS name FROM aliases a
                WHERE a.customer_id = names.name AND a.into_customer_id IS NOT NULL
                UNION ALL
                SELECT a.customer_id FROM aliases a WHERE a.into_customer_id = names.name) near)
        """
    }

    /// The same for the customer who is a parameter.
    static func list(ofParameter number: Int) -> String {
        list(of: "SELECT $\(number)::text COLLATE \"C\"")
    }

    /// Everything special about all names of these customers.
    static func query(_ customers: some Sequence<CustomerID>) -> PostgresQuery {
        PostgresQuery(
            """
            WITH RECURSIVE \(list(of: "SELECT unnest($1::text[]) COLLATE \"C\""))
            SELECT a.customer_id, a.into_customer_id, a.at_ms
            FROM names JOIN aliases a ON a.customer_id = names.name
            """, [.words(customers.map(\.rawValue))])
    }

    /// Each by its name, which has one at most.
    static func byName(_ aliases: [Alias]) -> [CustomerID: Alias] {
        Dictionary(aliases.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What the query gave.
    static func aliases(_ rows: PostgresRows) throws(PostgresError) -> [Alias] {
        var aliases: [Alias] = []
        while rows.step() { aliases.append(try rows.alias()) }
        return aliases
    }
}

extension PostgresRows {
    /// A row of ``NameReading/query(_:)``.
    func alias() throws(PostgresError) -> Alias {
        Alias(
            name: try word("a merged name"), into: try optionalWord("a name"), at: time())
    }
}

extension CustomerNames {
    /// Takes in what is special about a name.
    mutating func include(_ alias: Alias) {
        guard let into = alias.into else { return include(erased: alias.name) }
        include(Merge(from: alias.name, into: into, at: alias.at))
    }

    /// Takes in what leads from a name to the one that counts.
    mutating func follow(_ customer: CustomerID, in aliases: [CustomerID: Alias]) {
        var name = customer
        while let alias = aliases[name], merges[name] == nil {
            include(alias)
            guard let into = alias.into else { return }
            name = into
        }
    }

    /// Every name of a customer of whom all is known, the one that counts first.
    func all(of customer: CustomerID) -> [CustomerID] {
        let first = canonical(customer)
        return [first] + merges.keys.filter { $0 != first && canonical($0) == first }.sorted()
    }
}

extension FactQuery {
    /// Whoever is named in it.
    var everyCustomer: Set<CustomerID> {
        var all = customers
        for book in books.values {
            if let viewer = book.viewer { all.insert(viewer) }
        }
        if let unpaidOrders { all.insert(unpaidOrders.customer) }
        for place in [wallet, promotion] {
            if let place { all.insert(place.customer) }
        }
        return all
    }
}

extension FactSnapshot {
    /// Whoever the facts bring up and of whose names nothing was read yet.
    func strangers(to query: FactQuery) -> Set<CustomerID> {
        var all: Set<CustomerID> = []
        for order in orders.values { all.insert(order.order.customer) }
        for book in books.values {
            for owner in book.owners.values { all.insert(owner.customer) }
            for share in book.shares.values.joined() { all.insert(share.customer) }
            for transaction in book.transactions.values {
                if let holder = transaction.holder { all.insert(holder) }
            }
            all.formUnion(book.balances.keys)
            for grant in book.grants.values { all.insert(grant.customer) }
        }
        return all.subtracting(query.everyCustomer).subtracting(names.merges.keys)
            .subtracting(names.merges.values).subtracting(names.erased)
    }
}
