#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a purchase ended, in cases that a `switch` has to answer.
public enum PurchaseOutcome: Sendable, Hashable {
    /// Paid, recorded by the server and handed out.
    case granted(Delivery)
    /// The same purchase was handed out before, to this customer: show it as a success.
    case alreadyGranted(Delivery)
    /// Nothing is wrong and nothing is handed out yet; Till goes on by itself.
    case pending(Waiting)
    /// The person closed the payment sheet.
    case cancelled
    /// The server looked at the payment and said no.
    case refused(Refusal)
    /// Something did not work; `next` says what becomes of it.
    case failed(TillFailure)
}

/// What was handed out.
public struct Delivery: Sendable, Hashable {
    /// The product that the proof names, which is what counts, whatever was asked for.
    public var productID: ProductID
    /// Units.
    public var quantity: Int
    /// The transaction that paid it.
    public var transactionID: TransactionID
    /// The order that it paid, where the server bound one.
    public var orderID: UUID?
    /// Which store signed it; anything but production is a test.
    public var environment: AppStoreEnvironment?
    /// The entitlements that this product holds open now.
    public var entitlements: [String]
    /// The whole wallet after it, units by currency.
    public var balances: [String: Int64]

    /// Makes a delivery.
    public init(
        productID: ProductID, quantity: Int, transactionID: TransactionID, orderID: UUID? = nil,
        environment: AppStoreEnvironment? = nil, entitlements: [String] = [],
        balances: [String: Int64] = [:]
    ) {
        self.productID = productID
        self.quantity = quantity
        self.transactionID = transactionID
        self.orderID = orderID
        self.environment = environment
        self.entitlements = entitlements
        self.balances = balances
    }
}

/// What a pending purchase waits for.
public enum Waiting: Sendable, Hashable {
    /// Somebody else has to approve it (Ask to Buy), or the bank does.
    case approval
    /// The server has recorded it and hands it out later; its reason in the server's words.
    case server(reason: String?)
    /// It belongs to another customer of this device and waits for that one to log in.
    case anotherCustomer
    /// Nobody can say whose it is; see `Till.unclaimedPurchases()`.
    case claim
}

/// A no of the server.
public struct Refusal: Sendable, Hashable {
    /// The server's stable code.
    public var reason: String
    /// Whether it is the last word: the transaction has been let go of.
    ///
    /// Otherwise it stays in the store's queue and is shown to the server again later.
    public var isFinal: Bool
    /// For people who look into it; never compared.
    public var detail: String?

    /// Makes a refusal.
    public init(reason: String, isFinal: Bool, detail: String? = nil) {
        self.reason = reason
        self.isFinal = isFinal
        self.detail = detail
    }
}

/// How a restore ended.
public enum RestoreOutcome: Sendable, Hashable {
    /// Former purchases hold again.
    case restored(Restoration)
    /// The store knows of no former purchase that can be restored.
    case nothingToRestore
    /// There were purchases, and all of them are over.
    case expired(Restoration)
    /// The person closed the password sheet.
    case cancelled
    /// The server said no to all of it, for example since it belongs to another customer.
    case refused(Refusal)
    /// Something did not work; `next` says what becomes of it.
    case failed(TillFailure)
}

/// What a restore brought.
public struct Restoration: Sendable, Hashable {
    /// The products that were found, without repeats, oldest first.
    public var productIDs: [ProductID]
    /// The first transaction of each purchase, without repeats, oldest first.
    public var originalTransactionIDs: [TransactionID]
    /// Every entitlement that holds now.
    public var entitlements: [String]

    /// Makes a restoration.
    public init(
        productIDs: [ProductID], originalTransactionIDs: [TransactionID], entitlements: [String]
    ) {
        self.productIDs = productIDs
        self.originalTransactionIDs = originalTransactionIDs
        self.entitlements = entitlements
    }
}
