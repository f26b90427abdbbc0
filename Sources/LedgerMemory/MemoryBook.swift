import AppStoreModel
import TillLedger

/// What is recorded in one book.
struct MemoryBook: Sendable {
    private var everything = BookFacts()
    private var owners: [TransactionID: [Ownership]] = [:]
    private var entries: [GrantKey: [WalletEntry]] = [:]
    private var wallets: [CustomerID: MemoryWallet] = [:]
    private(set) var news = MemoryNews()
    private var tracks: [TransactionID: Track] = [:]
    private(set) var refusals: [RefusalPlace: RecordedRefusal] = [:]
    private(set) var keys: Set<GrantKey> = []
    private var purchasesOf: [TransactionID: Set<GrantKey>] = [:]
    private var held: [CustomerID: Set<GrantKey>] = [:]
    private var shares: [TransactionID: [Share]] = [:]

    func facts(
        _ query: BookQuery, in book: Book, viewer names: [CustomerID],
        namesOf: (CustomerID) -> [CustomerID]
    ) -> BookFacts {
        var facts = BookFacts()
        var keys = query.grants
        for id in query.transactions {
            if let key = everything.transactions[id]?.grantKey { keys.insert(key) }
        }
        for original in query.originals {
            let owner = owners[original]?.last
            facts.owners[original] = owner
            if owner == nil || (query.viewer != nil && owner?.customer != query.viewer) {
                keys.formUnion(purchasesOf[original] ?? [])
                facts.shares[original] = shares[original]
            }
        }
        for original in query.subscriptions {
            keys.formUnion(newestPeriods(of: original))
        }
        for key in keys {
            for transaction in everything.transactions(of: key) {
                facts.include(transaction)
                facts.observations[transaction.id] = everything.observations[transaction.id]
            }
            facts.grants[key] = everything.grants[key]
            facts.changes[key] = everything.changes[key]
            guard let grant = everything.grants[key], !grant.credits.isEmpty else { continue }
            facts.entries[key] = entries[key]
            if query.includesBalances {
                for name in namesOf(grant.customer) {
                    facts.balances[name] = wallets[name]?.balances ?? [:]
                }
            }
        }
        news.include(in: &facts, query)
        if let customer = query.viewer {
            for id in query.transactions {
                for reason in RefusalReason.allCases {
                    let shown = ShownRefusal(transactionID: id, reason: reason)
                    let place = RefusalPlace(shown: shown, customer: customer)
                    if refusals[place] != nil { facts.refusals.insert(shown) }
                }
            }
            for use in introductoryOffers(of: names, in: book) {
                guard let group = use.groupID, query.introductoryGroups.contains(group) else {
                    continue
                }
                facts.introductoryUses[group, default: []].insert(use.originalID)
            }
        }
        return facts
    }

    func purchase(_ key: GrantKey, in book: Book) -> PurchaseFacts {
        let transactions = everything.transactions(of: key)
        return PurchaseFacts(
            book: book, key: key, transactions: transactions,
            observations: transactions.flatMap { everything.observations[$0.id] ?? [] },
            grant: everything.grants[key], changes: everything.changes[key] ?? [])
    }

    /// What nobody has claimed.
    var unclaimed: [RecordedTransaction] {
        keys.flatMap { everything.transactions(of: $0) }.filter { $0.holder == nil }
    }

    /// The purchases that a customer holds or shares.
    func purchases(heldBy customer: CustomerID) -> Set<GrantKey> {
        let shared = shares.values.joined().filter { $0.customer == customer }
            .flatMap { purchasesOf[$0.originalID] ?? [] }
        return (held[customer] ?? []).union(shared)
    }

    /// The newest periods of a subscription, for telling what became of it.
    private func newestPeriods(of original: TransactionID) -> Set<GrantKey> {
        let transactions = (purchasesOf[original] ?? []).filter(\.isPeriod)
            .flatMap { everything.transactions(of: $0) }
            .sorted { $0.purchaseDate > $1.purchaseDate }
        return Set(transactions.prefix(DecidingPeriods.forTelling).map(\.grantKey))
    }

    /// Every purchase of an original transaction that is known.
    func purchases(of original: TransactionID) -> Set<GrantKey> { purchasesOf[original] ?? [] }

    private mutating func noteHolders(of key: GrantKey, instead former: Set<CustomerID> = []) {
        for customer in former { held[customer]?.remove(key) }
        for holder in everything.transactions(of: key).compactMap(\.holder) {
            held[holder, default: []].insert(key)
        }
    }

    /// Every owner of the purchase's original.
    func owners(of key: GrantKey) -> [Ownership] {
        everything.transactions(of: key).first.flatMap { owners[$0.originalID] } ?? []
    }

    func entries(of key: GrantKey) -> [WalletEntry] { entries[key] ?? [] }

    func balances(of customer: CustomerID, in book: Book) -> [Balance] {
        guard let wallet = wallets[customer] else { return [] }
        return wallet.balances.map { currency, amount in
            Balance(
                book: book, currency: currency, amount: amount,
                debt: wallet.debts[currency] ?? 0)
        }
    }

    func wallet(of customer: CustomerID) -> MemoryWallet { wallets[customer] ?? MemoryWallet() }

    func isTaken(_ key: MemoryBookKey) -> Bool {
        switch key {
        case .transaction(let id): everything.transactions[id] != nil
        case .claim(let id): everything.transactions[id]?.holder != nil
        case .observation(let id, let number):
            everything.observations[id]?.contains { $0.number == number } ?? false
        case .renewal(let id, let number): news.isTaken(id, number)
        case .tale(let id, let number): news.isTaken(id, tale: number)
        case .notification(let id): news.notifications[id] != nil
        case .ownership(let id, let number):
            owners[id]?.contains { $0.number == number } ?? false
        case .share(let id, let number):
            shares[id]?.contains { $0.number == number } ?? false
        case .grant(let key): everything.grants[key] != nil
        case .grantChange(let key, let turn):
            everything.changes[key]?.contains { $0.turn == turn } ?? false
        case .movement(let customer, let id): wallets[customer]?.movements[id] != nil
        case .promotion(let customer, let id): wallets[customer]?.promotions[id] != nil
        case .promotionEnded(let customer, let id):
            wallets[customer]?.promotions[id]?.endedAt != nil
        case .walletEntry(let key, let turn, let currency):
            entries[key]?.contains { $0.turn == turn && $0.currency == currency } ?? false
        }
    }

    mutating func include(_ fact: Fact) {
        switch fact {
        case .transaction(_, let transaction):
            everything.include(transaction)
            keys.insert(transaction.grantKey)
            purchasesOf[transaction.originalID, default: []].insert(transaction.grantKey)
            noteHolders(of: transaction.grantKey)
        case .claimed(_, let claim):
            everything.include(claim)
            if let key = everything.transactions[claim.transactionID]?.grantKey {
                noteHolders(of: key)
            }
        case .observation(_, let id, let observation):
            everything.observations[id, default: []].append(observation)
        case .signedAgain(_, let id, let number, let time):
            raise(id, number, to: time)
        case .renewal(_, let observation): news.include(observation)
        case .renewalSignedAgain(_, let id, let number, let time): news.raise(id, number, to: time)
        case .told(_, let tale): news.include(tale)
        case .notification(_, let notification): news.include(notification)
        case .ownership(_, let ownership):
            owners[ownership.originalID, default: []].append(ownership)
            let former = Set(owners[ownership.originalID]?.map(\.customer) ?? [])
            everything.include(ownership)
            for key in purchasesOf[ownership.originalID] ?? [] where ownership.number > 0 {
                let holders = everything.transactions(of: key).compactMap(\.holder)
                noteHolders(of: key, instead: former.union(holders))
            }
        case .share(_, let share): shares[share.originalID, default: []].append(share)
        case .grant(_, let grant): everything.grants[grant.key] = grant
        case .grantChange(_, let change):
            everything.changes[change.key, default: []].append(change)
        case .walletEntry(_, let entry):
            entries[entry.key, default: []].append(entry)
            wallets[entry.customer, default: MemoryWallet()].include(entry)
        case .movement(let movement):
            wallets[movement.place.customer, default: MemoryWallet()].include(movement)
        case .promotion(let promotion):
            wallets[promotion.place.customer, default: MemoryWallet()].include(promotion)
        case .promotionEnded(let place, let time):
            wallets[place.customer, default: MemoryWallet()].end(place.id, at: time)
        case .refusal(_, let refusal):
            let shown = ShownRefusal(
                transactionID: refusal.transactionID, reason: refusal.reason)
            let place = RefusalPlace(shown: shown, customer: refusal.customer)
            if refusals[place] == nil { refusals[place] = refusal }
        case .track(_, let track):
            if tracks[track.transactionID] == nil { tracks[track.transactionID] = track }
        case .orderOpened, .orderEvent, .proof, .answer, .event, .task, .merge, .signal:
            preconditionFailure("a fact of no book was given to one")
        }
    }

    mutating func pruneRefusals(before time: Timestamp, limit: Int) -> Int {
        let old = Array(refusals.filter { $0.value.at < time }.keys.prefix(limit))
        for place in old { refusals[place] = nil }
        return old.count
    }

    // MARK: Customers

    /// Transactions that nobody owns, by id.
    func unclaimed(after id: TransactionID?) -> [RecordedTransaction] {
        everything.transactions.values
            .filter { $0.holder == nil && $0.id.rawValue > id?.rawValue ?? "" }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// The introductory offers that any of the names has or had.
    func introductoryOffers(of names: [CustomerID], in book: Book) -> [IntroductoryOfferUse] {
        var found: [IntroductoryOfferUse] = []
        for transaction in everything.transactions.values
        where [transaction.customer, transaction.holder].contains(where: {
            $0.map(names.contains) ?? false
        }) {
            let observations = everything.observations[transaction.id] ?? []
            guard observations.contains(where: { $0.fields.offerType == .introductory }) else {
                continue
            }
            let groups = observations.compactMap(\.fields.subscriptionGroupID)
            found.append(
                IntroductoryOfferUse(
                    book: book, groupID: groups.max { $0.rawValue < $1.rawValue },
                    productID: transaction.productID, transactionID: transaction.id,
                    originalID: transaction.originalID, purchaseDate: transaction.purchaseDate))
        }
        return found
    }

    /// Whether anything is recorded under a name.
    func knows(_ name: CustomerID) -> Bool {
        held[name] != nil || wallets[name] != nil
            || everything.transactions.values.contains { $0.customer == name }
            || owners.values.joined().contains { $0.customer == name }
            || shares.values.joined().contains { $0.customer == name }
            || refusals.keys.contains { $0.customer == name }
            || tracks.values.contains { $0.customer == name }
    }

    /// Replaces names, and drops their analytics.
    mutating func rename(_ pseudonym: Renaming) {
        var renamed = BookFacts()
        for transaction in everything.transactions.values {
            renamed.include(pseudonym(transaction))
        }
        renamed.observations = everything.observations
        renamed.grants = everything.grants.mapValues { pseudonym($0) }
        renamed.changes = everything.changes
        renamed.owners = everything.owners.mapValues { pseudonym($0) }
        everything = renamed
        owners = owners.mapValues { $0.map { pseudonym($0) } }
        shares = shares.mapValues { $0.map { pseudonym($0) } }
        entries = entries.mapValues { $0.map { pseudonym($0) } }
        wallets = pseudonym(keys: wallets.mapValues { $0.renamed(pseudonym) })
        held = pseudonym(keys: held)
        tracks = tracks.filter { !pseudonym.names.contains($1.customer) }
        refusals = Dictionary(
            uniqueKeysWithValues: refusals.map { place, refusal in
                (
                    RefusalPlace(shown: place.shown, customer: pseudonym(place.customer)),
                    pseudonym(refusal)
                )
            })
    }

    private mutating func raise(_ id: TransactionID, _ number: Int, to time: Timestamp) {
        guard
            let place = everything.observations[id]?.firstIndex(where: { $0.number == number }),
            let before = everything.observations[id]?[place].signedAt, before < time
        else { return }
        everything.observations[id]?[place].signedAt = time
    }
}

/// Where a refusal is kept.
struct RefusalPlace: Hashable, Sendable {
    let shown: ShownRefusal
    let customer: CustomerID
}

/// What a fact takes within its book.
enum MemoryBookKey: Hashable {
    case transaction(TransactionID)
    case claim(TransactionID)
    case observation(TransactionID, Int)
    case renewal(TransactionID, Int)
    case tale(TransactionID, Int)
    case notification(NotificationID)
    case ownership(TransactionID, Int)
    case share(TransactionID, Int)
    case grant(GrantKey)
    case grantChange(GrantKey, Int)
    case walletEntry(GrantKey, Int, WalletCurrency)
    case movement(CustomerID, MovementID)
    case promotion(CustomerID, MovementID)
    case promotionEnded(CustomerID, MovementID)
}
