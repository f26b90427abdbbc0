import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads the introductory offers that a customer has or had, under all names.
enum IntroductoryReading {
    /// Few transactions are a person's; those of one whom another has followed lie in an index of their own.
    static func query(_ customer: CustomerID) -> PostgresQuery {
        // `IS NOT DISTINCT FROM`: an observation without an offer is none.
        PostgresQuery(
            """
            WITH RECURSIVE \(NameReading.list(ofParameter: 1)), mine AS (
                SELECT t.book_id, t.transaction_id
                FROM names JOIN transactions t ON t.holder_id = names.name
                UNION
                SELECT t.book_id, t.transaction_id
                FROM names JOIN transactions t ON t.customer_id = names.name
                WHERE t.holder_id <> t.customer_id)
            SELECT \(Columns.of("b", Columns.book)), max(o.subscription_group_id), t.product_id,
                t.transaction_id, t.original_transaction_id, t.purchase_date_ms
            FROM mine JOIN transactions t USING (book_id, transaction_id)
            JOIN observations o USING (book_id, transaction_id) JOIN books b USING (book_id)
            GROUP BY \(Columns.of("b", Columns.book)), t.product_id, t.transaction_id,
                t.original_transaction_id, t.purchase_date_ms
            HAVING bool_or(o.offer_type IS NOT DISTINCT FROM $2)
            """,
            [.word(customer.rawValue), .int64(OfferType.introductory.rawValue)])
    }

    /// What one row says.
    static func use(_ rows: PostgresRows) -> IntroductoryOfferUse {
        IntroductoryOfferUse(
            book: rows.book(), groupID: rows.optionalWord().map { SubscriptionGroupID($0) },
            productID: ProductID(rows.word()), transactionID: TransactionID(rows.word()),
            originalID: TransactionID(rows.word()), purchaseDate: rows.time())
    }
}
