import AppStoreModel

/// Rows in columns, for people.
struct TextTable {
    private var rows: [[String]]

    /// Begins with the heads of the columns.
    init(_ heads: String...) { rows = [heads] }

    /// Adds a row; what is not there is a dash.
    mutating func add(_ cells: String?...) {
        rows.append(cells.map { $0.map(Self.oneLine) ?? "-" })
    }

    /// The table; `none` when it has no rows.
    var text: String {
        guard rows.count > 1 else { return "none" }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: "  ").trimmedEnd
        }.joined(separator: "\n")
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// Names and values below each other, for people.
struct TextFacts {
    private var facts: [(String, String)] = []

    /// Adds a fact; what is not there is left out.
    mutating func add(_ name: String, _ value: String?) {
        if let value { facts.append((name, value)) }
    }

    /// A line for each fact.
    var text: String {
        let width = facts.map(\.0.count).max() ?? 0
        return facts.map { name, value in
            name + String(repeating: " ", count: width - name.count + 2) + value
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        guard let last = lastIndex(where: { $0 != " " }) else { return "" }
        return String(self[...last])
    }
}

extension Timestamp {
    /// To the second, as `2026-01-01 12:00:00Z`.
    var shown: String {
        String(rfc3339.map { $0 == "T" ? " " : $0 })
    }
}

/// Prices as people read them.
enum Price {
    /// Milliunits with the currency's code.
    static func text(_ milliunits: Int64, _ currency: String) -> String {
        let rest = "\(milliunits.magnitude % 1_000)"
        let padded = String(repeating: "0", count: 3 - rest.count) + rest
        let digits = padded.hasSuffix("0") ? String(padded.dropLast()) : padded
        return "\(milliunits < 0 ? "-" : "")\(milliunits.magnitude / 1_000).\(digits) \(currency)"
    }
}
