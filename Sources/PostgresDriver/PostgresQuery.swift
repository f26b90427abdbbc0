/// A statement with the values of its parameters.
public struct PostgresQuery: Sendable, Hashable {
    /// The statement, `$1` for its first parameter.
    ///
    /// It is prepared at its first use on a connection, for the types of the values that it has then.
    public let sql: String
    /// The parameters' values.
    public var parameters: [PostgresValue]

    /// Makes a query.
    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

/// A value of a parameter, sent in binary form; nil is NULL.
public enum PostgresValue: Sendable, Hashable {
    /// A `bigint`.
    case int64(Int64?)
    /// A `text`. PostgreSQL has no text with a NUL in it, and refuses it.
    case text(String?)
    /// A `bytea`.
    case bytes([UInt8]?)
    /// A `bigint[]`.
    case int64s([Int64])
    /// A `text[]`.
    case texts([String])

    /// The type's number in every PostgreSQL (`pg_type.dat`).
    var type: UInt32 {
        switch self {
        case .int64: 20
        case .text: Self.textType
        case .bytes: 17
        case .int64s: 1_016
        case .texts: 1_009
        }
    }

    private static let textType: UInt32 = 25
    private static let int64Type: UInt32 = 20

    /// Appends the binary form; false, and nothing, for NULL.
    func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .int64(nil), .text(nil), .bytes(nil): return false
        case .int64(let value?): Self.append(UInt64(bitPattern: value), to: &bytes)
        case .text(let value?): bytes.append(contentsOf: value.utf8)
        case .bytes(let value?): bytes.append(contentsOf: value)
        case .int64s(let values):
            Self.appendHead(values.count, of: Self.int64Type, to: &bytes)
            for value in values {
                Self.append(UInt32(8), to: &bytes)
                Self.append(UInt64(bitPattern: value), to: &bytes)
            }
        case .texts(let values):
            Self.appendHead(values.count, of: Self.textType, to: &bytes)
            for value in values {
                Self.append(UInt32(truncatingIfNeeded: value.utf8.count), to: &bytes)
                bytes.append(contentsOf: value.utf8)
            }
        }
        return true
    }

    /// An array's head: dimensions, whether there are NULLs, type; and of the one dimension, length and
    /// first index.
    private static func appendHead(_ count: Int, of type: UInt32, to bytes: inout [UInt8]) {
        append(UInt32(count == 0 ? 0 : 1), to: &bytes)
        append(UInt32(0), to: &bytes)
        append(type, to: &bytes)
        guard count > 0 else { return }
        append(UInt32(truncatingIfNeeded: count), to: &bytes)
        append(UInt32(1), to: &bytes)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        var shift = number.bitWidth
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// The parameters of one execution in one buffer, as libpq wants them.
struct EncodedParameters {
    private(set) var bytes: [UInt8] = []
    /// Where each begins; nil for NULL.
    private(set) var starts: [Int?] = []
    private(set) var lengths: [Int32] = []

    init(_ values: [PostgresValue]) {
        starts.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            let isThere = value.append(to: &bytes)
            starts.append(isThere ? start : nil)
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // So that a value of no bytes has an address: none would mean NULL.
        bytes.append(0)
    }
}
