import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store, whichever StoreKit is behind it.
///
/// One front owns the queue for the whole launch.
protocol StoreFront: Sendable {
    /// Whether paying for a product of which an unfinished transaction stands in the queue brings that
    /// one back instead of a new one, as StoreKit 1 does.
    var repeatsUnfinished: Bool { get }

    /// Begins to listen. Called once, before anything else.
    func open() async -> AsyncStream<StoreSignal>

    func canPay() async -> Bool

    /// The products of these ids that the store sells; the others are left out.
    func products(_ ids: Set<ProductID>) async throws(StoreFault) -> [TillProduct]

    /// Pays, and returns when the store has said how it ended or that it waits.
    func pay(_ payment: StorePayment) async -> PaymentResult

    /// Everything that stands in the queue, in the order of time.
    func unfinished() async -> [StoreTransaction]

    /// Lets go of a transaction; one that is not there any more is no matter.
    func finish(_ handle: StoreHandle) async

    /// Asks for former purchases: every purchase that can be restored, in any order, with repeats.
    func restore() async throws(StoreFault) -> [StoreTransaction]

    /// The app receipt as it is on the device now; `nil` when there is none or it is empty.
    func receipt() async -> Data?

    /// Asks the store for a new receipt, which may ask the person for a password.
    func refreshReceipt() async throws(StoreFault)

    /// What the Apple account holds of a product, or of its group, and paid itself; `nil` when the store
    /// does not say, and the receipt does.
    func holdings(of id: ProductID) async -> [StoreTransaction]?

    /// A transaction of this person, or what names its copy of the app; `nil` when the store does not say.
    func ownTransactionID() async -> TransactionID?

    /// What the store itself says of the introductory offer; `nil` when it does not say.
    func introductoryOfferEligibility(_ id: ProductID) async -> Bool?
}
