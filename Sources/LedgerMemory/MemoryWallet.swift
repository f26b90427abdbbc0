import AppStoreModel
import TillLedger

/// What one customer has in one book.
struct MemoryWallet: Sendable {
    private(set) var balances: [WalletCurrency: Int64] = [:]
    private(set) var debts: [WalletCurrency: Int64] = [:]
    private(set) var entries: [WalletEntry] = []
    private(set) var movements: [MovementID: WalletMovement] = [:]
    private(set) var promotions: [MovementID: PromotionFacts] = [:]

    mutating func include(_ entry: WalletEntry) {
        entries.append(entry)
        balances[entry.currency, default: 0] += entry.amount
        debts[entry.currency, default: 0] += entry.debt
    }

    mutating func include(_ movement: WalletMovement) {
        movements[movement.place.id] = movement
        balances[movement.currency, default: 0] += movement.amount
    }

    mutating func include(_ promotion: Promotion) {
        promotions[promotion.place.id] = PromotionFacts(promotion: promotion)
    }

    mutating func end(_ promotion: MovementID, at time: Timestamp) {
        promotions[promotion]?.endedAt = time
    }

    /// The same wallet under other names.
    func renamed(_ pseudonym: Renaming) -> MemoryWallet {
        var renamed = self
        renamed.entries = entries.map { pseudonym($0) }
        renamed.movements = movements.mapValues { pseudonym($0) }
        renamed.promotions = promotions.mapValues { pseudonym($0) }
        return renamed
    }

    /// Every movement as a line of the statement.
    func statement(in book: Book) -> [StatementEntry] {
        entries.map { entry in
            StatementEntry(
                book: book, currency: entry.currency, amount: entry.amount, debt: entry.debt,
                cause: .purchase(entry.key, turn: entry.turn), reason: nil, at: entry.at)
        }
            + movements.values.map { movement in
                StatementEntry(
                    book: book, currency: movement.currency, amount: movement.amount, debt: 0,
                    cause: movement.account == .spent
                        ? .spend(movement.place.id) : .promotion(movement.place.id),
                    reason: movement.reason, at: movement.at)
            }
    }
}
