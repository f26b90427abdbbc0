/// A row of a table, found by its name.
protocol TableRow: Codable, Sendable {
    associatedtype ID: Hashable & Sendable
    var id: ID { get }
}

/// Rows in the order in which they were made, and found by their names.
///
/// An array and not a dictionary alone, since a dictionary's order differs from run to run.
struct Table<Row: TableRow>: Codable, Sendable {
    private(set) var rows: [Row] = []
    private var places: [Row.ID: Int] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        rows = try [Row](from: decoder)
        index()
    }

    func encode(to encoder: any Encoder) throws { try rows.encode(to: encoder) }

    private mutating func index() {
        places = Dictionary(
            rows.enumerated().map { ($0.element.id, $0.offset) },
            uniquingKeysWith: { _, last in last })
    }

    var count: Int { rows.count }

    subscript(id: Row.ID) -> Row? { places[id].map { rows[$0] } }

    mutating func append(_ row: Row) {
        precondition(places[row.id] == nil, "a second row named \(row.id)")
        places[row.id] = rows.count
        rows.append(row)
    }

    /// Changes a row in its place; does nothing when there is none.
    mutating func update(_ id: Row.ID, _ change: (inout Row) -> Void) {
        guard let place = places[id] else { return }
        change(&rows[place])
    }

    mutating func remove(where isGone: (Row) -> Bool) {
        guard rows.contains(where: isGone) else { return }
        rows.removeAll(where: isGone)
        index()
    }
}
