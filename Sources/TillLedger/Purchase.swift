public import AppStoreModel

/// Names what was paid for once: a unit bought, or one period of a subscription.
///
/// A restore gives a purchase a new transaction id, and one period can show up under two ids; they all
/// have the same key, and a key is granted at most once.
public struct GrantKey: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key's text: `once/…` or `period/…`.
    public let rawValue: String

    /// Takes the text of a key that was recorded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Derives the key from what Apple signed.
    ///
    /// What expires is a period: original transaction, line item and start, in whole seconds since
    /// receipts have no more. Anything else is one purchase under its original transaction, which for a
    /// consumable is the transaction itself.
    public init(
        originalTransactionID: TransactionID, webOrderLineItemID: WebOrderLineItemID?,
        purchaseDate: Timestamp, expires: Bool
    ) {
        let item = webOrderLineItemID.flatMap { $0.rawValue == "0" ? nil : $0.rawValue }
        if expires || item != nil {
            rawValue = "period/\(originalTransactionID)/\(item ?? "0")/\(purchaseDate.seconds)"
        } else {
            rawValue = "once/\(originalTransactionID)"
        }
    }

    /// The key's text.
    public var description: String { rawValue }

    /// Orders by text, for stable output only.
    public static func < (left: GrantKey, right: GrantKey) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension TransactionID {
    /// Where the keys of an original transaction's purchases lie, by their text.
    public var purchaseKeys: [Range<String>] {
        // "0" follows "/" and "!" is the least sign an id can go on with.
        ["once/\(self)"..<"once/\(self)\u{1}", "period/\(self)/"..<"period/\(self)0"]
    }
}

/// How a transaction found its customer; the raw values stand in the database.
public enum Binding: String, Sendable, Hashable, CaseIterable {
    /// The purchase was known under another transaction id.
    case samePurchase
    /// The signed token names an order of that customer.
    case orderToken
    /// The customer owns the original transaction.
    case originalTransaction
    /// The uploader named an order of theirs.
    case journaledOrder
    /// The uploader had an open order for that product.
    case openOrder
    /// Nothing but the upload itself.
    case uploader
    /// A backend said whose it is.
    case backend
    /// Nobody has shown it yet: Apple told of it, and nothing in it names a customer.
    case unclaimed
    /// The former owner lost it to the one who restored it, as the app's rules allow.
    case transfer
}

/// A transaction as it was recorded when it was first seen.
///
/// Never changed, but that one which nobody owned is claimed once, and that whoever holds it follows the
/// owners of its original.
public struct RecordedTransaction: Sendable, Hashable {
    /// The transaction's id within its book.
    public let id: TransactionID
    /// The first transaction of its chain.
    public let originalID: TransactionID
    /// What was paid for.
    public let grantKey: GrantKey
    /// What was bought.
    public let productID: ProductID
    /// Units.
    public let quantity: Int64
    /// When it was bought, or the period began.
    public let purchaseDate: Timestamp
    /// The period, where Apple named it.
    public let webOrderLineItemID: WebOrderLineItemID?
    /// Whose it was first; nil while it is unclaimed.
    public private(set) var customer: CustomerID?
    /// How that was found.
    public private(set) var binding: Binding
    /// The order that it paid.
    public private(set) var orderID: OrderID?
    /// When it was recorded, by the server's clock.
    public let recordedAt: Timestamp
    /// The number of the original's owner when it was recorded; owners of greater numbers took it over.
    public let ownerNumber: Int
    /// Whose it is now: the first customer, or the owner who took it over.
    public private(set) var holder: CustomerID?
    /// When it was claimed, where nobody owned it before.
    public private(set) var claimedAt: Timestamp?

    /// Makes a record.
    public init(
        id: TransactionID, originalID: TransactionID, grantKey: GrantKey, productID: ProductID,
        quantity: Int64, purchaseDate: Timestamp, webOrderLineItemID: WebOrderLineItemID?,
        customer: CustomerID?, binding: Binding, orderID: OrderID?, recordedAt: Timestamp,
        ownerNumber: Int = 0, holder: CustomerID? = nil, claimedAt: Timestamp? = nil
    ) {
        self.id = id
        self.originalID = originalID
        self.grantKey = grantKey
        self.productID = productID
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.webOrderLineItemID = webOrderLineItemID
        self.customer = customer
        self.binding = binding
        self.orderID = orderID
        self.recordedAt = recordedAt
        self.ownerNumber = ownerNumber
        self.holder = holder ?? customer
        self.claimedAt = claimedAt
    }

    /// Takes in a claim; false when somebody owns it already.
    public mutating func include(_ claim: Claim) -> Bool {
        guard holder == nil else { return false }
        customer = claim.customer
        holder = claim.customer
        binding = claim.binding
        orderID = claim.orderID
        claimedAt = claim.at
        return true
    }

    /// Takes in a later owner of its original.
    public mutating func include(_ ownership: Ownership) {
        guard ownership.originalID == originalID, ownership.number > ownerNumber, holder != nil
        else { return }
        holder = ownership.customer
    }
}

/// A customer for a transaction that nobody owned; at most one for each transaction.
public struct Claim: Sendable, Hashable {
    /// The transaction.
    public let transactionID: TransactionID
    /// Whose it is from now on.
    public let customer: CustomerID
    /// How that was found.
    public let binding: Binding
    /// The order that it paid.
    public let orderID: OrderID?
    /// When, by the server's clock.
    public let at: Timestamp

    /// Makes a claim.
    public init(
        transactionID: TransactionID, customer: CustomerID, binding: Binding, orderID: OrderID?,
        at: Timestamp
    ) {
        self.transactionID = transactionID
        self.customer = customer
        self.binding = binding
        self.orderID = orderID
        self.at = at
    }
}

/// Whose an original transaction is: the customer to whom what comes later of it goes.
public struct Ownership: Sendable, Hashable {
    /// The original transaction.
    public let originalID: TransactionID
    /// Its place in the original's owners, from 0 on; the greatest is the owner.
    public let number: Int
    /// The owner.
    public let customer: CustomerID
    /// How the owner was found.
    public let binding: Binding
    /// Since when, by the server's clock.
    public let since: Timestamp

    /// Makes an ownership.
    public init(
        originalID: TransactionID, number: Int, customer: CustomerID, binding: Binding,
        since: Timestamp
    ) {
        self.originalID = originalID
        self.number = number
        self.customer = customer
        self.binding = binding
        self.since = since
    }
}
