import AppStoreModel
import SQLiteDriver
import TillLedger

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The headers of signed values that were met last, with their numbers.
///
/// A signed value begins with its signer's three certificates: some four kilobytes that are the same in
/// every one that the signer makes, and five sixths of it.
struct ProofHeaders {
    /// Each ends with the dot behind it.
    ///
    /// There are as many as Apple has signers; a few are in use at a time.
    private var recent: [(bytes: [UInt8], id: Int64)] = []
    private static let most = 16
    /// Shorter ones are not worth a row of their own.
    static let shortest = 256

    /// The known header that a proof begins with.
    func find(in proof: [UInt8]) -> (length: Int, id: Int64)? {
        recent.first { Self.begins(proof, with: $0.bytes) }.map { ($0.bytes.count, $0.id) }
    }

    private static func begins(_ proof: [UInt8], with header: [UInt8]) -> Bool {
        guard proof.count >= header.count else { return false }
        return unsafe proof.withUnsafeBytes { proof in
            unsafe header.withUnsafeBytes { header in
                guard let left = proof.baseAddress, let right = header.baseAddress else {
                    return false
                }
                return unsafe memcmp(left, right, header.count) == 0
            }
        }
    }

    mutating func remember(_ bytes: ArraySlice<UInt8>, _ id: Int64) {
        if recent.count == Self.most { recent.removeLast() }
        recent.insert((Array(bytes), id), at: 0)
    }
}

extension LedgerConnection {
    /// Keeps a proof, once; of a signed value what its signer puts in front of all of them stands apart.
    mutating func append(_ proof: StoredProof) throws(SQLiteError) {
        let header = try header(of: proof)
        let sql = """
            INSERT INTO proofs (digest, kind, header_id, bytes, received_at_ms)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING
            """
        try database.run(sql) { statement throws(SQLiteError) in
            try statement.bind(proof.digest.rawValue)
            try statement.bind(proof.kind.rawValue)
            try statement.bind(header?.id)
            try statement.bind(proof.bytes[(header?.length ?? 0)...])
            try statement.bind(proof.receivedAt.milliseconds)
        }
    }

    /// Reads a kept proof.
    mutating func proof(_ digest: ProofDigest) throws(SQLiteError) -> StoredProof? {
        let sql = """
            SELECT p.kind, h.bytes, p.bytes, p.received_at_ms
            FROM proofs p LEFT JOIN proof_headers h USING (header_id) WHERE p.digest = ?
            """
        return try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind(digest.rawValue)
            guard try statement.step() else { return nil }
            return StoredProof(
                digest: digest, kind: try statement.word("a proof's kind"),
                bytes: statement.bytes() + statement.bytes(), receivedAt: statement.time())
        }
    }

    private mutating func header(
        of proof: StoredProof
    ) throws(SQLiteError) -> (length: Int, id: Int64)? {
        switch proof.kind {
        case .transaction, .renewalInfo, .notification: break
        case .receipt, .legacyReceipt, .hint: return nil
        }
        if let known = headers.find(in: proof.bytes) { return known }
        guard let dot = proof.bytes.firstIndex(of: UInt8(ascii: ".")),
            dot >= ProofHeaders.shortest
        else { return nil }
        let header = proof.bytes[...dot]
        try database.run("INSERT INTO proof_headers (bytes) VALUES (?) ON CONFLICT DO NOTHING") {
            statement throws(SQLiteError) in try statement.bind(header)
        }
        let id = try database.number("SELECT header_id FROM proof_headers WHERE bytes = ?") {
            statement throws(SQLiteError) in try statement.bind(header)
        }
        guard let id else { throw .unreadable("the header of a proof") }
        headers.remember(header, id)
        return (header.count, id)
    }
}

extension LedgerSchema {
    /// What the signed values of one signer begin with, once for all of them.
    static let proofHeaders = Step(
        name: "headers of proofs",
        sql: """
            CREATE TABLE proof_headers (
                header_id INTEGER PRIMARY KEY,
                bytes BLOB NOT NULL UNIQUE
            ) STRICT;
            ALTER TABLE proofs ADD COLUMN header_id INTEGER REFERENCES proof_headers;

            CREATE VIEW readable_proofs AS
                SELECT p.digest, p.kind,
                    CAST(ifnull(h.bytes, x'') || p.bytes AS BLOB) AS bytes,
                    datetime(p.received_at_ms / 1000, 'unixepoch') AS received
                FROM proofs p LEFT JOIN proof_headers h USING (header_id);
            """)
}
