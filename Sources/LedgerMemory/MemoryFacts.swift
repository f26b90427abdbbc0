import AppStoreModel
import TillLedger

/// Everything recorded, with the look-ups that a database would have indexes for.
struct MemoryFacts: Sendable {
    var isClosed = false
    private(set) var orders: [OrderID: OrderFacts] = [:]
    private(set) var proofs: [ProofDigest: StoredProof] = [:]
    var tasks = MemoryTasks()
    var deliveries = MemoryDeliveries()
    private(set) var books: [Book: MemoryBook] = [:]
    private var answers: [AnswerPlace: StoredAnswer] = [:]
    private var ordersOf: [CustomerID: [OrderID]] = [:]
    private(set) var customers = MemoryCustomers()

    // MARK: Reading

    func snapshot(_ query: FactQuery) -> FactSnapshot {
        var snapshot = FactSnapshot()
        var named = query.orders
        for (book, keys) in query.books {
            let viewer = keys.viewer.map { customers.everyName(of: $0) } ?? []
            let facts = (books[book] ?? MemoryBook()).facts(
                keys, in: book, viewer: viewer, namesOf: { customers.everyName(of: $0) })
            snapshot.books[book] = facts
            for transaction in facts.transactions.values {
                if let order = transaction.orderID { named.insert(order) }
            }
        }
        for id in named { snapshot.orders[id] = orders[id] }
        if let unpaid = query.unpaidOrders {
            for order in unpaidOrders(unpaid) { snapshot.orders[order.order.id] = order }
        }
        if let place = query.wallet {
            for name in customers.everyName(of: place.customer) {
                let wallet = wallet(of: name, in: place.book)
                snapshot.wallet.balances.merge(wallet.balances, uniquingKeysWith: +)
                snapshot.wallet.movement = snapshot.wallet.movement ?? wallet.movements[place.id]
            }
        }
        if let place = query.promotion {
            snapshot.promotion =
                customers.everyName(of: place.customer).lazy
                .compactMap { wallet(of: $0, in: place.book).promotions[place.id] }.first
        }
        snapshot.names = customers.names
        snapshot.answer = query.idempotency.flatMap { answers[AnswerPlace($0)] }
        return snapshot
    }

    private func unpaidOrders(_ query: UnpaidOrdersQuery) -> [OrderFacts] {
        customers.everyName(of: query.customer).flatMap { unpaidOrders(query, of: $0) }
    }

    private func unpaidOrders(
        _ query: UnpaidOrdersQuery, of name: CustomerID
    ) -> [OrderFacts] {
        let mine = (ordersOf[name] ?? []).compactMap { orders[$0] }
            .filter { $0.payment == nil }
            .sorted(by: Self.isNewer)
        return query.products.flatMap { bundleID, products in
            products.flatMap { product in
                mine.filter {
                    $0.order.bundleID == bundleID && $0.order.productID == product
                }
                .prefix(FactQuery.mostUnpaidOrders)
            }
        }
    }

    private func wallet(of customer: CustomerID, in book: Book) -> MemoryWallet {
        books[book]?.wallet(of: customer) ?? MemoryWallet()
    }

    func statement(
        of customer: CustomerID, after place: StatementPlace?, limit: Int
    ) -> [StatementEntry] {
        let names = customers.everyName(of: customer)
        let lines = books.flatMap { book, facts in
            names.flatMap { facts.wallet(of: $0).statement(in: book) }
        }
        let rest = lines.filter { line in place.map { line.place < $0 } ?? true }
        return Array(rest.sorted { $0.place > $1.place }.prefix(limit))
    }

    func lostOrderSuspects(of app: BundleID, limit: Int) -> [LostOrderSuspect] {
        let mine = orders.values.filter { $0.order.bundleID == app }
        let unfulfilled = mine.compactMap { facts -> LostOrderSuspect? in
            guard let payment = facts.payment,
                !facts.events.contains(where: { [.fulfilled, .refunded].contains($0.kind) })
            else { return nil }
            return LostOrderSuspect(
                order: facts.order, suspicion: .paidNotFulfilled, transaction: payment)
        }
        let unclaimed = books.filter { $0.key.bundleID == app }.flatMap { book, facts in
            facts.unclaimed.flatMap { transaction in
                mine.filter {
                    $0.payment == nil && $0.order.productID == transaction.productID
                        && abs(
                            $0.order.openedAt.milliseconds
                                - transaction.purchaseDate.milliseconds) <= LostOrderSuspect.window
                }
                .map {
                    LostOrderSuspect(
                        order: $0.order, suspicion: .unclaimedPayment,
                        transaction: TransactionReference(book: book, id: transaction.id))
                }
            }
        }
        let sorted = (unfulfilled + unclaimed).sorted { left, right in
            if left.order.openedAt != right.order.openedAt {
                return left.order.openedAt > right.order.openedAt
            }
            return (left.order.id, left.transaction.id) < (right.order.id, right.transaction.id)
        }
        return Array(sorted.prefix(limit))
    }

    func customer(_ id: CustomerID, limit: Int) -> CustomerFacts {
        let names = customers.everyName(of: id)
        let purchases = books.flatMap { book, facts in
            Set(names.flatMap { facts.purchases(heldBy: $0) }).map { facts.purchase($0, in: book) }
        }
        .sorted(by: Self.isNewer)
        let kept = purchases.enumerated()
            .filter { $0.offset < limit || $0.element.grant?.entitlements.isEmpty == false }
            .map(\.element)
        var found = CustomerFacts(purchases: kept)
        found.customer = names[0]
        found.names = Set(names)
        for name in names {
            found.orders += (ordersOf[name] ?? []).compactMap { self.orders[$0] }
            found.balances += books.flatMap { $1.balances(of: name, in: $0) }
            found.promotions += books.flatMap { $1.wallet(of: name).promotions.values }
        }
        found.refusals = books.flatMap { book, facts in
            facts.refusals.values.filter { names.contains($0.customer) }
                .map { BookedRefusal(book: book, refusal: $0) }
        }
        found.subscriptions = subscriptions(of: purchases)
        found.joinNames(limit: limit)
        return found
    }

    // MARK: Customers

    func unclaimed(
        of app: BundleID, after place: TransactionReference?, limit: Int
    ) -> [UnclaimedTransaction] {
        let rest = books.keys.filter { book in
            book.bundleID == app && place.map { book >= $0.book } ?? true
        }
        return Array(
            rest.sorted().flatMap { book in
                (books[book] ?? MemoryBook())
                    .unclaimed(after: book == place?.book ? place?.id : nil)
                    .map { UnclaimedTransaction(book: book, transaction: $0) }
            }
            .prefix(limit))
    }

    func introductoryOffers(of customer: CustomerID) -> [IntroductoryOfferUse] {
        let names = customers.everyName(of: customer)
        return books.flatMap { $1.introductoryOffers(of: names, in: $0) }
    }

    /// Replaces every name of a customer; false when nothing is recorded of them.
    mutating func erase(_ customer: CustomerID, pseudonym: () -> CustomerID) -> Bool {
        let names = customers.everyName(of: customer)
        let isKnown = names.contains { name in
            ordersOf[name] != nil || customers.knows(name) || deliveries.knows(name)
                || books.values.contains { $0.knows(name) }
                || answers.keys.contains { $0.isOf(name) }
        }
        guard isKnown else { return false }
        let renaming = Renaming(
            Dictionary(uniqueKeysWithValues: names.map { ($0, pseudonym()) }))
        for book in books.keys { books[book]?.rename(renaming) }
        orders = orders.mapValues {
            OrderFacts(order: renaming($0.order), events: $0.events)
        }
        ordersOf = renaming(keys: ordersOf)
        answers = answers.filter { place, _ in !names.contains { place.isOf($0) } }
        deliveries.rename(renaming)
        tasks.rename(renaming)
        customers.erase(renaming, canonical: names[0])
        return true
    }

    func purchases(after place: PurchasePlace?, limit: Int) -> [PurchaseFacts] {
        let everything = books.sorted { $0.key < $1.key }.flatMap { book, facts in
            facts.keys.sorted().map { (book, $0) }
        }
        let rest = everything.drop { book, key in
            place.map { (book, key) <= ($0.book, $0.key) } ?? false
        }
        return rest.prefix(limit).compactMap { book, key in
            var purchase = books[book]?.purchase(key, in: book)
            purchase?.entries = books[book]?.entries(of: key) ?? []
            purchase?.owners = books[book]?.owners(of: key) ?? []
            return purchase
        }
    }

    private static func isNewer(_ left: OrderFacts, _ right: OrderFacts) -> Bool {
        (left.order.openedAt, left.order.id) > (right.order.openedAt, right.order.id)
    }

    private static func isNewer(_ left: PurchaseFacts, _ right: PurchaseFacts) -> Bool {
        guard let leftDate = left.transactions.first?.purchaseDate,
            let rightDate = right.transactions.first?.purchaseDate
        else { return false }
        return (leftDate, left.key) > (rightDate, right.key)
    }

    private static func isNewer(_ left: BookedRefusal, _ right: BookedRefusal) -> Bool {
        (left.refusal.at, left.refusal.transactionID)
            > (right.refusal.at, right.refusal.transactionID)
    }

    // MARK: Recording

    /// Records all, or nothing and false when a key is taken.
    mutating func append(_ facts: [Fact]) -> Bool {
        var added: Set<MemoryKey> = []
        for fact in facts {
            guard let key = MemoryKey(fact) else { continue }
            guard added.insert(key).inserted, !isTaken(key) else { return false }
        }
        for fact in facts { include(fact) }
        return true
    }

    private func isTaken(_ key: MemoryKey) -> Bool {
        switch key {
        case .order(let id): orders[id] != nil
        case .orderEvent(let id, let number):
            orders[id]?.events.contains { $0.number == number } ?? false
        case .payment(let id): orders[id]?.payment != nil
        case .answer(let place): answers[place] != nil
        case .merge(let name): customers.isMerged(name)
        case .book(let book, let key): books[book]?.isTaken(key) ?? false
        }
    }

    private mutating func include(_ fact: Fact) {
        switch fact {
        case .orderOpened(let order):
            orders[order.id] = OrderFacts(order: order)
            ordersOf[order.customer, default: []].append(order.id)
        case .orderEvent(let event):
            orders[event.orderID]?.events.append(event)
        case .proof(let proof):
            if proofs[proof.digest] == nil { proofs[proof.digest] = proof }
        case .merge(let merge): customers.include(merge)
        case .signal(let signal): customers.include(signal)
        case .answer(let answer):
            answers[AnswerPlace(answer.key)] = answer
        case .movement(let movement):
            books[movement.place.book, default: MemoryBook()].include(fact)
        case .promotion(let promotion):
            books[promotion.place.book, default: MemoryBook()].include(fact)
        case .promotionEnded(let place, _):
            books[place.book, default: MemoryBook()].include(fact)
        case .event(let event, let endpoints): deliveries.include(event, to: endpoints)
        case .task(let task): tasks.include(task)
        case .transaction(let book, _), .claimed(let book, _), .observation(let book, _, _),
            .signedAgain(let book, _, _, _),
            .renewal(let book, _), .renewalSignedAgain(let book, _, _, _),
            .told(let book, _), .notification(let book, _), .ownership(let book, _),
            .share(let book, _), .grant(let book, _),
            .grantChange(let book, _),
            .walletEntry(let book, _), .refusal(let book, _), .track(let book, _):
            books[book, default: MemoryBook()].include(fact)
        }
    }
}

// MARK: Forgetting

extension MemoryFacts {
    mutating func prune(_ kind: PrunableRecord, before time: Timestamp, limit: Int) -> Int {
        switch kind {
        case .idempotentAnswers:
            let old = answers.filter { $0.value.at < time }.keys.prefix(limit)
            for place in Array(old) { answers[place] = nil }
            return old.count
        case .refusals:
            var left = limit
            for book in books.keys where left > 0 {
                left -= books[book]?.pruneRefusals(before: time, limit: left) ?? 0
            }
            return limit - left
        case .events: return deliveries.prune(before: time, limit: limit)
        }
    }
}

/// Where an answer is kept.
struct AnswerPlace: Hashable, Sendable {
    // Bytes, since two spellings of an accented letter are two customers.
    private let caller: [UInt8]
    private let key: [UInt8]

    init(_ key: IdempotencyKey) {
        caller = Array(key.caller.utf8)
        self.key = Array(key.key.utf8)
    }

    func isOf(_ customer: CustomerID) -> Bool {
        caller.elementsEqual("customer:\(customer)".utf8)
    }
}

/// What a fact takes, so that no other can.
enum MemoryKey: Hashable {
    case order(OrderID)
    case orderEvent(OrderID, Int)
    case payment(OrderID)
    case answer(AnswerPlace)
    case merge(CustomerID)
    case book(Book, MemoryBookKey)

    /// The key; nil for a fact that stays as it was when known.
    init?(_ fact: Fact) {
        switch fact {
        case .orderOpened(let order): self = .order(order.id)
        case .orderEvent(let event):
            self =
                event.kind == .paid
                ? .payment(event.orderID) : .orderEvent(event.orderID, event.number)
        case .answer(let answer): self = .answer(AnswerPlace(answer.key))
        case .merge(let merge): self = .merge(merge.from)
        case .share(let book, let share):
            self = .book(book, .share(share.originalID, share.number))
        case .transaction(let book, let transaction):
            self = .book(book, .transaction(transaction.id))
        case .claimed(let book, let claim): self = .book(book, .claim(claim.transactionID))
        case .observation(let book, let id, let observation):
            self = .book(book, .observation(id, observation.number))
        case .renewal(let book, let observation):
            self = .book(book, .renewal(observation.originalID, observation.number))
        case .told(let book, let tale):
            self = .book(book, .tale(tale.originalID, tale.number))
        case .notification(let book, let notification):
            self = .book(book, .notification(notification.id))
        case .ownership(let book, let ownership):
            self = .book(book, .ownership(ownership.originalID, ownership.number))
        case .grant(let book, let grant): self = .book(book, .grant(grant.key))
        case .grantChange(let book, let change):
            self = .book(book, .grantChange(change.key, change.turn))
        case .walletEntry(let book, let entry):
            self = .book(book, .walletEntry(entry.key, entry.turn, entry.currency))
        case .movement(let movement):
            let place = movement.place
            self = .book(place.book, .movement(place.customer, place.id))
        case .promotion(let promotion):
            let place = promotion.place
            self = .book(place.book, .promotion(place.customer, place.id))
        case .promotionEnded(let place, _):
            self = .book(place.book, .promotionEnded(place.customer, place.id))
        case .proof, .signedAgain, .renewalSignedAgain, .refusal, .track, .event, .task, .signal:
            return nil
        }
    }
}
