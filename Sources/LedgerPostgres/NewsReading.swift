import AppStoreModel
import PostgresDriver
import TillLedger

extension Columns {
    static let notification = [
        "notification_id", "type", "subtype", "signed_at_ms", "original_transaction_id",
        "transaction_id", "effect", "answer_before_ms", "proof_digest", "received_at_ms",
    ]
    static let renewal = [
        "original_transaction_id", "number", "signed_at_ms", "fields", "proof_digest",
    ]
}

/// Reads notifications from after a place on, in the order of their books' numbers and names.
struct NotificationReading {
    let queries: [PostgresQuery]

    init(after book: Int64, _ name: String, limit: Int) {
        queries = [
            PostgresQuery(
                """
                SELECT \(Columns.of("b", Columns.book)), \(Columns.of("n", Columns.notification))
                FROM notifications n JOIN books b USING (book_id)
                WHERE (n.book_id, n.notification_id) > ($1, $2)
                ORDER BY n.book_id, n.notification_id LIMIT $3
                """, [.int64(book), .word(name), .int64(Int64(limit))])
        ]
    }

    func notifications(
        _ results: [PostgresRows]
    ) throws(PostgresError) -> [BookedNotification] {
        var found: [BookedNotification] = []
        for rows in results {
            while rows.step() {
                let book = rows.book()
                found.append(
                    BookedNotification(book: book, notification: try rows.notification()))
            }
        }
        return found
    }
}

extension PostgresRows {
    func notification() throws(PostgresError) -> RecordedNotification {
        let id: NotificationID = try word("a notification's name")
        let type = NotificationType(rawValue: word())
        let subtype = optionalWord().map { NotificationSubtype(rawValue: $0) }
        let signedAt = optionalTime()
        let original = optionalWord().map { TransactionID($0) }
        let transaction = optionalWord().map { TransactionID($0) }
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

    func renewal() throws(PostgresError) -> RenewalObservation {
        let original = TransactionID(word())
        let number = Int(int64())
        let signedAt = time()
        guard let fields = RenewalFields(text: word()), let proof = ProofDigest(rawValue: bytes())
        else { throw .unreadable("a renewal info") }
        return RenewalObservation(
            originalID: original, number: number, signedAt: signedAt, fields: fields, proof: proof)
    }
}
