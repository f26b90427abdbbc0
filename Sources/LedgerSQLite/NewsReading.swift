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
        for original in query.renewals {
            let found = try renewals(book, original)
            if !found.isEmpty { facts.renewals[original] = found }
        }
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
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(book)
            try statement.bind(original.rawValue)
            var found: [RenewalObservation] = []
            while try statement.step() {
                let number = Int(statement.int64())
                let signedAt = statement.time()
                guard let fields = RenewalFields(text: statement.text()),
                    let proof = ProofDigest(rawValue: statement.bytes())
                else { throw SQLiteError.unreadable("a renewal info") }
                found.append(
                    RenewalObservation(
                        originalID: original, number: number, signedAt: signedAt, fields: fields,
                        proof: proof))
            }
            return found
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

    // MARK: Subscriptions

    /// The subscriptions of which a customer has or shares a period, with every period of theirs.
    ///
    /// - Parameters:
    ///   - names: The customer's names.
    ///   - held: Purchases of the customer that were read already.
    /// - Returns: The subscriptions, whole.
    /// - Throws: What keeps the database from being read.
    mutating func subscriptions(
        of names: [CustomerID], knowing held: [PurchaseFacts]
    ) throws(SQLiteError) -> [SubscriptionFacts] {
        let known = Dictionary(
            held.map { (PurchasePlace(book: $0.book, key: $0.key), $0) },
            uniquingKeysWith: { first, _ in first })
        var originals: Set<TransactionReference> = []
        for purchase in held where purchase.key.isPeriod {
            for transaction in purchase.transactions {
                originals.insert(
                    TransactionReference(book: purchase.book, id: transaction.originalID))
            }
        }
        for name in names {
            for (book, original) in try self.originals(of: name) {
                originals.insert(TransactionReference(book: try self.book(book), id: original))
            }
        }
        var found: [SubscriptionFacts] = []
        for original in originals {
            guard let book = try bookID(original.book) else { continue }
            var all: [PurchaseFacts] = []
            for key in try purchases(ofOriginal: original.id, in: book) where key.isPeriod {
                if let period = known[PurchasePlace(book: original.book, key: key)] {
                    all.append(period)
                } else {
                    all.append(try purchase(PlaceRow(book: book, key: key)))
                }
            }
            found.append(
                SubscriptionFacts(
                    book: original.book, originalID: original.id, purchases: all,
                    renewals: try renewals(book, original.id)))
        }
        return found
    }

    private mutating func originals(
        of customer: CustomerID
    ) throws(SQLiteError) -> [(book: Int64, original: TransactionID)] {
        let sql = """
            SELECT DISTINCT book_id, original_transaction_id
            FROM transactions INDEXED BY periods_by_holder
            WHERE holder_id = ? AND grant_key >= 'period/' AND grant_key < 'period0'
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(customer.rawValue)
            var found: [(Int64, TransactionID)] = []
            while try statement.step() {
                found.append((statement.int64(), TransactionID(statement.text())))
            }
            return found
        }
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
