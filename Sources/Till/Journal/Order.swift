import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server's name for an order: the UUID that the payment carries.
struct OrderID: Hashable, Sendable, Codable, CustomStringConvertible {
    let uuid: UUID

    init(_ uuid: UUID) { self.uuid = uuid }

    init?(_ token: AppAccountToken) {
        guard let uuid = UUID(uuidString: token.rawValue) else { return nil }
        self.uuid = uuid
    }

    init(from decoder: any Decoder) throws {
        uuid = try decoder.singleValueContainer().decode(UUID.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uuid)
    }

    /// In lower case, as StoreKit signs it.
    var description: String { uuid.uuidString.lowercased() }

    var token: AppAccountToken { AppAccountToken(description) }
}

/// What the journal knows of one order: enough to deliver its payment after a crash, to its customer
/// and to nobody else.
struct Order: Sendable, Hashable, Codable {
    enum State: String, Sendable, Hashable, Codable {
        /// Handed to the store, or about to be: from here on a payment may exist.
        case paying
        /// The store waits for somebody's approval.
        case pending
        /// The store said that it was cancelled; an interrupted purchase may still complete.
        case cancelled
        /// The store said that it failed; an interrupted purchase may still complete.
        case failed
        /// Paid by `transactionID`, and not yet delivered and let go of.
        case paid
    }

    var orderID: OrderID
    var customerID: String
    var productID: ProductID
    var quantity: Int
    var track: [String: TrackValue]
    var state: State
    var transactionID: TransactionID?
    /// By the server's clock, as well as it was known.
    var openedAt: Timestamp
}
