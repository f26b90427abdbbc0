import AppStoreModel
import SQLiteDriver
import TillLedger

/// The columns of each kind of row in the order in which it is read and written.
enum Columns {
    static let transaction = """
        transaction_id, original_transaction_id, grant_key, product_id, quantity, \
        purchase_date_ms, web_order_line_item_id, customer_id, binding, order_id, recorded_at_ms, \
        owner_number, holder_id, claimed_at_ms
        """
    static let observation = """
        number, signed_at_ms, source, proof_digest, original_purchase_date_ms, expires_date_ms, \
        revocation_date_ms, revocation_reason, is_upgraded, product_type, ownership, \
        app_account_token, subscription_group_id, transaction_reason, offer_type, offer_id, \
        price_milliunits, currency, storefront
        """
    static let grant = """
        grant_key, transaction_id, customer_id, product_id, kind, quantity, purchase_date_ms, \
        credits, entitlements, duration, order_id, granted_at_ms
        """
    static let order = """
        order_id, bundle_id, customer_id, product_id, quantity, price_milliunits, currency, \
        environment, opened_at_ms, expires_at_ms
        """
}

extension SQLiteError {
    /// A row that holds what this program never wrote.
    static func unreadable(_ what: String) -> SQLiteError {
        SQLiteError(code: 11, message: "\(what) cannot be read")
    }
}

extension SQLiteError {
    /// What SQLite says when a primary key is taken, for keys that are not a table's own.
    static func duplicateKey(_ what: String) -> SQLiteError {
        SQLiteError(code: 1_555, message: what)
    }
}

extension SQLiteStatement {
    mutating func time() -> Timestamp { Timestamp(milliseconds: int64()) }

    mutating func optionalTime() -> Timestamp? {
        optionalInt64().map { Timestamp(milliseconds: $0) }
    }

    /// A column whose text must be one of the words of a type.
    mutating func word<Word: RawRepresentable>(_ what: String) throws(SQLiteError) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: text()) else { throw .unreadable(what) }
        return word
    }

    /// A column that may be NULL, and else must be one of the words of a type.
    mutating func optionalWord<Word: RawRepresentable>(
        _ what: String
    ) throws(SQLiteError) -> Word? where Word.RawValue == String {
        guard let text = optionalText() else { return nil }
        guard let word = Word(rawValue: text) else { throw .unreadable(what) }
        return word
    }

    mutating func transaction() throws(SQLiteError) -> RecordedTransaction {
        RecordedTransaction(
            id: TransactionID(text()), originalID: TransactionID(text()),
            grantKey: GrantKey(rawValue: text()), productID: ProductID(text()),
            quantity: int64(), purchaseDate: time(),
            webOrderLineItemID: optionalText().map { WebOrderLineItemID($0) },
            customer: try optionalWord("a transaction's customer"),
            binding: try word("a transaction's binding"),
            orderID: try optionalWord("a transaction's order"), recordedAt: time(),
            ownerNumber: Int(int64()), holder: try optionalWord("a transaction's holder"),
            claimedAt: optionalTime())
    }

    mutating func observation() throws(SQLiteError) -> Observation {
        let number = Int(int64())
        let signedAt = time()
        var fields = ObservedFields(source: try word("an observation's source"))
        guard let proof = ProofDigest(rawValue: bytes()) else {
            throw .unreadable("an observation's proof")
        }
        fields.originalPurchaseDate = optionalTime()
        fields.expiresDate = optionalTime()
        fields.revocationDate = optionalTime()
        fields.revocationReason = optionalInt64().map { RevocationReason(rawValue: $0) }
        fields.isUpgraded = optionalInt64().map { $0 != 0 }
        fields.productType = optionalText().map { ProductType(rawValue: $0) }
        fields.ownership = optionalText().map { OwnershipType(rawValue: $0) }
        fields.appAccountToken = optionalText().map { AppAccountToken($0) }
        fields.subscriptionGroupID = optionalText().map { SubscriptionGroupID($0) }
        fields.transactionReason = optionalText().map { TransactionReason(rawValue: $0) }
        fields.offerType = optionalInt64().map { OfferType(rawValue: $0) }
        fields.offerIdentifier = optionalText()
        fields.price = optionalInt64()
        fields.currency = optionalText()
        fields.storefront = optionalText()
        return Observation(number: number, signedAt: signedAt, fields: fields, proof: proof)
    }

    mutating func grant(_ goods: inout GoodsText) throws(SQLiteError) -> Grant {
        Grant(
            key: GrantKey(rawValue: text()), transactionID: TransactionID(text()),
            customer: try word("a grant's customer"), productID: ProductID(text()),
            kind: try word("a grant's kind"), quantity: int64(), purchaseDate: time(),
            credits: try goods.credits(text()), entitlements: try goods.entitlements(text()),
            duration: try duration(), orderID: try optionalWord("a grant's order"),
            grantedAt: time())
    }

    private mutating func duration() throws(SQLiteError) -> ServicePeriod? {
        guard let text = optionalText() else { return nil }
        guard let duration = ServicePeriod(iso8601: text) else {
            throw .unreadable("a grant's duration")
        }
        return duration
    }

    mutating func order() throws(SQLiteError) -> Order {
        Order(
            id: try word("an order's id"), bundleID: BundleID(text()),
            customer: try word("an order's customer"), productID: ProductID(text()),
            quantity: int64(),
            terms: OrderTerms(
                price: optionalInt64(), currency: optionalText(),
                environment: optionalText().map { AppStoreEnvironment(rawValue: $0) }),
            openedAt: time(), expiresAt: time())
    }
}
