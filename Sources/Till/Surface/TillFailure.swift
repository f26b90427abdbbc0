/// Something that did not work: where, why, and what happens next.
public struct TillFailure: Error, Sendable, Hashable {
    /// How far it had come.
    public var stage: Stage
    /// The stable name of the cause.
    public var code: Code
    /// What becomes of it.
    public var next: NextStep
    /// For people who look into it; never compared.
    public var detail: String?

    /// Makes a failure.
    public init(_ code: Code, at stage: Stage, next: NextStep, detail: String? = nil) {
        self.stage = stage
        self.code = code
        self.next = next
        self.detail = detail
    }

    /// The stretches of a purchase's way.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Before anything was asked for.
        case checking
        /// Asking the store for the product.
        case askingStore
        /// Asking the server for an order.
        case openingOrder
        /// The payment itself.
        case paying
        /// Getting hold of the proof.
        case verifying
        /// Handing the proof to the server.
        case delivering
        /// Asking the store for former purchases.
        case restoring
    }

    /// What becomes of what failed.
    public enum NextStep: String, Sendable, Hashable, CaseIterable {
        /// Nothing was paid. Trying again is safe.
        case tryAgain
        /// Nothing was paid, and trying again helps only when the cause is gone.
        case fixTheCause
        /// Nothing was paid. A customer has to log in first.
        case logIn
        /// It is paid, and it is kept: Till hands it in again by itself.
        case deliveredLater
        /// It is paid, and it is kept until this customer logs in again.
        case deliveredAfterLogin
        /// The store may still complete the payment, as after an interrupted purchase; then Till
        /// delivers it by itself.
        case mayCompleteLater
    }

    /// Why something did not work; more may come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name.
        public let rawValue: String
        /// Takes any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody is logged in.
        public static let loginRequired = Code(rawValue: "loginRequired")
        /// The server takes the customer's token no more.
        public static let tokenRejected = Code(rawValue: "tokenRejected")
        /// This device or person may not pay.
        public static let paymentsNotAllowed = Code(rawValue: "paymentsNotAllowed")
        /// StoreKit sells one to ten units at once.
        public static let invalidQuantity = Code(rawValue: "invalidQuantity")
        /// The store does not sell this product.
        public static let productNotFound = Code(rawValue: "productNotFound")
        /// The store could not be reached.
        public static let storeUnreachable = Code(rawValue: "storeUnreachable")
        /// The store ended the payment with an error.
        public static let paymentFailed = Code(rawValue: "paymentFailed")
        /// The store does not take this offer for this person.
        public static let offerNotAvailable = Code(rawValue: "offerNotAvailable")
        /// This Apple account's subscription belongs to another customer of the app: to buy would pay for
        /// that one's.
        public static let ownedByAnother = Code(rawValue: "ownedByAnother")
        /// Another customer logged in while the purchase was being prepared.
        public static let customerChanged = Code(rawValue: "customerChanged")
        /// The device could not note the order down, so nothing was paid.
        public static let journalNotWritable = Code(rawValue: "journalNotWritable")
        /// The server could not be reached.
        public static let serverUnreachable = Code(rawValue: "serverUnreachable")
        /// The server could not do its work now.
        public static let serverTrouble = Code(rawValue: "serverTrouble")
        /// The server refuses the request itself; `detail` has its code.
        public static let serverRefused = Code(rawValue: "serverRefused")
        /// The server answered without naming this transaction, so nothing was let go of.
        public static let notInAnswer = Code(rawValue: "notInAnswer")
        /// The device has no receipt, even after it was refreshed.
        public static let receiptMissing = Code(rawValue: "receiptMissing")
        /// A former purchase of this product has to be delivered first, and that does not work now.
        public static let unfinishedPurchase = Code(rawValue: "unfinishedPurchase")
    }
}
