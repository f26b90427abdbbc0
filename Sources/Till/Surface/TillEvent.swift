#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that happened, ready to show.
public struct TillEvent: Sendable, Hashable {
    /// What happened.
    public var kind: Kind
    /// The product that it is about.
    public var productID: ProductID?
    /// The order that it is about.
    public var orderID: UUID?
    /// The transaction that it is about.
    public var transactionID: TransactionID?
    /// Whether nobody asked for it: recovery in the background.
    ///
    /// Do not show it.
    public var isQuiet: Bool
    /// The language of `message`.
    public var language: MessageLanguage
    /// The stable code of what went wrong, where something did.
    public var code: String?

    /// The text for a progress display in the configured language.
    public var message: String { message(in: language) }

    /// The text in a language.
    public func message(in language: MessageLanguage) -> String {
        kind.words.text(in: language)
    }

    /// The eight states that apps show, and the steps between them.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // The eight states
        /// This device or person may not pay.
        case noPermission
        /// The payment could not be handed to the store.
        case couldNotAdd
        /// The store works on the payment.
        case purchasing
        /// The goods are there.
        case purchased
        /// It did not work.
        case failed
        /// The person closed the payment sheet.
        case cancelled
        /// Former purchases are there again.
        case restored
        /// Somebody else has to approve the payment.
        case deferred

        // The steps between
        /// The server is asked for an order.
        case openingOrder
        /// The store is asked for the product.
        case askingStore
        /// The payment is handed to the store.
        case paying
        /// The proof of payment is made ready.
        case verifying
        /// The server is asked to hand out the goods.
        case delivering
        /// It did not work and is tried again.
        case retrying

        // Other ends and news
        /// The purchase was handed out before.
        case alreadyPurchased
        /// The server said no.
        case refused
        /// The server has it and hands it out later.
        case waitingForServer
        /// Nobody is logged in: the purchase is kept.
        case waitingForLogin
        /// The purchase belongs to another customer and is kept.
        case waitingForOwner
        /// This Apple account's subscription belongs to another customer: nothing was sold.
        case ownedByAnother
        /// Nobody can say whose the purchase is; a customer may claim it.
        case unclaimed
        /// Former purchases are asked for.
        case restoring
        /// The store knows of no former purchase.
        case nothingToRestore
        /// The former purchases are over.
        case expired
        /// The store took a purchase back.
        case revoked
        /// The store's own page asked for a purchase.
        case promoted
        /// Entitlements or balances are new.
        case customerChanged
    }
}
