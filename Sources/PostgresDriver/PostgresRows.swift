import CPostgres

/// What one statement gave: rows that are read one after the other, the columns in order.
///
/// All of them are in memory already, so nothing can fail any more.
@safe public final class PostgresRows {
    private let result: OpaquePointer
    private var nextRow: Int32 = 0
    private var nextColumn: Int32 = 0
    private let columns: Int32

    /// How many rows there are.
    public let count: Int

    /// Owns a result from now on.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = Int(unsafe PQntuples(result))
        columns = unsafe PQnfields(result)
    }

    deinit { unsafe PQclear(result) }

    /// How many rows the statement inserted, changed, deleted or selected.
    public var affectedRows: Int {
        guard let text = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// Goes to the next row; false at the end.
    public func step() -> Bool {
        guard nextRow < Int32(clamping: count) else { return false }
        nextRow += 1
        nextColumn = 0
        return true
    }

    /// The next column as a number; nil for NULL.
    public func optionalInt64() -> Int64? {
        unsafe withColumn { bytes in
            // bool, smallint, integer and bigint, all of them big-endian.
            guard let first = unsafe bytes.first else { return 0 }
            let sign: Int64 = bytes.count > 1 && Int8(bitPattern: first) < 0 ? -1 : 0
            return unsafe bytes.prefix(8).reduce(sign) { $0 << 8 | Int64($1) }
        }
    }

    /// The next column as a number; 0 for NULL.
    public func int64() -> Int64 { optionalInt64() ?? 0 }

    /// The next column as text; nil for NULL.
    public func optionalText() -> String? {
        unsafe withColumn { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The next column as text; empty for NULL.
    public func text() -> String { optionalText() ?? "" }

    /// The next column as bytes; nil for NULL.
    public func optionalBytes() -> [UInt8]? {
        unsafe withColumn { unsafe [UInt8]($0) }
    }

    /// The next column as bytes; none for NULL.
    public func bytes() -> [UInt8] { optionalBytes() ?? [] }

    private func withColumn<Value>(_ read: (UnsafeRawBufferPointer) -> Value) -> Value? {
        precondition(nextRow > 0 && nextColumn < columns, "the row has no such column")
        let row = nextRow - 1
        let column = nextColumn
        nextColumn += 1
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        let count = Int(unsafe PQgetlength(result, row, column))
        let start = unsafe PQgetvalue(result, row, column)
        return unsafe read(UnsafeRawBufferPointer(start: start, count: count))
    }
}
