import TestKit
import Testing

@testable import PostgresDriver

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresConnectionTests {
    private func connection(
        _ change: (inout PostgresConnection.Options) -> Void = { _ in }
    ) throws -> PostgresConnection {
        var options = PostgresConnection.Options()
        change(&options)
        return try PostgresConnection(
            address: try PostgresServer.shared.get().address(), options: options)
    }

    private func refusal(
        of address: String, _ options: PostgresConnection.Options = .init()
    ) -> PostgresError? {
        do throws(PostgresError) {
            _ = try PostgresConnection(address: address, options: options)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(
        _ body: () throws(PostgresError) -> Void
    ) -> PostgresError? {
        do throws(PostgresError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// What the macros cannot look at themselves, as a connection cannot be copied.
    private func state(
        of connection: borrowing PostgresConnection
    ) -> (isBroken: Bool, isInTransaction: Bool) {
        (connection.isBroken, connection.isInTransaction)
    }

    // MARK: Values

    @Test func `Values of every kind come back as they went`() throws {
        var connection = try connection()
        let numbers: [Int64?] = [0, -1, 1, .min, .max, 1 << 33, nil]
        let texts: [String?] = ["", "x", "漢字 '; DROP \" \\ 🧾\n", nil]
        let blobs: [[UInt8]?] = [[], [0], [UInt8](0...255), nil]
        for number in numbers {
            let rows = try connection.run("SELECT $1::bigint", .int64(number))
            #expect(rows.step())
            #expect(rows.optionalInt64() == number)
        }
        for text in texts {
            let rows = try connection.run("SELECT $1::text", .text(text))
            #expect(rows.step())
            #expect(rows.optionalText() == text)
        }
        for blob in blobs {
            let rows = try connection.run("SELECT $1::bytea", .bytes(blob))
            #expect(rows.step())
            #expect(rows.optionalBytes() == blob)
        }
    }

    @Test func `Arrays are sets of rows to the server`() throws {
        var connection = try connection()
        for count in [0, 1, 1_000] {
            let numbers = (0..<count).map { Int64($0) - 5 }
            let rows = try connection.run("SELECT unnest($1::bigint[])", .int64s(numbers))
            var found: [Int64] = []
            while rows.step() { found.append(rows.int64()) }
            #expect(found == numbers)
            let texts = numbers.map { $0 == 0 ? "" : "t\($0)," }
            let words = try connection.run("SELECT unnest($1::text[])", .texts(texts))
            var read: [String] = []
            while words.step() { read.append(words.text()) }
            #expect(read == texts)
        }
    }

    @Test func `Small numbers and truths are read as numbers`() throws {
        var connection = try connection()
        let rows = try connection.run(
            "SELECT (-2)::smallint, (-70000)::int, 70000::int, true, false, NULL::int")
        #expect(rows.step())
        #expect(rows.int64() == -2)
        #expect(rows.int64() == -70_000)
        #expect(rows.int64() == 70_000)
        #expect(rows.int64() == 1)
        #expect(rows.int64() == 0)
        #expect(rows.optionalInt64() == nil)
        #expect(!rows.step())
        #expect(!rows.step())
    }

    @Test func `A NUL in a text is refused with the server's code, and the connection lives on`()
        throws
    {
        var connection = try connection()
        let error = refusal { () throws(PostgresError) in
            _ = try connection.run("SELECT $1::text", .text("a\0b"))
        }
        #expect(error?.sqlState == "22021")
        #expect(error?.kind == .badValue)
        let script = refusal { () throws(PostgresError) in try connection.execute("SELECT '\0'") }
        #expect(script?.sqlState == "22021")
        let rows = try connection.run("SELECT 1")
        #expect(rows.step() && rows.int64() == 1)
    }

    // MARK: Pipelines

    @Test func `A pipeline gives every result in order, and prepares each text once`() throws {
        var connection = try connection()
        try connection.execute("CREATE TEMP TABLE t (n bigint PRIMARY KEY)")
        let inserts = (0..<500).map {
            PostgresQuery("INSERT INTO t VALUES ($1)", [.int64(Int64($0))])
        }
        let results = try connection.run(
            [PostgresQuery("BEGIN")] + inserts
                + [PostgresQuery("SELECT sum(n)::bigint FROM t"), PostgresQuery("COMMIT")])
        #expect(results.count == 503)
        #expect(results[1].affectedRows == 1)
        #expect(results[501].step() && results[501].int64() == 124_750)
        #expect(state(of: connection).isInTransaction == false)
        let rows = try connection.run("SELECT count(*) FROM pg_prepared_statements")
        #expect(rows.step() && rows.int64() == 5)
    }

    @Test func `More than every buffer holds goes both ways at once`() throws {
        var connection = try connection()
        let large = [UInt8](repeating: 7, count: 100_000)
        let queries = (0..<200).map { _ in PostgresQuery("SELECT $1::bytea", [.bytes(large)]) }
        let results = try connection.run(queries)
        #expect(results.count == 200)
        #expect(results.allSatisfy { $0.step() && $0.bytes() == large })
    }

    @Test func `What fails is named, what follows is not run, and nothing of it stays`() throws {
        var connection = try connection()
        try connection.execute("CREATE TEMP TABLE t (n bigint PRIMARY KEY CHECK (n < 10))")
        func insert(_ number: Int64) -> PostgresQuery {
            PostgresQuery("INSERT INTO t VALUES ($1)", [.int64(number)])
        }
        let taken = refusal { () throws(PostgresError) in
            try connection.run([insert(1), insert(2), insert(1), insert(3)])
        }
        #expect(taken?.kind == .duplicateKey)
        #expect(taken?.sqlState == "23505")
        #expect(taken?.statement == 2)
        let bad = refusal { () throws(PostgresError) in try connection.run([insert(5), insert(11)])
        }
        #expect(bad?.kind == .badValue)
        #expect(bad?.sqlState == "23514")
        let rows = try connection.run("SELECT count(*) FROM t")
        #expect(rows.step() && rows.int64() == 0)
    }

    @Test func `A statement that is no SQL, and one behind it, can be used again`() throws {
        var connection = try connection()
        let error = refusal { () throws(PostgresError) in
            try connection.run([
                PostgresQuery("SELECT 1"), PostgresQuery("SELEKT 2"), PostgresQuery("SELECT 3"),
            ])
        }
        #expect(error?.sqlState == "42601")
        #expect(error?.statement == 1)
        let rows = try connection.run("SELECT 3")
        #expect(rows.step() && rows.int64() == 3)
        let again = refusal { () throws(PostgresError) in _ = try connection.run("SELEKT 2") }
        #expect(again?.sqlState == "42601")
        let unknown = refusal { () throws(PostgresError) in
            _ = try connection.run("SELECT * FROM no_such_table")
        }
        #expect(unknown?.kind == .unknownName)
    }

    // MARK: Transactions

    @Test func `A transaction that throws leaves nothing`() throws {
        var connection = try connection()
        try connection.execute("CREATE TEMP TABLE t (n bigint)")
        let error = refusal { () throws(PostgresError) in
            try connection.inTransaction { connection throws(PostgresError) in
                _ = try connection.run("INSERT INTO t VALUES (1)")
                _ = try connection.run("SELECT 1 / 0")
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(state(of: connection).isInTransaction == false)
        let count = try connection.inTransaction { connection throws(PostgresError) in
            _ = try connection.run("INSERT INTO t VALUES (2)")
            let rows = try connection.run("SELECT count(*), max(n) FROM t")
            return rows.step() ? [rows.int64(), rows.int64()] : []
        }
        #expect(count == [1, 2])
    }

    @Test func `Transactions that exclude one another are told so`() throws {
        var first = try connection()
        var second = try connection()
        let table = "serial_\(UInt32.random(in: 0 ... .max))"
        try first.execute("CREATE TABLE \(table) (n bigint); INSERT INTO \(table) VALUES (1)")
        try first.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM \(table)")
        try second.execute("UPDATE \(table) SET n = 2")
        let error = refusal { () throws(PostgresError) in
            try first.execute("UPDATE \(table) SET n = 3")
        }
        #expect(error?.kind == .serialization)
        try first.execute("ROLLBACK; BEGIN READ ONLY")
        let written = refusal { () throws(PostgresError) in
            try first.execute("UPDATE \(table) SET n = 3")
        }
        #expect(written?.kind == .readOnly)
        try first.execute("ROLLBACK; DROP TABLE \(table)")
    }

    // MARK: Faults

    @Test
    func `An address that cannot be read, or leads nowhere, is refused without being repeated`()
        throws
    {
        let server = try PostgresServer.shared.get()
        for address in [
            "postgres://user:secret@host:notaport/db?what=ever", "postgres://user:secret@[::1",
            "postgres://user:secret@h/db?nonsense=1", "postgres://user:secret%zz@h/db", "a\0b",
        ] {
            let error = refusal(of: address)
            #expect(error?.kind == .notAdmitted)
            #expect(error?.description.contains("secret") == false)
        }
        let refused = refusal(of: "postgres://user:secret@127.0.0.1:1/db")
        #expect(refused?.kind == .connectionLost)
        #expect(refused?.description.contains("secret") == false)
        #expect(refusal(of: server.address(database: "none"))?.sqlState == "3D000")
        #expect(refusal(of: server.address(database: "none"))?.kind == .notAdmitted)
        let nobody = "postgres://nobody:secret@/postgres?host=\(server.folder)"
        #expect(refusal(of: nobody)?.kind == .notAdmitted)
        #expect(refusal(of: nobody)?.description.contains("secret") == false)
    }

    @Test func `The server's code is found in what the library says, and in nothing else`() {
        let refused =
            "connection to server at \"::1\", port 5432 failed: FATAL:  53300: sorry: too many\nX"
        let found = ConnectionHandle.serverRefusal(refused)
        #expect(found?.code == "53300")
        #expect(found?.message == "sorry: too many")
        for other in [
            "", "could not translate host name \"A:  12345\"", "failed: Connection refused",
            "FATAL: 53300: one blank", "FATAL:  5330x: small", "  53300: first",
        ] {
            #expect(ConnectionHandle.serverRefusal(other) == nil, "\(other)")
        }
    }

    @Test func `A server that accepts and says nothing is given up in time`() throws {
        let silent = try #require(RawSocket.listening())
        var options = PostgresConnection.Options()
        options.connectTime = .milliseconds(50)
        let error = refusal(
            of: "postgres://user@127.0.0.1:\(silent.port)/db?sslmode=disable", options)
        #expect(error?.kind == .timedOut)
        #expect(error?.endsConnection == true)
    }

    @Test func `A call that takes too long ends the connection, and says so to the next`() throws {
        var connection = try connection { $0.callTime = .milliseconds(50) }
        let error = refusal { () throws(PostgresError) in
            _ = try connection.run("SELECT pg_sleep(60)")
        }
        #expect(error?.kind == .timedOut)
        #expect(state(of: connection).isBroken == true)
        let next = refusal { () throws(PostgresError) in _ = try connection.run("SELECT 1") }
        #expect(next?.kind == .connectionLost)
        let script = refusal { () throws(PostgresError) in try connection.execute("SELECT 1") }
        #expect(script?.kind == .connectionLost)
    }

    @Test func `A statement that the server ends is no end of the connection`() throws {
        var connection = try connection()
        try connection.execute("SET statement_timeout = 20")
        let error = refusal { () throws(PostgresError) in
            _ = try connection.run("SELECT pg_sleep(60)")
        }
        #expect(error?.kind == .canceled)
        #expect(error?.sqlState == "57014")
        #expect(state(of: connection).isBroken == false)
        let rows = try connection.run("SELECT 1")
        #expect(rows.step())
    }

    @Test func `A connection that the server ends is told as lost`() throws {
        var connection = try connection()
        var other = try self.connection()
        let rows = try connection.run("SELECT pg_backend_pid()")
        #expect(rows.step())
        _ = try other.run("SELECT pg_terminate_backend($1::int)", .int64(rows.int64()))
        let error = refusal { () throws(PostgresError) in
            // The first may still be answered, as the end comes when it comes.
            for _ in 0..<1_000 { _ = try connection.run("SELECT pg_sleep(0.01)") }
        }
        #expect(error?.kind == .connectionLost)
        #expect(state(of: connection).isBroken == true)
    }

    @Test func `Too many connections, and a server that was killed, are told apart`() throws {
        let server = try PostgresServer(settings: [
            "max_connections=4", "superuser_reserved_connections=0",
        ])
        var first = try PostgresConnection(address: server.address())
        let second = try PostgresConnection(address: server.address())
        let third = try PostgresConnection(address: server.address())
        let fourth = try PostgresConnection(address: server.address())
        let error = refusal(of: server.address())
        #expect(error?.kind == .exhausted)
        #expect(error?.sqlState == "53300")
        for isBroken in [state(of: second), state(of: third), state(of: fourth)].map(\.isBroken) {
            #expect(!isBroken)
        }
        server.kill()
        let lost = refusal { () throws(PostgresError) in _ = try first.run("SELECT 1") }
        #expect(lost?.kind == .connectionLost)
        #expect(refusal(of: server.address())?.kind == .connectionLost)
        try server.start()
        var again = try PostgresConnection(address: server.address())
        let rows = try again.run("SELECT 1")
        #expect(rows.step())
    }
}
