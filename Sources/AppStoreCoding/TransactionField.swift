/// The fields of a transaction's payload that the scanner reads.
enum TransactionField: Int, CaseIterable {
    case transactionID
    case originalTransactionID
    case bundleID
    case productID
    case webOrderLineItemID
    case subscriptionGroupIdentifier
    case purchaseDate
    case originalPurchaseDate
    case expiresDate
    case quantity
    case type
    case appAccountToken
    case inAppOwnershipType
    case signedDate
    case revocationReason
    case revocationDate
    case revocationType
    case revocationPercentage
    case isUpgraded
    case offerType
    case offerIdentifier
    case offerDiscountType
    case offerPeriod
    case environment
    case storefront
    case storefrontID
    case transactionReason
    case currency
    case price
    case appTransactionID
    case billingPlanType
    case previousOriginalTransactionID

    /// Apple's name of the field.
    var name: String {
        switch self {
        case .transactionID: "transactionId"
        case .originalTransactionID: "originalTransactionId"
        case .bundleID: "bundleId"
        case .productID: "productId"
        case .webOrderLineItemID: "webOrderLineItemId"
        case .subscriptionGroupIdentifier: "subscriptionGroupIdentifier"
        case .purchaseDate: "purchaseDate"
        case .originalPurchaseDate: "originalPurchaseDate"
        case .expiresDate: "expiresDate"
        case .quantity: "quantity"
        case .type: "type"
        case .appAccountToken: "appAccountToken"
        case .inAppOwnershipType: "inAppOwnershipType"
        case .signedDate: "signedDate"
        case .revocationReason: "revocationReason"
        case .revocationDate: "revocationDate"
        case .revocationType: "revocationType"
        case .revocationPercentage: "revocationPercentage"
        case .isUpgraded: "isUpgraded"
        case .offerType: "offerType"
        case .offerIdentifier: "offerIdentifier"
        case .offerDiscountType: "offerDiscountType"
        case .offerPeriod: "offerPeriod"
        case .environment: "environment"
        case .storefront: "storefront"
        case .storefrontID: "storefrontId"
        case .transactionReason: "transactionReason"
        case .currency: "currency"
        case .price: "price"
        case .appTransactionID: "appTransactionId"
        case .billingPlanType: "billingPlanType"
        case .previousOriginalTransactionID: "previousOriginalTransactionId"
        }
    }

    /// The bits of the fields without which a transaction is useless.
    static let required: UInt64 = [transactionID, bundleID, productID].reduce(0) {
        $0 | 1 << UInt64($1.rawValue)
    }

    static let names = Names()

    /// All names one after the other, so that comparing one touches no other array.
    struct Names {
        private let text: [UInt8]
        private let starts: [Int]

        init() {
            var text: [UInt8] = []
            var starts: [Int] = []
            for field in TransactionField.allCases {
                starts.append(text.count)
                text += Array(field.name.utf8)
            }
            self.text = text
            self.starts = starts
        }

        /// The field whose name stands in a range of bytes.
        func field(in bytes: [UInt8], _ range: Range<Int>) -> TransactionField? {
            guard
                let field = TransactionField.candidate(
                    length: range.count, byte: { bytes[range.lowerBound &+ $0] })
            else { return nil }
            var source = range.lowerBound
            var target = starts[field.rawValue]
            while source < range.upperBound {
                guard bytes[source] == text[target] else { return nil }
                source &+= 1
                target &+= 1
            }
            return field
        }
    }

    /// The only field that a name of that length and with those bytes can be.
    @inline(__always)
    private static func candidate(length: Int, byte: (Int) -> UInt8) -> TransactionField? {
        switch length {
        case 4: .type
        case 5: .price
        case 8:
            byte(0) == UInt8(ascii: "b")
                ? .bundleID
                : byte(0) == UInt8(ascii: "q")
                    ? .quantity : .currency
        case 9: byte(0) == UInt8(ascii: "p") ? .productID : .offerType
        case 10:
            byte(1) == UInt8(ascii: "i")
                ? .signedDate
                : byte(1) == UInt8(ascii: "s")
                    ? .isUpgraded : .storefront
        case 11:
            byte(1) == UInt8(ascii: "x")
                ? .expiresDate
                : byte(1) == UInt8(ascii: "f")
                    ? .offerPeriod : .environment
        case 12: byte(0) == UInt8(ascii: "p") ? .purchaseDate : .storefrontID
        case 13: .transactionID
        case 14: byte(10) == UInt8(ascii: "D") ? .revocationDate : .revocationType
        case 15:
            byte(0) == UInt8(ascii: "a")
                ? .appAccountToken
                : byte(0) == UInt8(ascii: "o")
                    ? .offerIdentifier : .billingPlanType
        case 16: byte(0) == UInt8(ascii: "r") ? .revocationReason : .appTransactionID
        case 17: byte(0) == UInt8(ascii: "o") ? .offerDiscountType : .transactionReason
        case 18: byte(0) == UInt8(ascii: "w") ? .webOrderLineItemID : .inAppOwnershipType
        case 20: byte(0) == UInt8(ascii: "o") ? .originalPurchaseDate : .revocationPercentage
        case 21: .originalTransactionID
        case 27: .subscriptionGroupIdentifier
        case 29: .previousOriginalTransactionID
        default: nil
        }
    }
}
