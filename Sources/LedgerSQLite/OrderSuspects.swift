import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    /// Reads the view of that name.
    mutating func lostOrderSuspects(
        of app: BundleID, limit: Int
    ) throws(SQLiteError) -> [LostOrderSuspect] {
        let sql = """
            SELECT order_id, suspicion, book_id, transaction_id FROM lost_order_suspects
            WHERE bundle_id = ? ORDER BY opened_at_ms DESC, order_id, transaction_id LIMIT ?
            """
        let rows = try database.withStatement(sql) { statement throws(SQLiteError) -> [Row] in
            try statement.bind(app.rawValue)
            try statement.bind(Int64(limit))
            var rows: [Row] = []
            while try statement.step() { rows.append(try Row(&statement)) }
            return rows
        }
        var suspects: [LostOrderSuspect] = []
        for row in rows {
            guard let order = try order(row.order) else { continue }
            suspects.append(
                LostOrderSuspect(
                    order: order.order, suspicion: row.suspicion,
                    transaction: TransactionReference(
                        book: try book(row.book), id: row.transaction)))
        }
        return suspects
    }
}

/// A suspect before its order and book are read.
private struct Row {
    let order: OrderID
    let suspicion: LostOrderSuspect.Suspicion
    let book: Int64
    let transaction: TransactionID

    init(_ statement: inout SQLiteStatement) throws(SQLiteError) {
        order = try statement.word("an order's id")
        suspicion = try statement.word("a suspicion")
        book = statement.int64()
        transaction = TransactionID(statement.text())
    }
}
