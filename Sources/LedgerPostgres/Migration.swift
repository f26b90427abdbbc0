import PostgresDriver
import TillLedger

extension PostgresConnection {
    /// Makes sure that the schema is a ledger in the present form, bringing an empty or older one there.
    ///
    /// One server at a time does this, whoever comes meanwhile finds it done. A schema that is something
    /// else, or that a newer program made, is left as it is.
    mutating func bringUpToDate(
        _ steps: [LedgerSchema.Step] = LedgerSchema.steps
    ) throws(LedgerError) {
        // Looked at without a lock first: a server that only reads can be opened too.
        guard try isBehind(steps) else { return }
        do throws(PostgresError) { try execute("BEGIN") } catch {
            throw LedgerError(opening: error)
        }
        do throws(LedgerError) {
            try opening { connection throws(PostgresError) in
                // "Till" and the schema; whoever starts meanwhile waits here.
                try connection.execute(
                    """
                    SET LOCAL lock_timeout = '25s';
                    SET LOCAL statement_timeout = '25s';
                    SELECT pg_advisory_xact_lock(1416195180, hashtext(current_schema()));
                    """)
            }
            if try isBehind(steps) { try takeSteps(steps) }
            try opening { connection throws(PostgresError) in try connection.execute("COMMIT") }
        } catch {
            if !isBroken, isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether steps are missing; anything but an empty schema and a ledger is refused.
    private mutating func isBehind(_ steps: [LedgerSchema.Step]) throws(LedgerError) -> Bool {
        try checkEncoding()
        let found = try opening { connection throws(PostgresError) in
            let rows = try connection.run(
                """
                SELECT current_schema() IS NOT NULL,
                    EXISTS (SELECT 1 FROM pg_class
                        WHERE relnamespace = current_schema()::regnamespace
                            AND relname = 'schema_steps'),
                    EXISTS (SELECT 1 FROM pg_class c
                        WHERE c.relnamespace = current_schema()::regnamespace
                            AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
                            AND NOT EXISTS (SELECT 1 FROM pg_depend d
                                WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                                    AND d.deptype = 'e'))
                """)
            _ = rows.step()
            return (
                hasSchema: rows.int64() == 1, hasSteps: rows.int64() == 1, hasAny: rows.int64() == 1
            )
        }
        guard found.hasSchema else {
            throw LedgerError(.cannotOpen, "the search path names no schema that is there")
        }
        guard found.hasSteps else {
            guard !found.hasAny else {
                throw LedgerError(.foreign, "the schema has tables of another program")
            }
            return true
        }
        return try recordedSteps(steps) < steps.count
    }

    private func checkEncoding() throws(LedgerError) {
        let encoding = reportedSetting("server_encoding") ?? "unknown"
        guard encoding == "UTF8" else {
            throw LedgerError(.cannotOpen, "the database's encoding is \(encoding), not UTF8")
        }
    }

    /// How many steps made the database; each must be one that this program knows.
    private mutating func recordedSteps(
        _ steps: [LedgerSchema.Step]
    ) throws(LedgerError) -> Int {
        let recorded: [String]
        do throws(PostgresError) {
            let rows = try run("SELECT checksum FROM schema_steps ORDER BY number")
            var checksums: [String] = []
            while rows.step() { checksums.append(rows.text()) }
            recorded = checksums
        } catch  where error.kind == .unknownName {
            throw LedgerError(.foreign, "the schema has tables of another program")
        } catch {
            throw LedgerError(opening: error)
        }
        guard zip(recorded, steps).allSatisfy({ $0 == $1.checksum }) else {
            throw LedgerError(
                .foreign, "the database was made by steps that this program does not know")
        }
        guard recorded.count <= steps.count else {
            throw LedgerError(
                .newer,
                "the database has form \(recorded.count), and this program knows \(steps.count)")
        }
        return recorded.count
    }

    private mutating func takeSteps(_ steps: [LedgerSchema.Step]) throws(LedgerError) {
        var version = 0
        let isThere = try opening { connection throws(PostgresError) in
            let rows = try connection.run(
                """
                SELECT EXISTS (SELECT 1 FROM pg_class
                    WHERE relnamespace = current_schema()::regnamespace
                        AND relname = 'schema_steps')
                """)
            return rows.step() && rows.int64() == 1
        }
        if isThere { version = try recordedSteps(steps) }
        try opening { connection throws(PostgresError) in
            if !isThere { try connection.execute(LedgerSchema.memory) }
            for (place, step) in steps.enumerated().dropFirst(version) {
                try connection.execute(step.sql)
                _ = try connection.run(
                    "INSERT INTO schema_steps (number, name, checksum) VALUES ($1, $2, $3)",
                    .int64(Int64(place + 1)), .text(step.name), .text(step.checksum))
            }
        }
    }

    private mutating func opening<Value>(
        _ body: (inout PostgresConnection) throws(PostgresError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(PostgresError) {
            return try body(&self)
        } catch {
            throw LedgerError(opening: error)
        }
    }
}
