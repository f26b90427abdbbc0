import TillLedger

/// Statements that name a row's columns: put together once, where they would be at every use.
enum Statements {
    // Left alone, SQLite walks the whole book by its primary key.
    static let transactions = """
        SELECT \(Columns.transaction)
        FROM transactions INDEXED BY transactions_by_purchase
        WHERE book_id = ? AND grant_key = ?
        """
    static let observations = """
        SELECT \(Columns.observation) FROM observations
        WHERE book_id = ? AND transaction_id = ? ORDER BY number
        """
    static let grant = "SELECT \(Columns.grant) FROM grants WHERE book_id = ? AND grant_key = ?"
    static let order = "SELECT \(Columns.order) FROM orders WHERE order_id = ?"
    static let unpaidOrders = """
        SELECT order_id FROM unpaid_orders
        WHERE customer_id = ? AND bundle_id = ? AND product_id = ?
        ORDER BY opened_at_ms DESC, order_id DESC LIMIT \(FactQuery.mostUnpaidOrders)
        """
    static let insertTransaction = """
        INSERT INTO transactions (book_id, \(Columns.transaction))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let insertObservation = """
        INSERT INTO observations (book_id, transaction_id, \(Columns.observation))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let insertGrant = """
        INSERT INTO grants (book_id, \(Columns.grant), holder_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}
