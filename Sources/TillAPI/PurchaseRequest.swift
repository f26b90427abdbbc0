public import AppStoreModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// `POST /v1/purchases`: proofs of payment, a receipt, signed transactions, or both.
///
/// What stands beside the proofs helps to bind them and proves nothing.
public struct PurchaseRequest: Sendable, Hashable, Codable {
    /// The app; may be left out where the server serves one app alone.
    public var bundleID: BundleID?
    /// The app receipt (StoreKit 1) or an iOS 6 transaction receipt, in base64 as it came.
    public var receipt: String?
    /// Signed transactions (StoreKit 2), each a compact JWS.
    public var signedTransactions: [String]
    /// The order that the uploader journaled for this payment.
    public var orderID: UUID?
    /// The transactions that the app waits for; a receipt brings old ones too.
    public var transactionIDs: [TransactionID]
    /// Whether the customer asked to get former purchases back.
    public var isRestore: Bool
    /// Analytics that travel with the purchase.
    public var track: [String: TrackValue]

    /// Makes a request.
    public init(
        bundleID: BundleID? = nil, receipt: String? = nil, signedTransactions: [String] = [],
        orderID: UUID? = nil, transactionIDs: [TransactionID] = [], isRestore: Bool = false,
        track: [String: TrackValue] = [:]
    ) {
        self.bundleID = bundleID
        self.receipt = receipt
        self.signedTransactions = signedTransactions
        self.orderID = orderID
        self.transactionIDs = transactionIDs
        self.isRestore = isRestore
        self.track = track
    }

    private enum CodingKeys: String, CodingKey {
        case bundleID = "bundleId"
        case receipt
        case signedTransactions
        case orderID = "orderId"
        case transactionIDs = "transactionIds"
        case isRestore = "restore"
        case track
    }

    /// Decodes and checks every field; whether there is a proof at all is the server's to say.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleID = try container.identifier(BundleID.self, at: .bundleID)
        receipt = try container.decodeIfPresent(String.self, forKey: .receipt)
        signedTransactions =
            try container.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
        try container.require(
            signedTransactions.count <= APILimits.signedTransactions, at: .signedTransactions,
            "at most \(APILimits.signedTransactions) signed transactions at once")
        orderID = try container.uuid(at: .orderID)
        transactionIDs = try container.identifiers(
            TransactionID.self, at: .transactionIDs, limit: APILimits.transactionIDs)
        isRestore = try container.decodeIfPresent(Bool.self, forKey: .isRestore) ?? false
        track = try container.decodeIfPresent([String: TrackValue].self, forKey: .track) ?? [:]
        try container.require(
            track.count <= APILimits.trackValues
                && track.keys.allSatisfy { $0.utf8.count <= APILimits.trackTextBytes },
            at: .track, "at most \(APILimits.trackValues) values with short names")
    }

    /// Encodes what is there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(bundleID, forKey: .bundleID)
        try container.encodeIfPresent(receipt, forKey: .receipt)
        if !signedTransactions.isEmpty {
            try container.encode(signedTransactions, forKey: .signedTransactions)
        }
        try container.encodeIfPresent(lowercased: orderID, forKey: .orderID)
        if !transactionIDs.isEmpty {
            try container.encode(transactionIDs, forKey: .transactionIDs)
        }
        if isRestore { try container.encode(isRestore, forKey: .isRestore) }
        if !track.isEmpty { try container.encode(track, forKey: .track) }
    }
}
