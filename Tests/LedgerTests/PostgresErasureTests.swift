import TestKit
import Testing
import TillLedger

@testable import LedgerPostgres

/// What a customer who asks to be forgotten leaves behind in PostgreSQL.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresErasureTests {
    private func columns(_ schema: PostgresSchema) throws -> [(table: String, column: String)] {
        try schema.texts(
            """
            SELECT c.relname || '.' || a.attname FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
                AND a.attnum > 0
            """
        ).map { place in
            let words = place.split(separator: ".")
            return (String(words[0]), String(words[1]))
        }
    }

    private func places(of word: String, in schema: PostgresSchema) throws -> [String] {
        try columns(schema).filter { table, column in
            // The text of bytes is their digits.
            try !schema.texts(
                """
                SELECT 'x' FROM \(table) WHERE strpos(\(column)::text, '\(word)') > 0
                    OR strpos(\(column)::text, encode('\(word)'::bytea, 'hex')) > 0 LIMIT 1
                """
            ).isEmpty
        }
        .map { "\($0.table).\($0.column)" }
    }

    @Test func `No row of the database has the names, in any column`() async throws {
        let tests = ErasureTests()
        let shop = try await tests.shop(.postgres)
        try await tests.fill(shop)
        let schema = try #require(shop.schema)
        #expect(try places(of: "anna", in: schema).count > 10)
        _ = try await shop.ledger.erase(ErasureTests.erased, now: Sale.noon)
        #expect(try places(of: "anna", in: schema) == [])
        await shop.store.close()
    }

    @Test func `Every column that can hold a customer's name is replaced or removed`() async throws
    {
        let shop = try await Shop(.postgres)
        let schema = try #require(shop.schema)
        var known = Set(
            (CustomerTraces.named + CustomerTraces.purchased + CustomerTraces.original)
                .map { "\($0.table).\($0.column)" })
        for table in CustomerTraces.removed { known.insert("\(table).customer_id") }
        let found = try columns(schema).filter {
            $0.column.hasSuffix("customer_id") || $0.column == "holder_id"
        }
        #expect(Set(found.map { "\($0.table).\($0.column)" }) == known)
        await shop.store.close()
    }
}
