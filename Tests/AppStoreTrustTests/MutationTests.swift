import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit
import Testing

/// Every sample file with something done to it, tens of thousands of times.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct MutationTests {
    static let seed: UInt64 = 20_240_806
    /// Mutations of a file of 5 KB; larger ones get fewer, so that the time is spread evenly.
    static let mutationsPerFile = 200

    static let files: [String] = [
        "receipts", "jws", "certificates", "notifications-v1", "verifyreceipt", "storekit",
        "models",
    ].flatMap { folder in AppleSamples.names(in: folder).map { folder + "/" + $0 } }

    /// Trusts everything that any sample was made under, so that as much as can be is genuine.
    static let verifier = Result {
        var roots: [ExtraRoot] = []
        var legacy: [Certificate] = []
        for name in AppleSamples.names(in: "certificates") {
            let bytes = try AppleSamples.bytes("certificates/" + name)
            let certificate = try Certificate(pemOrDER: bytes)
            let isRoot =
                name.contains("fakeca") || name.contains("StoreKitTest")
                || name.hasSuffix("testCA.der")
            if isRoot { roots.append(ExtraRoot(name: name, certificate: certificate)) }
            if name.contains("iTunesStore") || name.contains("IncRoot") {
                legacy.append(certificate)
            }
        }
        return ProofVerifier(
            configuration: try .unsafeAnyApp(extraRoots: roots, legacyCertificates: legacy))
    }

    @Test(arguments: files)
    func `nothing crashes, and nothing that was changed is believed`(_ file: String) throws {
        let verifier = try Self.verifier.get()
        let bytes = try AppleSamples.bytes(file)
        let original = try? verifier.verifyAny(bytes).result.get()
        var numbers = SeededNumbers(seed: Self.seed ^ UInt64(bytes.count))
        let count = max(50, Self.mutationsPerFile * 5_000 / max(5_000, bytes.count))
        for index in 0..<count {
            let mutated = numbers.mutated(bytes)
            guard let proof = try? verifier.verifyAny(mutated).result.get() else { continue }
            // What still holds was changed outside the signed part, and says what it said.
            #expect(
                original.map { proof.says($0) } ?? false,
                "mutation \(index) of \(file) was believed")
        }
    }

    @Test func `that is tens of thousands of mutations`() throws {
        let counts = try Self.files.map {
            max(50, Self.mutationsPerFile * 5_000 / max(5_000, try AppleSamples.bytes($0).count))
        }
        #expect(counts.reduce(0, +) > 20_000)
    }
}

extension GenuineProof {
    /// Whether both prove the same.
    func says(_ other: GenuineProof) -> Bool {
        switch (self, other) {
        case (.appReceipt(let left), .appReceipt(let right)): left.value == right.value
        case (.transactionReceipt(let left), .transactionReceipt(let right)):
            left.value == right.value
        case (.transaction(let left), .transaction(let right)): left.value == right.value
        case (.renewalInfo(let left), .renewalInfo(let right)): left.value == right.value
        case (.notification(let left), .notification(let right)):
            left.notification.value == right.notification.value
        case (.appTransaction(let left), .appTransaction(let right)): left.value == right.value
        case (.realtimeRequest(let left), .realtimeRequest(let right)): left.value == right.value
        case (.unknown(let left), .unknown(let right)): left.value == right.value
        default: false
        }
    }
}
