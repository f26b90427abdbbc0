public import AppStoreModel

/// A movement in a customer's wallet that no purchase caused: something spent, or given by the backend.
///
/// Double entry: what leaves the wallet enters the account, and the other way round. Appended, never changed.
public struct WalletMovement: Sendable, Hashable {
    /// The most that one movement may move; keeps every sum far from overflow.
    public static let greatestAmount: Int64 = 1_000_000_000_000

    /// The account on the other side; the raw values stand in the database.
    public enum Account: String, Sendable, Hashable, CaseIterable {
        /// What customers spent.
        case spent
        /// What the backend gave.
        case promotions
    }

    /// Which wallet, and the movement's name in it.
    public let place: MovementPlace
    /// The currency.
    public let currency: WalletCurrency
    /// What is added to the wallet; below zero what is taken.
    public let amount: Int64
    /// The account on the other side.
    public let account: Account
    /// What it was for, in the backend's words.
    public let reason: String?
    /// When it was recorded, by the server's clock.
    public let at: Timestamp

    /// Makes a movement.
    public init(
        place: MovementPlace, currency: WalletCurrency, amount: Int64, account: Account,
        reason: String?, at: Timestamp
    ) {
        self.place = place
        self.currency = currency
        self.amount = amount
        self.account = account
        self.reason = reason
        self.at = at
    }
}

/// A wallet and the name of a movement in it; at most one movement has it.
public struct MovementPlace: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// Whose wallet.
    public let customer: CustomerID
    /// The caller's name for the movement, which makes it happen once.
    public let id: MovementID

    /// Names a place.
    public init(book: Book, customer: CustomerID, id: MovementID) {
        self.book = book
        self.customer = customer
        self.id = id
    }
}

/// The caller's name for a movement or a promotional grant.
public struct MovementID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that a name may have.
    public static let longest = 255

    /// The name as the caller wrote it.
    public let rawValue: String

    /// Takes a name; nil when it is empty, too long or has control characters.
    public init?(rawValue: String) {
        guard isPlainName(rawValue, longest: Self.longest) else { return nil }
        self.rawValue = rawValue
    }

    /// The name.
    public var description: String { rawValue }

    /// Compares the bytes, as the database does.
    public static func == (left: MovementID, right: MovementID) -> Bool {
        left.rawValue.isSameBytes(as: right.rawValue)
    }
}

/// A wish to spend.
public struct SpendRequest: Sendable, Hashable {
    /// The wallet, and the spend's name in it.
    public let place: MovementPlace
    /// The currency.
    public let currency: WalletCurrency
    /// How much, above zero.
    public let amount: Int64
    /// What it is for.
    public let reason: String?

    /// Makes a request; nil when the amount is not in `1...greatestAmount`.
    public init?(
        place: MovementPlace, currency: WalletCurrency, amount: Int64, reason: String? = nil
    ) {
        guard (1...WalletMovement.greatestAmount).contains(amount) else { return nil }
        self.place = place
        self.currency = currency
        self.amount = amount
        self.reason = reason
    }
}

/// What became of a wish to spend.
public enum SpendAnswer: Sendable, Hashable {
    /// It is taken, now or by the same call before.
    case spent(WalletMovement, balance: Int64)
    /// There is less than that; nothing was taken.
    case insufficient(balance: Int64)
    /// The name was used before for another movement; nothing was taken.
    case nameTaken
}

/// What the backend gives to a customer without a purchase.
public struct CreditRequest: Sendable, Hashable {
    /// The wallet, and the credit's name in it.
    public let place: MovementPlace
    /// The currency.
    public let currency: WalletCurrency
    /// How much, above zero.
    public let amount: Int64
    /// Why.
    public let reason: String

    /// Makes a request; nil when the amount is not in `1...greatestAmount`.
    public init?(
        place: MovementPlace, currency: WalletCurrency, amount: Int64, reason: String
    ) {
        guard (1...WalletMovement.greatestAmount).contains(amount) else { return nil }
        self.place = place
        self.currency = currency
        self.amount = amount
        self.reason = reason
    }
}

/// What became of a credit.
public enum CreditAnswer: Sendable, Hashable {
    /// It is given, now or by the same call before.
    case given(WalletMovement, balance: Int64)
    /// The name was used before for another movement; nothing was given.
    case nameTaken
}
