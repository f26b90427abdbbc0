import SQLiteDriver
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of its own for a test, removed afterwards.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/till-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

@Suite struct SQLiteDatabaseTests {
    @Test func `Numbers, text and bytes come back as they were bound`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.execute("CREATE TABLE t (n INTEGER, s TEXT, b BLOB)")
        try database.run("INSERT INTO t VALUES (?, ?, ?)") { statement throws(SQLiteError) in
            try statement.bind(Int64.min)
            try statement.bind("一二\0三")
            try statement.bind([0, 255, 0])
        }
        try database.withStatement("SELECT n, s, b, length(b) FROM t") {
            statement throws(SQLiteError) in
            #expect(try statement.step())
            #expect(statement.optionalInt64() == Int64.min)
            #expect(statement.optionalText() == "一二\0三")
            #expect(statement.optionalBytes() == [0, 255, 0])
            #expect(statement.int64() == 3)
            #expect(try statement.step() == false)
        }
    }

    @Test func `Nothing is NULL, and empty text and empty bytes are not`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        let types = "SELECT typeof(?1) || ' ' || typeof(?2) || ' ' || typeof(?3)"
        let empty = try database.text(types) { statement throws(SQLiteError) in
            try statement.bind("")
            try statement.bind([UInt8]())
            try statement.bind(0)
        }
        #expect(empty == "text blob integer")
        let nothing = try database.text(types) { statement throws(SQLiteError) in
            try statement.bind(String?.none)
            try statement.bind([UInt8]?.none)
            try statement.bind(Int64?.none)
        }
        #expect(nothing == "null null null")
        try database.withStatement("SELECT NULL, NULL, NULL, x'', ''") {
            statement throws(SQLiteError) in
            #expect(try statement.step())
            #expect(statement.optionalInt64() == nil)
            #expect(statement.optionalText() == nil)
            #expect(statement.optionalBytes() == nil)
            #expect(statement.optionalBytes() == [])
            #expect(statement.optionalText() == "")
        }
    }

    @Test func `A statement used again refuses to run on its former values`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        let sql = "SELECT ?1"
        let first = try database.number(sql) { statement throws(SQLiteError) in
            try statement.bind(7)
        }
        #expect(first == 7)
        #expect(throws: SQLiteError(code: 21, message: "a parameter is not bound")) {
            try database.number(sql)
        }
        let again = try database.number(sql) { statement throws(SQLiteError) in
            try statement.bind(8)
        }
        #expect(again == 8)
    }

    @Test func `Equal text in other storage is the same statement`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        let sql = "SELECT value FROM json_each(?1)"
        let inner = Array(sql).map { String($0) }.joined()
        var pairs: [String] = []
        try database.withStatement(sql) { statement throws(SQLiteError) in
            try statement.bind("[1,2]")
            while try statement.step() { pairs.append(statement.text()) }
        }
        #expect(pairs == ["1", "2"])
        let last = try database.number(inner) { statement throws(SQLiteError) in
            try statement.bind("[3]")
        }
        #expect(last == 3)
    }

    @Test func `Texts of the same length are different statements`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        for _ in 0..<3 {
            for number in 10..<40 {
                #expect(try database.number("SELECT \(number)") == Int64(number))
            }
        }
    }

    @Test func `A taken key is told apart from another broken constraint`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.execute(
            "CREATE TABLE t (k TEXT PRIMARY KEY, u TEXT UNIQUE, n INTEGER NOT NULL) STRICT")
        try database.run("INSERT INTO t VALUES ('a', 'x', 1)")
        let taken = #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO t VALUES ('a', 'y', 1)")
        }
        #expect(taken?.isDuplicateKey == true)
        let notUnique = #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO t VALUES ('b', 'x', 1)")
        }
        #expect(notUnique?.isDuplicateKey == true)
        let null = #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO t VALUES ('b', 'y', NULL)")
        }
        #expect(null?.kind == .constraint)
        #expect(null?.isDuplicateKey == false)
    }

    @Test func `Wrong SQL and no SQL are errors`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        #expect(throws: SQLiteError.self) { try database.run("SELEKT 1") }
        #expect(throws: SQLiteError.self) { try database.run("-- nothing") }
        #expect(throws: SQLiteError.self) { try database.execute("SELECT 1; SELEKT") }
        try database.execute("SELECT 1; SELECT 2")
    }

    @Test func `Too many values for a statement are an error`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        let error = #expect(throws: SQLiteError.self) {
            try database.number("SELECT ?1") { statement throws(SQLiteError) in
                try statement.bind(1)
                try statement.bind(2)
            }
        }
        #expect(error?.kind == .other)
    }

    @Test func `A file that is not there is only made when asked for`() throws {
        let folder = try Folder()
        let path = folder.file("a.db")
        for access in [SQLiteDatabase.Access.readOnly, .readWrite] {
            let error = #expect(throws: SQLiteError.self) {
                _ = try SQLiteDatabase(path: path, access: access)
            }
            #expect(error?.kind == .cannotOpen)
        }
        _ = try SQLiteDatabase(path: path, access: .create)
        _ = try SQLiteDatabase(path: path, access: .readWrite)
    }

    @Test func `What is no database says so`() throws {
        let folder = try Folder()
        let path = folder.file("a.db")
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: path))
        var database = try SQLiteDatabase(path: path, access: .readWrite)
        let error = #expect(throws: SQLiteError.self) {
            try database.number("SELECT count(*) FROM sqlite_schema")
        }
        #expect(error?.kind == .notADatabase)
    }

    @Test func `A reader may not write, and a second writer waits no longer than it was told`()
        throws
    {
        let folder = try Folder()
        let path = folder.file("a.db")
        var first = try SQLiteDatabase(path: path, access: .create)
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)")
        var reader = try SQLiteDatabase(path: path, access: .readOnly)
        let refused = #expect(throws: SQLiteError.self) {
            try reader.run("INSERT INTO t VALUES (1)")
        }
        #expect(refused?.kind == .readOnly)
        try first.execute("BEGIN IMMEDIATE")
        let during = first.isInTransaction
        #expect(during)
        var second = try SQLiteDatabase(path: path, access: .readWrite, busyTimeout: 1)
        let busy = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(busy?.kind == .busy)
        try first.execute("COMMIT")
        let afterwards = first.isInTransaction
        #expect(!afterwards)
        try second.execute("BEGIN IMMEDIATE; ROLLBACK")
    }

    @Test func `A full database refuses the row and keeps what it had`() throws {
        var database = try SQLiteDatabase(path: ":memory:", access: .create)
        try database.execute("PRAGMA max_page_count = 4; CREATE TABLE t (b BLOB)")
        let error = #expect(throws: SQLiteError.self) {
            try database.run("INSERT INTO t VALUES (?)") { statement throws(SQLiteError) in
                try statement.bind([UInt8](repeating: 1, count: 100_000))
            }
        }
        #expect(error?.kind == .full)
        #expect(try database.number("SELECT count(*) FROM t") == 0)
    }

    @Test func `A backup is a whole database, and never overwrites one`() throws {
        let folder = try Folder()
        var database = try SQLiteDatabase(path: folder.file("a.db"), access: .create)
        try database.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (42)")
        try database.backUp(to: folder.file("b.db"))
        var copy = try SQLiteDatabase(path: folder.file("b.db"), access: .readOnly)
        #expect(try copy.number("SELECT n FROM t") == 42)
        #expect(try copy.damage().isEmpty)
        #expect(throws: SQLiteError.self) { try database.backUp(to: folder.file("b.db")) }
    }

    @Test func `A damaged page is found`() throws {
        let folder = try Folder()
        let path = folder.file("a.db")
        do {
            var database = try SQLiteDatabase(path: path, access: .create)
            try database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)")
            try database.execute(
                """
                INSERT INTO t SELECT value, hex(randomblob(200))
                FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]')
                """)
            #expect(try database.damage().isEmpty)
        }
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for place in 4_096..<4_200 { bytes[place] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var database = try SQLiteDatabase(path: path, access: .readOnly)
        #expect(try !database.damage().isEmpty)
    }
}
