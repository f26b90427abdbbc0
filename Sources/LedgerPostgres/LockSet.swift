import AppStoreModel
import PostgresDriver
import TillLedger

/// What a decision must have for itself while it reads, decides and records.
///
/// Six kinds of things have locks: a customer's name (with orders, wallet, refusals, events and signals), a
/// purchase (with its transactions, what Apple signed about them and its grant), an original transaction
/// (with its owner, those who share it and its renewals), a notification, a task, and an idempotency key.
/// Whatever a decision reads or writes belongs to one of them.
///
/// A customer with several names is locked by all of them, so that two who come under different names meet.
///
/// The locks are PostgreSQL's advisory locks, which end with the transaction. Their names are 32 bits of
/// a fingerprint: two things that share one wait for one another without need, and nothing worse.
struct LockSet: Sendable, Hashable {
    private(set) var names: Set<Int32> = []

    init() {}

    /// What is named before anything was read.
    init(_ query: FactQuery) {
        for (book, keys) in query.books {
            for key in keys.grants { insert(key, book) }
            for original in keys.originals.union(keys.renewals).union(keys.subscriptions) {
                insert(original: original, book)
            }
            for id in keys.notifications { insert(id, book) }
        }
        for customer in query.everyCustomer { insert(customer) }
        if let key = query.idempotency { insert(key) }
    }

    /// What was read and what shall be written.
    ///
    /// Whoever changes a period has the lock of its original too, so that does for a subscription's others.
    init(_ snapshot: FactSnapshot, _ facts: [Fact], for query: FactQuery) {
        for (book, found) in snapshot.books {
            let subscriptions = query.books[book]?.subscriptions ?? []
            for transaction in found.transactions.values
            where !transaction.grantKey.isPeriod
                || !subscriptions.contains(transaction.originalID)
            {
                insert(transaction.grantKey, book)
            }
            for customer in found.balances.keys { insert(customer) }
            for original in found.owners.keys { insert(original: original, book) }
        }
        for order in snapshot.orders.values { insert(order.order.customer) }
        for (name, into) in snapshot.names.merges {
            insert(name)
            insert(into)
        }
        for fact in facts { insert(fact) }
    }

    private mutating func insert(_ fact: Fact) {
        switch fact {
        case .transaction(let book, let transaction):
            insert(transaction.grantKey, book)
            insert(original: transaction.originalID, book)
            if let customer = transaction.customer { insert(customer) }
        case .claimed(_, let claim): insert(claim.customer)
        case .renewal(let book, let observation):
            insert(original: observation.originalID, book)
        case .renewalSignedAgain(let book, let original, _, _):
            insert(original: original, book)
        case .told(let book, let tale): insert(original: tale.originalID, book)
        case .notification(let book, let notification): insert(notification.id, book)
        case .ownership(let book, let ownership): insert(original: ownership.originalID, book)
        case .share(let book, let share): insert(original: share.originalID, book)
        case .merge(let merge):
            insert(merge.from)
            insert(merge.into)
        case .signal(let signal): insert(signal.customer)
        case .grant(let book, let grant): insert(grant.key, book)
        case .grantChange(let book, let change): insert(change.key, book)
        case .walletEntry(let book, let entry):
            insert(entry.key, book)
            insert(entry.customer)
        case .movement(let movement): insert(movement.place.customer)
        case .promotion(let promotion): insert(promotion.place.customer)
        case .promotionEnded(let place, _): insert(place.customer)
        case .refusal(_, let refusal): insert(refusal.customer)
        case .answer(let answer): insert(answer.key)
        case .event(let event, _): insert(event.customer)
        case .task(let task): insert("task", task.key.kind.rawValue, task.key.subject)
        // Who opens an order reads nothing that others write. An event's order and an observation's
        // transaction were read, so they are in the snapshot.
        // Proofs and tracks stay as they were when known, so nothing hangs on who is first.
        case .orderOpened, .orderEvent, .observation, .signedAgain, .proof, .track: break
        }
    }

    private mutating func insert(_ customer: CustomerID) { insert("customer", customer.rawValue) }

    private mutating func insert(_ key: GrantKey, _ book: Book) {
        insert("purchase", "\(book)", key.rawValue)
    }

    private mutating func insert(original: TransactionID, _ book: Book) {
        insert("original", "\(book)", original.rawValue)
    }

    private mutating func insert(_ id: NotificationID, _ book: Book) {
        insert("notification", "\(book)", id.rawValue)
    }

    private mutating func insert(_ key: IdempotencyKey) { insert("key", key.caller, key.key) }

    private mutating func insert(_ words: String...) {
        var hash = fingerprint([])
        // 0xFF is in no UTF-8, so that words which were joined otherwise differ.
        for word in words {
            hash = fingerprint(CollectionOfOne(0xFF), from: fingerprint(word.utf8, from: hash))
        }
        names.insert(Int32(truncatingIfNeeded: hash ^ hash >> 32))
    }
}

/// How a ledger's locks are named in a database that others may use too, other ledgers among them.
struct LockSpace: Sendable {
    /// The most locks that one transaction takes by name; one that needs more has the ledger to itself.
    ///
    /// The server has room for `max_locks_per_transaction` (64) times `max_connections` (100) in all.
    static let mostNames = 256

    private let names: Int64
    private let whole: Int64

    /// The locks of the ledger in a schema, by the schema's number.
    init(schema: Int64) {
        names = Int64(Int32(truncatingIfNeeded: 0x5469_6C6C ^ schema << 1))
        whole = Int64(Int32(truncatingIfNeeded: (0x5469_6C6C ^ schema << 1) + 1))
    }

    /// Takes locks, in the same order as everybody, so that nobody waits in a circle; held to the end
    /// of the transaction.
    func taking(_ locks: LockSet) -> [PostgresQuery] {
        guard locks.names.count <= Self.mostNames else { return [takingWhole] }
        let share = PostgresQuery(
            "SELECT pg_advisory_xact_lock_shared($1::int, 0)", [.int64(whole)])
        guard !locks.names.isEmpty else { return [share] }
        let each = PostgresQuery(
            """
            SELECT count(pg_advisory_xact_lock($1::int, name::int)::text)
            FROM unnest($2::bigint[]) AS name
            """, [.int64(names), .int64s(locks.names.sorted().map { Int64($0) })])
        return [share, each]
    }

    /// Takes the whole ledger.
    var takingWhole: PostgresQuery {
        PostgresQuery("SELECT pg_advisory_xact_lock($1::int, 0)", [.int64(whole)])
    }

    /// Whether a set is taken as the whole ledger.
    static func isWhole(_ locks: LockSet) -> Bool { locks.names.count > mostNames }
}

extension LockSet {
    /// Whether another set has all of these.
    func isCovered(by other: LockSet) -> Bool { names.isSubset(of: other.names) }

    /// Whether another set has none of these.
    func isDisjoint(with other: LockSet) -> Bool { names.isDisjoint(with: other.names) }

    /// Takes in another set.
    mutating func formUnion(_ other: LockSet) { names.formUnion(other.names) }
}
