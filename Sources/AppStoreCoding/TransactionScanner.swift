import AppStoreModel

/// Reads a transaction's payload about six times as fast as Foundation's decoder, where it is plain.
///
/// Plain means: one object, known names once each, texts of printable ASCII without escapes, whole
/// numbers, `true` and `false`. Anything else gives nothing, and Foundation decides: so a fault here
/// can cost time, never change a verdict. A test holds both against each other on mutated payloads.
enum TransactionScanner {
    static func scan(_ json: [UInt8]) -> TransactionPayload? {
        guard json.count <= JSONCoding.maximumBytes else { return nil }
        var scanner = Scanner(bytes: json)
        return scanner.transaction()
    }

    fileprivate struct Scanner {
        let bytes: [UInt8]
        let names = TransactionField.names
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        @inline(__always)
        private mutating func next() -> UInt8? {
            while position < bytes.count {
                let byte = bytes[position]
                position &+= 1
                switch byte {
                case 0x20, 0x0a, 0x0d, 0x09: continue
                default: return byte
                }
            }
            return nil
        }

        mutating func transaction() -> TransactionPayload? {
            var payload = TransactionPayload(unfilled: ())
            var seen: UInt64 = 0
            guard next() == UInt8(ascii: "{") else { return nil }
            while true {
                guard next() == UInt8(ascii: "\""), let name = text(),
                    let field = names.field(in: bytes, name),
                    next() == UInt8(ascii: ":"), let start = next()
                else { return nil }
                let bit = UInt64(1) << UInt64(field.rawValue)
                guard seen & bit == 0, value(of: field, startingWith: start, in: &payload) else {
                    return nil
                }
                seen |= bit
                guard let separator = next() else { return nil }
                if separator == UInt8(ascii: "}") { break }
                guard separator == UInt8(ascii: ",") else { return nil }
            }
            guard next() == nil, seen & TransactionField.required == TransactionField.required
            else { return nil }
            if seen & 1 << UInt64(TransactionField.originalTransactionID.rawValue) == 0 {
                payload.originalTransactionID = payload.transactionID
            }
            return payload
        }

        /// A text whose quotation mark has been read, up to the next one.
        @inline(__always)
        private mutating func text() -> Range<Int>? {
            let start = position
            while position < bytes.count {
                let byte = bytes[position]
                position &+= 1
                if byte == UInt8(ascii: "\"") { return start..<position &- 1 }
                guard byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") else { return nil }
            }
            return nil
        }

        fileprivate mutating func string(_ first: UInt8) -> String? {
            guard first == UInt8(ascii: "\""), let range = text() else { return nil }
            return String(decoding: bytes[range], as: UTF8.self)
        }

        /// A whole number of up to 18 digits, without leading zeros.
        fileprivate mutating func integer(_ first: UInt8) -> Int64? {
            let negative = first == UInt8(ascii: "-")
            var start = position &- 1
            if negative { start &+= 1 }
            position = start
            var value: Int64 = 0
            while position < bytes.count, position &- start < 19 {
                let digit = bytes[position] &- 0x30
                guard digit < 10 else { break }
                value = value &* 10 &+ Int64(digit)
                position &+= 1
            }
            let count = position &- start
            guard count > 0, count < 19, bytes[start] != 0x30 || count == 1,
                position < bytes.count
            else { return nil }
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), 0x20, 0x0a, 0x0d, 0x09: break
            default: return nil
            }
            // Foundation has its own opinion of "-0".
            if negative, value == 0 { return nil }
            return negative ? -value : value
        }

        fileprivate mutating func bool(_ first: UInt8) -> Bool? {
            if first == UInt8(ascii: "t"), matches("rue") { return true }
            if first == UInt8(ascii: "f"), matches("alse") { return false }
            return nil
        }

        private mutating func matches(_ rest: StaticString) -> Bool {
            let count = rest.utf8CodeUnitCount
            guard position + count <= bytes.count,
                bytes[position..<position + count].elementsEqual("\(rest)".utf8)
            else { return false }
            position += count
            return true
        }

        fileprivate mutating func timestamp(_ first: UInt8) -> Timestamp? {
            integer(first).flatMap { whole in
                // What no moment can be is Foundation's to judge, as all that is not plain.
                let moment = Timestamp(milliseconds: whole)
                return moment.milliseconds == whole ? moment : nil
            }
        }
    }
}

extension TransactionScanner.Scanner {
    /// Reads the value of a field whose first byte has been read; false where it is not plain.
    fileprivate mutating func value(
        of field: TransactionField, startingWith first: UInt8, in payload: inout TransactionPayload
    ) -> Bool {
        switch field {
        case .transactionID:
            guard let text = string(first) else { return false }
            payload.transactionID = TransactionID(text)
        case .originalTransactionID:
            guard let text = string(first) else { return false }
            payload.originalTransactionID = TransactionID(text)
        case .bundleID:
            guard let text = string(first) else { return false }
            payload.bundleID = BundleID(text)
        case .productID:
            guard let text = string(first) else { return false }
            payload.productID = ProductID(text)
        case .webOrderLineItemID:
            guard let text = string(first) else { return false }
            payload.webOrderLineItemID = WebOrderLineItemID(text)
        case .subscriptionGroupIdentifier:
            guard let text = string(first) else { return false }
            payload.subscriptionGroupIdentifier = SubscriptionGroupID(text)
        case .purchaseDate:
            guard let date = timestamp(first) else { return false }
            payload.purchaseDate = date
        case .originalPurchaseDate:
            guard let date = timestamp(first) else { return false }
            payload.originalPurchaseDate = date
        case .expiresDate:
            guard let date = timestamp(first) else { return false }
            payload.expiresDate = date
        case .quantity:
            guard let number = integer(first) else { return false }
            payload.quantity = number
        case .type:
            guard let text = string(first) else { return false }
            payload.type = ProductType(rawValue: text)
        case .appAccountToken:
            guard let text = string(first) else { return false }
            payload.appAccountToken = AppAccountToken(text)
        case .inAppOwnershipType:
            guard let text = string(first) else { return false }
            payload.inAppOwnershipType = OwnershipType(rawValue: text)
        case .signedDate:
            guard let date = timestamp(first) else { return false }
            payload.signedDate = date
        case .revocationReason:
            guard let number = integer(first) else { return false }
            payload.revocationReason = RevocationReason(rawValue: number)
        case .revocationDate:
            guard let date = timestamp(first) else { return false }
            payload.revocationDate = date
        case .revocationType:
            guard let text = string(first) else { return false }
            payload.revocationType = RevocationType(rawValue: text)
        case .revocationPercentage:
            guard let number = integer(first) else { return false }
            payload.revocationPercentage = number
        case .isUpgraded:
            guard let flag = bool(first) else { return false }
            payload.isUpgraded = flag
        case .offerType:
            guard let number = integer(first) else { return false }
            payload.offerType = OfferType(rawValue: number)
        case .offerIdentifier:
            guard let text = string(first) else { return false }
            payload.offerIdentifier = text
        case .offerDiscountType:
            guard let text = string(first) else { return false }
            payload.offerDiscountType = OfferDiscountType(rawValue: text)
        case .offerPeriod:
            guard let text = string(first) else { return false }
            payload.offerPeriod = text
        case .environment:
            guard let text = string(first) else { return false }
            payload.environment = AppStoreEnvironment(rawValue: text)
        case .storefront:
            guard let text = string(first) else { return false }
            payload.storefront = text
        case .storefrontID:
            guard let text = string(first) else { return false }
            payload.storefrontID = text
        case .transactionReason:
            guard let text = string(first) else { return false }
            payload.transactionReason = TransactionReason(rawValue: text)
        case .currency:
            guard let text = string(first) else { return false }
            payload.currency = text
        case .price:
            guard let number = integer(first) else { return false }
            payload.price = number
        case .appTransactionID:
            guard let text = string(first) else { return false }
            payload.appTransactionID = text
        case .billingPlanType:
            guard let text = string(first) else { return false }
            payload.billingPlanType = BillingPlanType(rawValue: text)
        case .previousOriginalTransactionID:
            guard let text = string(first) else { return false }
            payload.previousOriginalTransactionID = TransactionID(text)
        }
        return true
    }
}
