import AppStoreModel

/// The store's own name for something in its queue; `finish` takes it.
struct StoreHandle: Hashable, Sendable {
    let name: String
}

/// One transaction as either StoreKit tells it.
struct StoreTransaction: Sendable, Hashable {
    enum State: Sendable, Hashable {
        case purchasing
        case purchased
        /// A flag of StoreKit 1 and no more: what it is worth is decided by ids and by the server.
        case restored
        case failed(StoreFault)
        case deferred
    }

    var handle: StoreHandle
    var state: State
    /// Absent while it is not paid; deferred and failed ones never have it.
    var transactionID: TransactionID?
    /// The first of its chain, where the store says it.
    var originalTransactionID: TransactionID?
    var productID: ProductID
    var quantity = 1
    /// The order's id as it was paid with; `nil` too when what came back is no UUID.
    var token: AppAccountToken?
    var date: Timestamp?
    var originalDate: Timestamp?
    var expiresDate: Timestamp?
    var revocationDate: Timestamp?
    var kind: ProductType?
    /// The signed form (StoreKit 2).
    var signedForm: String?

    /// What makes two tellings the same news: a revocation comes with an id that was seen before.
    var newsKey: String {
        guard let transactionID else { return "handle \(handle.name)" }
        guard let revocationDate else { return transactionID.rawValue }
        return "\(transactionID.rawValue) revoked \(revocationDate.milliseconds)"
    }

    /// The id under which restores count it.
    var rootID: TransactionID? { originalTransactionID ?? transactionID }

    var isPaid: Bool { state == .purchased || state == .restored }
}

/// Why the store did not do what it was asked for.
struct StoreFault: Error, Sendable, Hashable {
    enum Code: String, Sendable, Hashable {
        case cancelled
        case paymentsNotAllowed
        case productNotAvailable
        case offerNotAvailable
        case unreachable
        case other
    }

    var code: Code
    var detail: String

    init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }
}

/// What is handed to the store to be paid.
struct StorePayment: Sendable, Hashable {
    var productID: ProductID
    var quantity: Int
    /// The order, which the payment carries as `applicationUsername` or `appAccountToken`.
    var orderID: OrderID
    var offer: StoreOffer?
}

/// An offer as the store wants to see it.
enum StoreOffer: Sendable, Hashable {
    /// A promotional one, with the server's signature.
    case signed(SignedOffer)
    /// One to come back; the store itself says who may have it.
    case winBack(id: String)
    /// The introductory one, with the server's word that this person may have it.
    case introductory(token: String)
}

/// A promotional offer with the server's signature, good for one payment.
struct SignedOffer: Sendable, Hashable {
    var offerID: String
    var keyID: String
    /// A UUID in lower case.
    var nonce: String
    var timestampMilliseconds: Int64
    /// The old form: the DER signature in base64.
    var signature: String?
    /// The new form of StoreKit 2, a token.
    var compactJWS: String?
}

/// How the store ended a payment.
enum PaymentResult: Sendable, Hashable {
    case paid(StoreTransaction)
    case pending
    case cancelled(StoreHandle?)
    case failed(StoreFault, StoreHandle?)
}

/// A purchase that began on the App Store's own page.
struct PromotedPurchase: Sendable, Hashable {
    var productID: ProductID
    var quantity = 1
    /// The offer that the person chose there.
    var offer: PurchaseOffer?
}

/// What the store says on its own.
enum StoreSignal: Sendable, Hashable {
    /// A transaction appeared or changed that no payment of ours waits for.
    case transaction(StoreTransaction)
    /// Entitlements were taken back (StoreKit 1 names no more than the products).
    case revoked([ProductID])
    case promoted(PromotedPurchase)
}
