import AppStoreModel
import PostgresDriver
import TillLedger

extension FactWriting {
    /// Moves a wallet for a purchase.
    func moving(_ entry: WalletEntry, _ book: PostgresValue) -> [PostgresQuery] {
        [
            insert(
                "wallet_entries",
                [
                    "book_id", "grant_key", "turn", "currency", "customer_id", "amount", "debt",
                    "at_ms",
                ],
                [
                    book, .word(entry.key.rawValue), .int64(Int64(entry.turn)),
                    .word(entry.currency.rawValue), .word(entry.customer.rawValue),
                    .int64(entry.amount), .int64(entry.debt), .int64(entry.at.milliseconds),
                ]),
            balance(entry.customer, book, entry.currency, by: entry.amount, debt: entry.debt),
        ]
    }

    /// Moves a wallet without a purchase.
    func moving(_ movement: WalletMovement, _ book: PostgresValue) -> [PostgresQuery] {
        [
            insert(
                "wallet_movements",
                [
                    "book_id", "customer_id", "movement_id", "currency", "amount", "account",
                    "reason", "at_ms",
                ],
                [
                    book, .word(movement.place.customer.rawValue),
                    .word(movement.place.id.rawValue), .word(movement.currency.rawValue),
                    .int64(movement.amount), .word(movement.account.rawValue),
                    .word(movement.reason), .int64(movement.at.milliseconds),
                ]),
            balance(
                movement.place.customer, book, movement.currency, by: movement.amount, debt: 0),
        ]
    }

    /// Keeps the running sums.
    private func balance(
        _ customer: CustomerID, _ book: PostgresValue, _ currency: WalletCurrency,
        by amount: Int64, debt: Int64
    ) -> PostgresQuery {
        insert(
            "balances", ["customer_id", "book_id", "currency", "amount", "debt"],
            [
                .word(customer.rawValue), book, .word(currency.rawValue), .int64(amount),
                .int64(debt),
            ],
            """
            ON CONFLICT (customer_id, book_id, currency) DO UPDATE
            SET amount = balances.amount + excluded.amount, debt = balances.debt + excluded.debt
            """)
    }

    /// Gives a customer something without a purchase.
    func recording(_ promotion: Promotion, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "promotions",
            [
                "book_id", "customer_id", "promotion_id", "entitlement", "at_ms", "ends_at_ms",
                "reason",
            ],
            [
                book, .word(promotion.place.customer.rawValue),
                .word(promotion.place.id.rawValue), .word(promotion.entitlement.rawValue),
                .int64(promotion.at.milliseconds), .int64(promotion.endsAt?.milliseconds),
                .word(promotion.reason),
            ])
    }

    /// Takes it back, once.
    func ending(
        _ place: MovementPlace, _ book: PostgresValue, at time: Timestamp
    ) -> PostgresQuery {
        // Where it was ended already, its row is inserted once more, which its key refuses.
        PostgresQuery(
            """
            WITH ended AS (
                UPDATE promotions SET ended_at_ms = $1
                WHERE book_id = $2 AND customer_id = $3 AND promotion_id = $4
                    AND ended_at_ms IS NULL
                RETURNING 1)
            INSERT INTO promotions
            SELECT p.* FROM promotions p
            WHERE p.book_id = $2 AND p.customer_id = $3 AND p.promotion_id = $4
                AND NOT EXISTS (SELECT 1 FROM ended)
            """,
            [
                .int64(time.milliseconds), book, .word(place.customer.rawValue),
                .word(place.id.rawValue),
            ])
    }
}
