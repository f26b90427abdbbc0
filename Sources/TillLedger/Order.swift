public import AppStoreModel

/// The wish to buy, recorded before the payment; never changed.
public struct Order: Sendable, Hashable {
    /// The order's name, which travels with the payment.
    public let id: OrderID
    /// The app.
    public let bundleID: BundleID
    /// Who ordered.
    public let customer: CustomerID
    /// What was ordered.
    public let productID: ProductID
    /// How many units.
    public let quantity: Int64
    /// What the app showed, if it says so.
    public let terms: OrderTerms
    /// When it was opened, by the server's clock.
    public let openedAt: Timestamp
    /// When it counts as expired unless it is paid or deferred.
    public let expiresAt: Timestamp

    /// Makes an order.
    public init(
        id: OrderID, bundleID: BundleID, customer: CustomerID, productID: ProductID,
        quantity: Int64, terms: OrderTerms = OrderTerms(), openedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.bundleID = bundleID
        self.customer = customer
        self.productID = productID
        self.quantity = quantity
        self.terms = terms
        self.openedAt = openedAt
        self.expiresAt = expiresAt
    }
}

/// What the app says of the payment that it is about to ask for; compared with what Apple signs.
public struct OrderTerms: Sendable, Hashable {
    /// The price for all units together, in thousandths of the currency's unit, as Apple signs it.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The environment in which the app buys; a payment of another does not pay for the order.
    public var environment: AppStoreEnvironment?

    /// Makes the terms.
    public init(
        price: Int64? = nil, currency: String? = nil, environment: AppStoreEnvironment? = nil
    ) {
        self.price = price
        self.currency = currency
        self.environment = environment
    }
}

/// Something that happened to an order.
public struct OrderEvent: Sendable, Hashable {
    /// What can happen; the raw values stand in the database.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The buyer waits for somebody's approval.
        case deferred
        /// A verified transaction paid for it.
        case paid
        /// The goods were handed out.
        case fulfilled
        /// What was handed out was taken back.
        case refunded
        /// The refund was reversed and the goods given back.
        case refundReversed
        /// A transaction named it whose product is another; the goods are those really bought.
        case productMismatch
        /// A transaction named it whose quantity is another.
        case quantityMismatch
        /// A transaction of another environment named it; the goods are in that environment's book.
        case environmentMismatch
        /// It was paid, and not at the price or in the currency that the app showed.
        case priceMismatch
        /// A second payment named it.
        case paidTwice
    }

    /// The order.
    public let orderID: OrderID
    /// Its place in the order's story, from 0 on; unique within the order.
    public let number: Int
    /// What happened.
    public let kind: Kind
    /// The transaction behind it, where one is.
    public let transaction: TransactionReference?
    /// When it was recorded, by the server's clock.
    public let at: Timestamp

    /// Makes an event.
    public init(
        orderID: OrderID, number: Int, kind: Kind, transaction: TransactionReference?,
        at: Timestamp
    ) {
        self.orderID = orderID
        self.number = number
        self.kind = kind
        self.transaction = transaction
        self.at = at
    }
}

/// A transaction and the book that it stands in.
public struct TransactionReference: Sendable, Hashable {
    /// The book.
    public let book: Book
    /// The transaction's id within it.
    public let id: TransactionID

    /// Makes a reference.
    public init(book: Book, id: TransactionID) {
        self.book = book
        self.id = id
    }
}

extension OrderEvent.Kind {
    /// Whether it says that something did not fit, and nothing else.
    public var isFlag: Bool {
        switch self {
        case .productMismatch, .quantityMismatch, .environmentMismatch, .priceMismatch,
            .paidTwice:
            true
        case .deferred, .paid, .fulfilled, .refunded, .refundReversed: false
        }
    }
}

/// Where an order stands.
public enum OrderStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waits for its payment.
    case open
    /// Waits for somebody's approval; does not expire.
    case deferred
    /// Paid, and the goods could not be handed out yet.
    case paid
    /// Paid and handed out.
    case fulfilled
    /// Taken back.
    case refunded
    /// Not paid in time; a late payment revives it.
    case expired
}

/// An order with its story, from which its standing follows.
public struct OrderFacts: Sendable, Hashable {
    /// The order.
    public let order: Order
    /// What happened to it, by number.
    public var events: [OrderEvent]

    /// Makes an order's story; the events may come in any order.
    public init(order: Order, events: [OrderEvent] = []) {
        self.order = order
        self.events = events.sorted { $0.number < $1.number }
    }

    /// The transaction that paid it.
    public var payment: TransactionReference? {
        events.first { $0.kind == .paid }?.transaction
    }

    /// What did not fit: the flags that a support person looks for.
    public var flags: [OrderEvent] {
        events.filter { $0.kind.isFlag }
    }

    /// Where it stands at a moment.
    public func status(at now: Timestamp) -> OrderStatus {
        var status = OrderStatus.open
        for event in events {
            switch event.kind {
            case .deferred: if status == .open { status = .deferred }
            case .paid: status = .paid
            case .fulfilled, .refundReversed: status = .fulfilled
            case .refunded: status = .refunded
            case .productMismatch, .quantityMismatch, .environmentMismatch, .priceMismatch,
                .paidTwice:
                break
            }
        }
        return status == .open && now >= order.expiresAt ? .expired : status
    }
}

/// What an app asks for when it opens an order.
public struct OrderRequest: Sendable, Hashable {
    /// The app.
    public var bundleID: BundleID
    /// Who orders.
    public var customer: CustomerID
    /// What is ordered.
    public var productID: ProductID
    /// How many units.
    public var quantity: Int64
    /// What the app showed, if it says so.
    public var terms: OrderTerms

    /// Makes a request.
    public init(
        bundleID: BundleID, customer: CustomerID, productID: ProductID, quantity: Int64 = 1,
        terms: OrderTerms = OrderTerms()
    ) {
        self.bundleID = bundleID
        self.customer = customer
        self.productID = productID
        self.quantity = quantity
        self.terms = terms
    }
}

/// An order that looks as if somebody paid and got nothing.
public struct LostOrderSuspect: Sendable, Hashable {
    /// Why it looks so; the raw values are stable.
    public enum Suspicion: String, Sendable, Hashable, CaseIterable {
        /// Paid, and nothing handed out.
        case paidNotFulfilled
        /// Not paid, while a payment for that product of about that time is claimed by nobody.
        case unclaimedPayment
    }

    /// The order.
    public let order: Order
    /// Why.
    public let suspicion: Suspicion
    /// The payment.
    public let transaction: TransactionReference

    /// Makes a suspect.
    public init(order: Order, suspicion: Suspicion, transaction: TransactionReference) {
        self.order = order
        self.suspicion = suspicion
        self.transaction = transaction
    }

    /// How far in time an unclaimed payment may be from the order, in milliseconds.
    public static let window: Int64 = 24 * 3_600_000
}

/// Why an order was not opened; the raw values are stable.
public enum OrderRefusal: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app is not in the configuration.
    case appUnknown
    /// The product is not in the app's catalog.
    case productUnknown
    /// StoreKit takes one to ten units of a consumable or non-renewing product, and one of the others.
    case quantityInvalid
}

/// What became of a request for an order.
public enum OrderAnswer: Sendable, Hashable {
    /// The order is recorded.
    case opened(OrderFacts)
    /// No order was opened.
    case refused(OrderRefusal)
}
