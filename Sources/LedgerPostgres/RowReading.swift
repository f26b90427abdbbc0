import AppStoreModel
import PostgresDriver
import TillLedger

/// The columns of each kind of row in the order in which it is read and written.
enum Columns {
    static let transaction = [
        "transaction_id", "original_transaction_id", "grant_key", "product_id", "quantity",
        "purchase_date_ms", "web_order_line_item_id", "customer_id", "binding", "order_id",
        "recorded_at_ms", "owner_number", "holder_id", "claimed_at_ms",
    ]
    static let observation = [
        "number", "signed_at_ms", "source", "proof_digest", "original_purchase_date_ms",
        "expires_date_ms", "revocation_date_ms", "revocation_reason", "is_upgraded",
        "product_type", "ownership", "app_account_token", "subscription_group_id",
        "transaction_reason", "offer_type", "offer_id", "price_milliunits", "currency",
        "storefront",
    ]
    static let grant = [
        "grant_key", "transaction_id", "customer_id", "product_id", "kind", "quantity",
        "purchase_date_ms", "credits", "entitlements", "duration", "order_id", "granted_at_ms",
    ]
    static let order = [
        "order_id", "bundle_id", "customer_id", "product_id", "quantity", "price_milliunits",
        "currency", "environment", "opened_at_ms", "expires_at_ms",
    ]
    static let owner = [
        "original_transaction_id", "number", "customer_id", "binding", "since_ms",
    ]
    static let share = ["original_transaction_id", "number", "customer_id", "since_ms"]
    static let event = [
        "event_id", "bundle_id", "customer_id", "sequence", "kind", "environment", "data", "at_ms",
    ]
    static let book = ["bundle_id", "environment", "anchor"]

    /// The columns of a table as a SELECT writes them.
    static func of(_ table: String, _ columns: [String]) -> String {
        columns.map { "\(table).\($0)" }.joined(separator: ", ")
    }
}

extension PostgresError {
    /// A row that holds what this program never wrote.
    static func unreadable(_ what: String) -> PostgresError {
        PostgresError(.corrupt, "\(what) cannot be read")
    }
}

extension PostgresRows {
    func optionalWord() -> String? { optionalText().map(StoredText.read) }

    func word() -> String { optionalWord() ?? "" }

    func time() -> Timestamp { Timestamp(milliseconds: int64()) }

    func optionalTime() -> Timestamp? {
        optionalInt64().map { Timestamp(milliseconds: $0) }
    }

    /// A column whose text must be one of the words of a type.
    func word<Word: RawRepresentable>(_ what: String) throws(PostgresError) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: word()) else { throw .unreadable(what) }
        return word
    }

    /// A column that may be NULL, and else must be one of the words of a type.
    func optionalWord<Word: RawRepresentable>(
        _ what: String
    ) throws(PostgresError) -> Word? where Word.RawValue == String {
        guard let text = optionalWord() else { return nil }
        guard let word = Word(rawValue: text) else { throw .unreadable(what) }
        return word
    }

    func book() -> Book {
        let bundleID = BundleID(word())
        let environment = AppStoreEnvironment(rawValue: word())
        let anchor = word()
        return Book(
            bundleID: bundleID, environment: environment, anchor: anchor.isEmpty ? nil : anchor)
    }

    func transaction() throws(PostgresError) -> RecordedTransaction {
        RecordedTransaction(
            id: TransactionID(word()), originalID: TransactionID(word()),
            grantKey: GrantKey(rawValue: word()), productID: ProductID(word()),
            quantity: int64(), purchaseDate: time(),
            webOrderLineItemID: optionalWord().map { WebOrderLineItemID($0) },
            customer: try optionalWord("a transaction's customer"),
            binding: try word("a transaction's binding"),
            orderID: try optionalWord("a transaction's order"), recordedAt: time(),
            ownerNumber: Int(int64()), holder: try optionalWord("a transaction's holder"),
            claimedAt: optionalTime())
    }

    func observation() throws(PostgresError) -> Observation {
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
        fields.productType = optionalWord().map { ProductType(rawValue: $0) }
        fields.ownership = optionalWord().map { OwnershipType(rawValue: $0) }
        fields.appAccountToken = optionalWord().map { AppAccountToken($0) }
        fields.subscriptionGroupID = optionalWord().map { SubscriptionGroupID($0) }
        fields.transactionReason = optionalWord().map { TransactionReason(rawValue: $0) }
        fields.offerType = optionalInt64().map { OfferType(rawValue: $0) }
        fields.offerIdentifier = optionalWord()
        fields.price = optionalInt64()
        fields.currency = optionalWord()
        fields.storefront = optionalWord()
        return Observation(number: number, signedAt: signedAt, fields: fields, proof: proof)
    }

    func grant() throws(PostgresError) -> Grant {
        Grant(
            key: GrantKey(rawValue: word()), transactionID: TransactionID(word()),
            customer: try word("a grant's customer"), productID: ProductID(word()),
            kind: try word("a grant's kind"), quantity: int64(), purchaseDate: time(),
            credits: try Goods.credits(word()), entitlements: try Goods.entitlements(word()),
            duration: try duration(), orderID: try optionalWord("a grant's order"),
            grantedAt: time())
    }

    private func duration() throws(PostgresError) -> ServicePeriod? {
        guard let text = optionalWord() else { return nil }
        guard let duration = ServicePeriod(iso8601: text) else {
            throw .unreadable("a grant's duration")
        }
        return duration
    }

    func owner() throws(PostgresError) -> Ownership {
        Ownership(
            originalID: TransactionID(word()), number: Int(int64()),
            customer: try word("an owner"), binding: try word("an owner's binding"),
            since: time())
    }

    func share() throws(PostgresError) -> Share {
        Share(
            originalID: TransactionID(word()), number: Int(int64()),
            customer: try word("one who shares"), since: time())
    }

    func change() -> GrantChange {
        GrantChange(
            key: GrantKey(rawValue: word()), turn: Int(int64()),
            transactionID: TransactionID(word()), at: time())
    }

    func order() throws(PostgresError) -> Order {
        Order(
            id: try word("an order's id"), bundleID: BundleID(word()),
            customer: try word("an order's customer"), productID: ProductID(word()),
            quantity: int64(),
            terms: OrderTerms(
                price: optionalInt64(), currency: optionalWord(),
                environment: optionalWord().map { AppStoreEnvironment(rawValue: $0) }),
            openedAt: time(), expiresAt: time())
    }

    /// Something that happened to a customer.
    func customerEvent() throws(PostgresError) -> NumberedEvent {
        let id = EventID(word())
        let bundleID = BundleID(word())
        let customer: CustomerID = try word("an event's customer")
        let sequence = int64()
        let event = CustomerEvent(
            id: id, kind: EventKind(word()), bundleID: bundleID,
            environment: optionalWord().map { AppStoreEnvironment(rawValue: $0) },
            customer: customer, data: word(), at: time())
        return NumberedEvent(event: event, sequence: sequence)
    }

    /// An order's event; its columns are order, number, kind, time, transaction, and the transaction's book.
    func event() throws(PostgresError) -> OrderEvent {
        let order: OrderID = try word("an event's order")
        let number = Int(int64())
        let kind: OrderEvent.Kind = try word("an order's event")
        let at = time()
        let transaction = optionalWord()
        let book = book()
        return OrderEvent(
            orderID: order, number: number, kind: kind,
            transaction: transaction.map {
                TransactionReference(book: book, id: TransactionID($0))
            }, at: at)
    }
}
