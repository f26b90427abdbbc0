import AppStoreModel
import TillLedger

/// Reads what another system exported, line by line or as a table with a header.
struct ImportReader {
    /// The columns of tables that are known, in small letters: RevenueCat's transactions feed, and plain tables
    /// of ours.
    private static let customerColumns = [
        "rc_last_seen_app_user_id_alias", "rc_original_app_user_id", "app_user_id", "customer_id",
        "customerid", "customer",
    ]
    private static let proofColumns = [
        "receipt", "proof", "fetch_token", "signedtransaction", "signed_transaction",
    ]
    private static let transactionColumns = [
        "original_store_transaction_id", "store_transaction_id", "original_transaction_id",
        "transaction_id", "transactionid",
    ]
    /// What stands between cells; spreadsheets write semicolons where a comma is part of numbers.
    private static let separators: [Character] = [",", ";"]

    private let customer: CustomerID?
    private var columns: [String]?
    private var separator: Character = ","
    private var isFirst = true

    /// Takes the customer of lines that name none.
    init(customer: CustomerID?) { self.customer = customer }

    /// What a line gives; nil for an empty one and for a table's header.
    mutating func read(_ text: Substring) -> ImportLine? {
        // Editors of Windows begin a file with a byte order mark, which is no part of a name.
        let text = isFirst && text.first == "\u{feff}" ? text.dropFirst() : text
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        defer { isFirst = false }
        if isFirst, readHeader(text) { return nil }
        guard let columns else { return ImportLine(text, customer: customer) }
        let cells = Self.cells(text, between: separator)
        func cell(_ names: [String]) -> String? {
            for name in names {
                guard let place = columns.firstIndex(of: name), place < cells.count else {
                    continue
                }
                if !cells[place].isEmpty { return cells[place] }
            }
            return nil
        }
        if let store = cell(["store"]), !["app_store", "mac_app_store", "apple"].contains(store) {
            var line = ImportLine(customer: nil, transaction: nil, fallback: customer)
            line.content = .nothing("sold by \(store), not by the App Store")
            return line
        }
        return ImportLine(
            customer: cell(Self.customerColumns), transaction: cell(Self.transactionColumns),
            proof: cell(Self.proofColumns), fallback: customer)
    }

    /// Takes the columns, where the line is a table's header.
    private mutating func readHeader(_ text: Substring) -> Bool {
        guard text.first != "{" else { return false }
        for separator in Self.separators {
            let names = Self.cells(text, between: separator).map(Self.columnName)
            let hasGoods = names.contains {
                Self.transactionColumns.contains($0) || Self.proofColumns.contains($0)
            }
            guard hasGoods, names.contains(where: Self.customerColumns.contains) else { continue }
            columns = names
            self.separator = separator
            return true
        }
        return false
    }

    /// A header's cell in small letters, without the space around it.
    private static func columnName(_ cell: String) -> String {
        var name = cell.lowercased().trimmingPrefix(while: \.isWhitespace)
        while name.last?.isWhitespace == true { name.removeLast() }
        return String(name)
    }

    /// The cells of a line of comma-separated values (RFC 4180), quotes undone.
    static func cells(_ text: Substring, between separator: Character = ",") -> [String] {
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        var characters = text.makeIterator()
        var held: Character?
        while let character = held ?? characters.next() {
            held = nil
            switch (character, isQuoted) {
            case ("\"", false): isQuoted = true
            case ("\"", true):
                held = characters.next()
                if held == "\"" {
                    cell.append("\"")
                    held = nil
                } else {
                    isQuoted = false
                }
            case (separator, false):
                cells.append(cell)
                cell = ""
            case ("\r", false), ("\r\n", false): break
            default: cell.append(character)
            }
        }
        cells.append(cell)
        return cells
    }
}
