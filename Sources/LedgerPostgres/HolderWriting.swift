import AppStoreModel
import PostgresDriver
import TillLedger

extension FactWriting {
    /// Gives a transaction that nobody owns its customer.
    func recording(_ claim: Claim, _ book: PostgresValue) -> PostgresQuery {
        // Where somebody owns it, its row is inserted once more, which its key refuses.
        PostgresQuery(
            """
            WITH claim AS (
                UPDATE transactions
                SET customer_id = $1, holder_id = $1, binding = $2, order_id = $3,
                    claimed_at_ms = $4
                WHERE book_id = $5 AND transaction_id = $6 AND holder_id IS NULL
                RETURNING 1)
            INSERT INTO transactions
            SELECT t.* FROM transactions t
            WHERE t.book_id = $5 AND t.transaction_id = $6 AND NOT EXISTS (SELECT 1 FROM claim)
            """,
            [
                .word(claim.customer.rawValue), .word(claim.binding.rawValue),
                .word(claim.orderID?.rawValue), .int64(claim.at.milliseconds), book,
                .word(claim.transactionID.rawValue),
            ])
    }

    /// Names an owner; from the second on, what was recorded of the original goes to them.
    func recording(_ ownership: Ownership, _ book: PostgresValue) -> [PostgresQuery] {
        let original = PostgresValue.word(ownership.originalID.rawValue)
        let customer = PostgresValue.word(ownership.customer.rawValue)
        let entry = insert(
            "owners", ["book_id"] + Columns.owner,
            [
                book, original, .int64(Int64(ownership.number)), customer,
                .word(ownership.binding.rawValue), .int64(ownership.since.milliseconds),
            ])
        guard ownership.number > 0 else { return [entry] }
        let transactions = """
            UPDATE transactions SET holder_id = $1
            WHERE book_id = $2 AND original_transaction_id = $3 AND holder_id IS NOT NULL
                AND owner_number < $4
            """
        let grants = """
            UPDATE grants SET holder_id = $1
            WHERE (book_id, grant_key) IN (
                SELECT book_id, grant_key FROM transactions
                WHERE book_id = $2 AND original_transaction_id = $3)
            """
        return [
            entry,
            PostgresQuery(
                transactions, [customer, book, original, .int64(Int64(ownership.number))]),
            PostgresQuery(grants, [customer, book, original]),
        ]
    }
}
