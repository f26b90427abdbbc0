import AppStoreModel
import SQLiteDriver
import Testing

@testable import LedgerSQLite
@testable import TillLedger

/// Proofs come back as they were given, however they are kept.
@Suite struct ProofStoringTests {
    private static func proof(
        _ number: UInt8, _ kind: ProofSource, _ text: String
    ) throws -> StoredProof {
        let digest = try #require(ProofDigest(rawValue: [UInt8](repeating: number, count: 32)))
        return StoredProof(
            digest: digest, kind: kind, bytes: Array(text.utf8), receivedAt: Sale.noon)
    }

    private static func header(_ letter: Character) -> String {
        String(repeating: letter, count: 300)
    }

    private static func append(_ facts: [Fact], to store: any LedgerStore) async throws {
        try await store.transact(reading: FactQuery()) { _ in Decision(facts: facts, answer: ()) }
    }

    private static func headers(_ path: String) throws -> Int64? {
        var database = try SQLiteDatabase(path: path, access: .readOnly)
        return try database.number("SELECT count(*) FROM proof_headers")
    }

    @Test(arguments: StoreKind.allCases)
    func `A proof of every kind and form comes back byte for byte`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        let texts = [
            Self.header("a") + ".payload.signature", Self.header("a") + ".other.signature",
            Self.header("b") + ".payload.signature", Self.header("a"), Self.header("a") + ".",
            "short.payload.signature", ".", "", String(repeating: "ab", count: 150),
            "." + Self.header("a"),
        ]
        var proofs: [StoredProof] = []
        for source in ProofSource.allCases {
            for text in texts {
                proofs.append(try Self.proof(UInt8(proofs.count), source, text))
            }
        }
        try await Self.append(proofs.map { .proof($0) }, to: shop.store)
        for proof in proofs { #expect(try await shop.store.proof(proof.digest) == proof) }
    }

    @Test func `What the values of one signer begin with is kept once`() async throws {
        let folder = try Folder()
        let path = folder.file("till.db")
        let store = try await SQLiteLedgerStore.open(path: path)
        for number in UInt8(0)..<40 {
            let letter: Character = number % 2 == 0 ? "a" : "b"
            let proof = try Self.proof(
                number, .transaction, Self.header(letter) + ".payload\(number).signature")
            try await Self.append([.proof(proof)], to: store)
        }
        #expect(try Self.headers(path) == 2)
        // More signers than are remembered, and the first again: still one row each.
        for number in UInt8(100)..<130 {
            let letter = Character(UnicodeScalar(number))
            let proof = try Self.proof(number, .transaction, Self.header(letter) + ".x.y")
            try await Self.append([.proof(proof)], to: store)
        }
        let again = try Self.proof(131, .notification, Self.header("a") + ".again.y")
        try await Self.append([.proof(again)], to: store)
        #expect(try Self.headers(path) == 32)
        #expect(try await store.proof(again.digest) == again)
        await store.close()
        var database = try SQLiteDatabase(path: path, access: .readOnly)
        let readable = try database.text(
            "SELECT CAST(bytes AS TEXT) FROM readable_proofs WHERE digest = x'\(String(repeating: "83", count: 32))'"
        )
        #expect(readable.map { Array($0.utf8) } == again.bytes)
    }

    @Test func `A header that was undone with its proof is written anew`() async throws {
        let folder = try Folder()
        let store = try await SQLiteLedgerStore.open(path: folder.file("till.db"))
        let proof = try Self.proof(1, .transaction, Self.header("a") + ".payload.signature")
        let order = Order(
            id: try #require(
                OrderID(
                    randomBytes: [UInt8](repeating: 1, count: 10), at: Timestamp(milliseconds: 0))),
            bundleID: Sale.app, customer: .anna, productID: Sale.coins600, quantity: 1,
            openedAt: Sale.noon, expiresAt: Sale.noon)
        let error = await #expect(throws: LedgerError.self) {
            try await Self.append(
                [.proof(proof), .orderOpened(order), .orderOpened(order)], to: store)
        }
        #expect(error?.code == .contended)
        #expect(try await store.proof(proof.digest) == nil)
        let next = try Self.proof(2, .transaction, Self.header("a") + ".next.signature")
        try await Self.append([.proof(next), .proof(proof)], to: store)
        #expect(try await store.proof(proof.digest) == proof)
        #expect(try await store.proof(next.digest) == next)
        await store.close()
    }
}
