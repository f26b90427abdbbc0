import AppStoreModel
import PostgresDriver
import TillLedger

/// Reads purchases with their wallet entries, in the order of their keys and books' numbers.
struct AuditReading {
    private let purchases: PurchaseReading

    init(after book: Int64, _ key: GrantKey, limit: Int) {
        purchases = PurchaseReading(
            places: """
                SELECT DISTINCT book_id, grant_key FROM transactions
                WHERE (grant_key, book_id) > ($2, $1) ORDER BY grant_key, book_id LIMIT $3
                """, [.int64(book), .word(key.rawValue), .int64(Int64(limit))], .entriesAndOwners)
    }

    var queries: [PostgresQuery] { purchases.queries }

    func facts(_ results: [PostgresRows]) throws(PostgresError) -> [PurchaseFacts] {
        // By bytes, as the database sorts them.
        try purchases.found(results[...])
            .sorted { left, right in
                let (first, second) = (Array(left.key.key.stored), Array(right.key.key.stored))
                guard first == second else { return first.lexicographicallyPrecedes(second) }
                return left.key.book < right.key.book
            }
            .map { place, found in found.facts(place.key) }
    }
}

extension GrantKey {
    fileprivate var stored: String.UTF8View { StoredText.stored(rawValue).utf8 }
}
