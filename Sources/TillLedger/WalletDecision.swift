public import AppStoreModel

extension Ledger {
    /// Spends from a wallet, never below zero; durable when this returns.
    ///
    /// The same request again answers as the first did, with the balance of now.
    public func spend(
        _ request: SpendRequest, now: Timestamp
    ) async throws(LedgerError) -> SpendAnswer {
        try await store.transact(reading: FactQuery(wallet: request.place)) { snapshot in
            decideSpend(request, snapshot: snapshot, now: now)
                .telling(over: snapshot, under: catalog)
        }
    }

    /// Gives a credit without a purchase; durable when this returns.
    ///
    /// The same request again answers as the first did, with the balance of now.
    public func credit(
        _ request: CreditRequest, now: Timestamp
    ) async throws(LedgerError) -> CreditAnswer {
        try await store.transact(reading: FactQuery(wallet: request.place)) { snapshot in
            decideCredit(request, snapshot: snapshot, now: now)
                .telling(over: snapshot, under: catalog)
        }
    }

    /// A customer's wallet entry by entry, newest first.
    ///
    /// - Parameters:
    ///   - customer: Whose.
    ///   - place: The last entry of the page before; nil for the newest.
    ///   - limit: The most entries; at most ``historyLimit``.
    /// - Returns: The entries from after the place on.
    /// - Throws: What keeps the store from being read.
    public func statement(
        of customer: CustomerID, after place: StatementPlace? = nil, limit: Int = 50
    ) async throws(LedgerError) -> [StatementEntry] {
        try await store.statement(
            of: customer, after: place, limit: min(max(limit, 1), Self.historyLimit))
    }
}

extension FactQuery {
    /// A query for one wallet and one movement in it.
    init(wallet: MovementPlace) {
        self.init()
        self.wallet = wallet
    }
}

extension FactSnapshot {
    /// A place in a wallet under the name of the customer that counts, so that a movement's name is taken once.
    func named(_ place: MovementPlace) -> MovementPlace {
        MovementPlace(
            book: place.book, customer: names.canonical(place.customer), id: place.id)
    }
}

func decideSpend(
    _ request: SpendRequest, snapshot: FactSnapshot, now: Timestamp
) -> Decision<SpendAnswer> {
    let balance = snapshot.wallet.balances[request.currency] ?? 0
    if let known = snapshot.wallet.movement {
        let isSame =
            known.account == .spent && known.currency == request.currency
            && known.amount == -request.amount
        return Decision(answer: isSame ? .spent(known, balance: balance) : .nameTaken)
    }
    guard balance >= request.amount else {
        return Decision(answer: .insufficient(balance: balance))
    }
    let movement = WalletMovement(
        place: snapshot.named(request.place), currency: request.currency, amount: -request.amount,
        account: .spent, reason: request.reason, at: now)
    return Decision(
        facts: [.movement(movement)],
        answer: .spent(movement, balance: balance - request.amount))
}

func decideCredit(
    _ request: CreditRequest, snapshot: FactSnapshot, now: Timestamp
) -> Decision<CreditAnswer> {
    let balance = snapshot.wallet.balances[request.currency] ?? 0
    if let known = snapshot.wallet.movement {
        let isSame =
            known.account == .promotions && known.currency == request.currency
            && known.amount == request.amount
        return Decision(answer: isSame ? .given(known, balance: balance) : .nameTaken)
    }
    let movement = WalletMovement(
        place: snapshot.named(request.place), currency: request.currency, amount: request.amount,
        account: .promotions, reason: request.reason, at: now)
    return Decision(
        facts: [.movement(movement)],
        answer: .given(movement, balance: balance + request.amount))
}

/// One line of a wallet's statement.
public struct StatementEntry: Sendable, Hashable {
    /// What moved it.
    public enum Cause: Sendable, Hashable {
        /// A purchase granted (turn 0), taken back or given back.
        case purchase(GrantKey, turn: Int)
        /// Something spent.
        case spend(MovementID)
        /// Something that the backend gave.
        case promotion(MovementID)
    }

    /// The book.
    public let book: Book
    /// The currency.
    public let currency: WalletCurrency
    /// What was added; below zero what was taken.
    public let amount: Int64
    /// What a refund could not take, and is owed; below zero what is owed no more.
    public let debt: Int64
    /// What moved it.
    public let cause: Cause
    /// What it was for, where somebody said.
    public let reason: String?
    /// When, by the server's clock.
    public let at: Timestamp

    /// Makes a line.
    public init(
        book: Book, currency: WalletCurrency, amount: Int64, debt: Int64, cause: Cause,
        reason: String?, at: Timestamp
    ) {
        self.book = book
        self.currency = currency
        self.amount = amount
        self.debt = debt
        self.cause = cause
        self.reason = reason
        self.at = at
    }

    /// Its place in the statement.
    public var place: StatementPlace { StatementPlace(at: at, key: key) }

    /// What tells it from the others of the same moment: the same text in every store.
    private var key: String {
        switch cause {
        case .purchase(let key, let turn): "\(key)/\(turn)/\(currency)"
        case .spend(let id), .promotion(let id): "~\(id)/\(currency)"
        }
    }
}

/// A place in a statement, newest first.
public struct StatementPlace: Sendable, Hashable, Comparable {
    /// The moment of the entry.
    public let at: Timestamp
    /// What tells entries of one moment apart.
    public let key: String

    /// Names a place.
    public init(at: Timestamp, key: String) {
        self.at = at
        self.key = key
    }

    /// Orders the older before the newer; texts by their bytes, as the databases do.
    public static func < (left: StatementPlace, right: StatementPlace) -> Bool {
        if left.at != right.at { return left.at < right.at }
        return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
}
