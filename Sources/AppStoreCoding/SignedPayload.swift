public import AppStoreModel
public import SignedDataCoding

/// What a JWS of the App Store carries; the kinds are told apart by the names that only they have.
public enum SignedPayload: Sendable, Hashable {
    /// A purchase.
    case transaction(TransactionPayload)
    /// How a subscription will go on.
    case renewalInfo(RenewalPayload)
    /// Something that happened.
    case notification(NotificationPayload)
    /// A customer's copy of the app.
    case appTransaction(AppTransactionPayload)
    /// A question to a retention server.
    case realtimeRequest(RealtimeRequestPayload)
    /// Something else.
    case unknown(JSONValue)

    /// The kinds, named as `till verify` prints them.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A purchase.
        case transaction
        /// How a subscription will go on.
        case renewalInfo
        /// Something that happened.
        case notification
        /// A customer's copy of the app.
        case appTransaction
        /// A question to a retention server.
        case realtimeRequest
        /// Something else.
        case unknown
    }

    /// Which kind it is.
    public var kind: Kind {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .notification: .notification
        case .appTransaction: .appTransaction
        case .realtimeRequest: .realtimeRequest
        case .unknown: .unknown
        }
    }

    /// The names by which each kind is known; the first row of which all are there decides.
    private static let marks: [(Kind, [String])] = [
        (.notification, ["notificationType", "notificationUUID"]),
        (.realtimeRequest, ["requestIdentifier", "userLocale"]),
        (.transaction, ["transactionId", "productId", "bundleId"]),
        (.renewalInfo, ["originalTransactionId", "autoRenewStatus"]),
        (.renewalInfo, ["originalTransactionId", "autoRenewProductId"]),
        (.appTransaction, ["bundleId", "receiptType"]),
        (.appTransaction, ["bundleId", "receiptCreationDate"]),
    ]

    /// Reads a payload of any kind.
    public init(decodingPayload json: [UInt8]) throws(SignedDataError) {
        if let scanned = Self.scanned(json) {
            self = .transaction(scanned)
            return
        }
        let value = try JSONCoding.decode(JSONValue.self, json)
        guard case .object(let members) = value else {
            throw SignedDataError(.malformedPayload, detail: "no object")
        }
        switch Self.kind(of: members) {
        case .transaction: self = .transaction(try TransactionPayload(decodingPayload: json))
        case .renewalInfo: self = .renewalInfo(try RenewalPayload(decodingJSON: json))
        case .notification: self = .notification(try NotificationPayload(decodingJSON: json))
        case .appTransaction: self = .appTransaction(try AppTransactionPayload(decodingJSON: json))
        case .realtimeRequest:
            self = .realtimeRequest(try RealtimeRequestPayload(decodingJSON: json))
        case .unknown: self = .unknown(value)
        }
    }

    /// The kind that a payload claims to be of by its names, whatever stands under them; nil for what is no object.
    public static func claimedKind(ofPayload json: [UInt8]) -> Kind? {
        guard scanned(json) == nil else { return .transaction }
        guard case .object(let members) = try? JSONCoding.decode(JSONValue.self, json) else {
            return nil
        }
        return kind(of: members)
    }

    /// The transaction that the payload is for certain, read the fast way.
    private static func scanned(_ json: [UInt8]) -> TransactionPayload? {
        TransactionScanner.scan(json).flatMap { $0.hasMarksOfAnotherKind ? nil : $0 }
    }

    private static func kind(of members: [String: JSONValue]) -> Kind {
        marks.first { $0.1.allSatisfy { members[$0] != nil } }?.0 ?? .unknown
    }
}

extension TransactionPayload {
    /// The scanner takes known names only, so none of another kind can be there.
    fileprivate var hasMarksOfAnotherKind: Bool { !otherFields.isEmpty }
}
