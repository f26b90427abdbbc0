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
    /// When it was opened, by the server's clock.
    public let openedAt: Timestamp
    /// When it counts as expired unless it is paid or deferred.
    public let expiresAt: Timestamp

    /// Makes an order.
    public init(
        id: OrderID, bundleID: BundleID, customer: CustomerID, productID: ProductID,
        quantity: Int64, openedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.bundleID = bundleID
        self.customer = customer
        self.productID = productID
        self.quantity = quantity
        self.openedAt = openedAt
        self.expiresAt = expiresAt
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
        events.filter {
            [.productMismatch, .quantityMismatch, .paidTwice].contains($0.kind)
        }
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
            case .productMismatch, .quantityMismatch, .paidTwice: break
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

    /// Makes a request.
    public init(
        bundleID: BundleID, customer: CustomerID, productID: ProductID, quantity: Int64 = 1
    ) {
        self.bundleID = bundleID
        self.customer = customer
        self.productID = productID
        self.quantity = quantity
    }
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
