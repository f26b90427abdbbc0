import AppStoreModel
import SQLiteDriver
import TillLedger

extension LedgerConnection {
    mutating func append(
        _ observation: RenewalObservation, in book: Int64
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO renewals
                (book_id, original_transaction_id, number, signed_at_ms, fields, proof_digest)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(observation.originalID.rawValue)
            try statement.bind(Int64(observation.number))
            try statement.bind(observation.signedAt.milliseconds)
            try statement.bind(observation.fields.text)
            try statement.bind(observation.proof.rawValue)
        }
    }

    mutating func raiseRenewal(
        _ number: Int, of original: TransactionID, in book: Int64, to time: Timestamp
    ) throws(SQLiteError) {
        let sql = """
            UPDATE renewals SET signed_at_ms = max(signed_at_ms, ?)
            WHERE book_id = ? AND original_transaction_id = ? AND number = ?
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(time.milliseconds)
            try statement.bind(book)
            try statement.bind(original.rawValue)
            try statement.bind(Int64(number))
        }
    }

    /// Puts what was told in the place of what was told before; throws a duplicate key when that is not it.
    mutating func append(_ tale: SubscriptionTale, in book: Int64) throws(SQLiteError) {
        let sql =
            tale.number == 1
            ? """
            INSERT INTO subscription_tales (number, told, book_id, original_transaction_id)
            VALUES (?, ?, ?, ?)
            """
            : """
            UPDATE subscription_tales SET number = ?1, told = ?2
            WHERE book_id = ?3 AND original_transaction_id = ?4 AND number = ?1 - 1
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(Int64(tale.number))
            try statement.bind(tale.text)
            try statement.bind(book)
            try statement.bind(tale.originalID.rawValue)
        }
        guard database.changedRows == 1 else {
            throw .duplicateKey("a subscription of which more was told already")
        }
    }

    mutating func append(
        _ notification: RecordedNotification, in book: Int64
    ) throws(SQLiteError) {
        let sql = """
            INSERT INTO notifications (book_id, \(Columns.notification))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(notification.id.rawValue)
            try statement.bind(notification.type.rawValue)
            try statement.bind(notification.subtype?.rawValue)
            try statement.bind(notification.signedAt?.milliseconds)
            try statement.bind(notification.originalID?.rawValue)
            try statement.bind(notification.transactionID?.rawValue)
            try statement.bind(notification.effect.rawValue)
            try statement.bind(notification.answerBefore?.milliseconds)
            try statement.bind(notification.proof.rawValue)
            try statement.bind(notification.receivedAt.milliseconds)
        }
    }
}

extension LedgerSchema {
    /// What was told of subscriptions.
    static let tales = Step(
        name: "tales of subscriptions",
        sql: """
            CREATE TABLE subscription_tales (
                book_id INTEGER NOT NULL REFERENCES books,
                original_transaction_id TEXT NOT NULL,
                number INTEGER NOT NULL CHECK (number > 0),
                told TEXT NOT NULL,
                PRIMARY KEY (book_id, original_transaction_id)
            ) STRICT, WITHOUT ROWID;
            """)

    /// What Apple tells of subscriptions, and its notifications.
    static let news = Step(
        name: "renewals, notifications",
        sql: """
            CREATE TABLE renewals (
                book_id INTEGER NOT NULL REFERENCES books,
                original_transaction_id TEXT NOT NULL,
                number INTEGER NOT NULL,
                signed_at_ms INTEGER NOT NULL,
                fields TEXT NOT NULL,
                proof_digest BLOB NOT NULL,
                PRIMARY KEY (book_id, original_transaction_id, number)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE notifications (
                book_id INTEGER NOT NULL REFERENCES books,
                notification_id TEXT NOT NULL,
                type TEXT NOT NULL,
                subtype TEXT,
                signed_at_ms INTEGER,
                original_transaction_id TEXT,
                transaction_id TEXT,
                effect TEXT NOT NULL,
                answer_before_ms INTEGER,
                proof_digest BLOB NOT NULL,
                received_at_ms INTEGER NOT NULL,
                PRIMARY KEY (book_id, notification_id)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX periods_by_holder
                ON transactions (holder_id, book_id, original_transaction_id)
                WHERE grant_key >= 'period/' AND grant_key < 'period0';

            CREATE VIEW readable_notifications AS
                SELECT b.bundle_id, b.environment, n.notification_id, n.type, n.subtype,
                    n.original_transaction_id, n.transaction_id, n.effect,
                    datetime(n.signed_at_ms / 1000, 'unixepoch') AS signed,
                    datetime(n.received_at_ms / 1000, 'unixepoch') AS received
                FROM notifications n JOIN books b USING (book_id);
            """)
}
