import SQLiteDriver
import TillLedger

/// One who reads, on a connection and a queue of its own; sees what was committed, waits for no writer.
actor LedgerReader {
    nonisolated private let executor: QueueExecutor
    private var connection: LedgerConnection?

    /// Everything here runs on the reader's own queue.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(number: Int) { executor = QueueExecutor(label: "till.ledger.reader.\(number)") }

    func open(_ path: String, options: SQLiteLedgerStore.Options) throws(LedgerError) {
        connection = try LedgerConnection.reading(path, options: options)
    }

    func read<Value: Sendable>(
        _ body: @Sendable (inout LedgerConnection) throws(SQLiteError) -> Value
    ) throws(LedgerError) -> Value {
        guard connection != nil, let value = try connection?.reading(body) else {
            throw LedgerError(.closed, "the ledger was closed")
        }
        return value
    }

    /// Copies the database; outside a transaction, as the copy is made in one of its own.
    func backUp(to path: String) throws(LedgerError) {
        guard connection != nil else { throw LedgerError(.closed, "the ledger was closed") }
        try connection?.database.ledgerCall { database throws(SQLiteError) in
            try database.execute("PRAGMA query_only = OFF")
            defer { try? database.execute("PRAGMA query_only = ON") }
            try database.backUp(to: path)
        }
    }

    func close() { connection = nil }
}
