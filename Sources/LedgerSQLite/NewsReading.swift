import AppStoreModel
import SQLiteDriver
import TillLedger

extension Columns {
    static let notification = """
        notification_id, type, subtype, signed_at_ms, original_transaction_id, transaction_id, \
        effect, answer_before_ms, proof_digest, received_at_ms
        """
}

extension LedgerConnection {
    /// Adds what a query wants of renewals and notifications.
    mutating func includeNews(
        in facts: inout BookFacts, _ book: Int64, _ query: BookQuery
    ) throws(SQLiteError) {
        for original in query.renewals.union(query.subscriptions) {
            let found = try renewals(book, original)
            if !found.isEmpty { facts.renewals[original] = found }
        }
        for original in query.subscriptions { facts.tales[original] = try tale(book, original) }
        for id in query.notifications {
            facts.notifications[id] = try notification(book, id)
        }
    }

    private mutating func renewals(
        _ book: Int64, _ original: TransactionID
    ) throws(SQLiteError) -> [RenewalObservation] {
        let sql = """
            SELECT number, signed_at_ms, fields, proof_digest FROM renewals
            WHERE book_id = ? AND original_transaction_id = ? ORDER BY number
            """
        return try renewals(OriginalRow(book: book, id: original), sql)
    }

    /// The renewal infos that were signed last, one of which counts.
    mutating func newestRenewals(
        _ original: OriginalRow
    ) throws(SQLiteError) -> [RenewalObservation] {
        let sql = """
            SELECT number, signed_at_ms, fields, proof_digest
            FROM renewals INDEXED BY renewals_by_signing
            WHERE book_id = ?1 AND original_transaction_id = ?2 AND signed_at_ms = (
                SELECT max(signed_at_ms) FROM renewals INDEXED BY renewals_by_signing
                WHERE book_id = ?1 AND original_transaction_id = ?2)
            """
        return try renewals(original, sql)
    }

    private mutating func renewals(
        _ original: OriginalRow, _ sql: String
    ) throws(SQLiteError) -> [RenewalObservation] {
        try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(original.book)
            try statement.bind(original.id.rawValue)
            var found: [RenewalObservation] = []
            while try statement.step() {
                let number = Int(statement.int64())
                let signedAt = statement.time()
                guard let fields = RenewalFields(text: statement.text()),
                    let proof = ProofDigest(rawValue: statement.bytes())
                else { throw SQLiteError.unreadable("a renewal info") }
                found.append(
                    RenewalObservation(
                        originalID: original.id, number: number, signedAt: signedAt,
                        fields: fields, proof: proof))
            }
            return found
        }
    }

    private mutating func tale(
        _ book: Int64, _ original: TransactionID
    ) throws(SQLiteError) -> SubscriptionTale? {
        let sql = """
            SELECT number, told FROM subscription_tales
            WHERE book_id = ? AND original_transaction_id = ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(original.rawValue)
            guard try statement.step() else { return nil }
            return SubscriptionTale(
                originalID: original, number: Int(statement.int64()), text: statement.text())
        }
    }

    private mutating func notification(
        _ book: Int64, _ id: NotificationID
    ) throws(SQLiteError) -> RecordedNotification? {
        let sql = """
            SELECT \(Columns.notification) FROM notifications
            WHERE book_id = ? AND notification_id = ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(id.rawValue)
            return try statement.step() ? try statement.notification() : nil
        }
    }

    /// Reads notifications in the order of their books' numbers and names.
    mutating func notifications(
        after place: NotificationPlace?, limit: Int
    ) throws(SQLiteError) -> [BookedNotification] {
        var start: (book: Int64, id: String) = (0, "")
        if let place {
            guard let book = try bookID(place.book) else { return [] }
            start = (book, place.id.rawValue)
        }
        let sql = """
            SELECT book_id, \(Columns.notification) FROM notifications
            WHERE (book_id, notification_id) > (?, ?) ORDER BY book_id, notification_id LIMIT ?
            """
        let rows = try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(start.book)
            try statement.bind(start.id)
            try statement.bind(Int64(limit))
            var rows: [(book: Int64, notification: RecordedNotification)] = []
            while try statement.step() {
                rows.append((statement.int64(), try statement.notification()))
            }
            return rows
        }
        var found: [BookedNotification] = []
        for row in rows {
            found.append(
                BookedNotification(book: try book(row.book), notification: row.notification))
        }
        return found
    }
}

extension SQLiteStatement {
    fileprivate mutating func notification() throws(SQLiteError) -> RecordedNotification {
        let id: NotificationID = try word("a notification's name")
        let type = NotificationType(rawValue: text())
        let subtype = optionalText().map { NotificationSubtype(rawValue: $0) }
        let signedAt = optionalTime()
        let original = optionalText().map { TransactionID($0) }
        let transaction = optionalText().map { TransactionID($0) }
        let effect: NotificationEffect = try word("a notification's effect")
        let answerBefore = optionalTime()
        guard let proof = ProofDigest(rawValue: bytes()) else {
            throw .unreadable("a notification's proof")
        }
        return RecordedNotification(
            id: id, type: type, subtype: subtype, signedAt: signedAt, originalID: original,
            transactionID: transaction, effect: effect, answerBefore: answerBefore, proof: proof,
            receivedAt: time())
    }
}
