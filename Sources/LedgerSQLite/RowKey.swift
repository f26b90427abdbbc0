import SQLiteDriver

/// A row by its key's columns, in their order.
typealias RowKey = [KeyColumn]

/// One column of a key.
enum KeyColumn: Sendable {
    case number(Int64)
    case text(String)
}

extension SQLiteStatement {
    mutating func bind(_ row: RowKey) throws(SQLiteError) {
        for column in row {
            switch column {
            case .number(let number): try bind(number)
            case .text(let text): try bind(text)
            }
        }
    }
}
