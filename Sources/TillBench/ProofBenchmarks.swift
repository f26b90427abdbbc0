import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding

/// Proof of purchase against the raw operations of the same libcrypto, and against Apple's library.
enum ProofBenchmarks {
    /// Each by its name.
    static let all: [(name: String, run: @Sendable () throws -> Bool)] = [
        ("signed-values", { try signedValues(ProofSamples()) }),
        ("receipts", { try receipts(ProofSamples()) }),
        ("strangers", { try strangers(ProofSamples()) }),
        ("growth", { try growth(ProofSamples()) }),
        ("lines", { try lines(ProofSamples()) }),
        ("apple-library", { try PythonPeer.compare(ProofSamples()) }),
    ]

    static func verifier(_ samples: ProofSamples) throws -> ProofVerifier {
        ProofVerifier(
            configuration: try TrustConfiguration(apps: [
                TrustedApp(
                    bundleID: ProofSamples.bundleID, environments: [.sandbox],
                    extraRoots: [
                        ExtraRoot(name: "receipts", certificate: samples.receiptRoot),
                        ExtraRoot(name: "values", certificate: samples.valueRoot),
                    ])
            ]))
    }

    /// A known signer: everything that is done for a signed transaction against the signature alone.
    private static func signedValues(_ samples: ProofSamples) throws -> Bool {
        let verifier = try verifier(samples)
        let texts = try (0..<64).map {
            try samples.jws(ProofSamples.transaction($0), samples.valueChain)
        }
        let message = Array(texts[0].utf8.prefix(4_000))
        let key = samples.valueChain.leafKey
        let digest = SHA256.hash(message)
        let signature = try key.sign(message, as: .ecdsa(.sha256))
        let publicKey = key.publicKey
        var next = 0
        let measured = try Measurement.compare([
            Contender(name: "signed transaction, known signer") {
                next = (next + 1) % texts.count
                _ = try verifier.verifyTransaction(texts[next])
            },
            Contender(name: "P-256 signature of a digest") {
                guard publicKey.isValid(signature, ofDigest: digest, as: .ecdsa(.sha256)) else {
                    throw Failure(what: "the raw signature")
                }
            },
        ])
        print(
            "  signed transactions/s (\(texts[0].utf8.count) bytes)      \(measured.rate(0).text)")
        print("  raw P-256 verifications/s               \(measured.rate(1).text)")
        return Goal(name: "  signed transaction : raw P-256", bound: .atLeast(0.85))
            .report(measured.ratio(0, to: 1))
    }

    /// A known signer: everything that is done for a receipt against `PKCS7_verify` of the same bytes.
    private static func receipts(_ samples: ProofSamples) throws -> Bool {
        let verifier = try verifier(samples)
        let bytes = try samples.receipt(purchases: 4)
        let measured = try Measurement.compare([
            Contender(name: "receipt") { _ = try verifier.verifyReceipt(bytes) },
            Contender(name: "PKCS7_verify") {
                let message = try PKCS7Message(bytes)
                guard message.open(anchor: samples.receiptRoot, at: 1_700_000_000) != nil else {
                    throw Failure(what: "PKCS7_verify")
                }
            },
        ])
        print("  receipts/s (\(bytes.count) bytes, 4 purchases)     \(measured.rate(0).text)")
        return Goal(name: "  receipt : PKCS7_verify", bound: .atLeast(20))
            .report(measured.ratio(0, to: 1))
    }

    /// A chain that was never seen, and one under a root that nobody named.
    private static func strangers(_ samples: ProofSamples) throws -> Bool {
        let fresh = try (0..<24).map { _ in
            try ProofSamples.chain(
                under: samples.valueRoot, samples.valueRootKey, .p384, .p256, .sha384)
        }
        let texts = try fresh.map { try samples.jws(ProofSamples.transaction(1), $0) }
        let (foreignRoot, foreignKey) = try ProofSamples.root(.p384, .sha384)
        let foreignChain = try ProofSamples.chain(
            under: foreignRoot, foreignKey, .p384, .p256, .sha384)
        let foreign = Array(try samples.jws(ProofSamples.transaction(1), foreignChain).utf8)
        var verifier = try verifier(samples)
        let stranger = try Self.verifier(samples)
        var next = 0
        let chain = fresh[0].certificates
        let measured = try Measurement.compare([
            Contender(name: "fresh chain") {
                if next == texts.count {
                    next = 0
                    verifier = try Self.verifier(samples)
                }
                _ = try verifier.verifyTransaction(texts[next])
                next += 1
            },
            Contender(name: "X509_verify_cert") {
                try ChainCheck.verify(
                    leaf: chain[0], intermediates: [chain[1]], anchor: chain[2], at: 1_700_000_000)
            },
            Contender(name: "wrong root") {
                let verdict = stranger.verifyAny(foreign)
                guard case .failure(let refusal) = verdict.result,
                    refusal.reason == .untrustedRoot
                else { throw Failure(what: "a wrong root") }
            },
        ])
        let cost = Goal(name: "  time of a fresh chain : X509_verify_cert", bound: .atMost(2))
            .report(measured.ratio(1, to: 0))
        let wrong = Goal(name: "  time of a wrong root : X509_verify_cert", bound: .atMost(0.05))
            .report(measured.ratio(1, to: 2))
        return cost && wrong
    }

    /// Receipts with ever more purchases: the time for each should not grow.
    private static func growth(_ samples: ProofSamples) throws -> Bool {
        let verifier = try verifier(samples)
        let counts = [187, 1_000, 10_000]
        let contenders = try counts.map { count in
            let bytes = try samples.receipt(purchases: count)
            return Contender(name: "\(count)", units: count) {
                guard try verifier.verifyReceipt(bytes).value.inApp.count == count else {
                    throw Failure(what: "purchases")
                }
            }
        }
        let measured = try Measurement.compare(contenders)
        for (index, count) in counts.enumerated() {
            print("  purchases/s in a receipt of \(count)          \(measured.rate(index).text)")
        }
        return Goal(name: "  time for each purchase, 10,000 : 187", bound: .atMost(1.5))
            .report(measured.ratio(0, to: 2))
    }

    /// An archive, a line at a time, as `till verify --lines` reads it, against the verifier alone.
    private static func lines(_ samples: ProofSamples) throws -> Bool {
        let verifier = try verifier(samples)
        let receipt = try samples.receipt(purchases: 4)
        let signed = try CompactJWS(
            decoding: samples.jws(ProofSamples.transaction(1), samples.valueChain))
        let encoded = Base64.encodeToBytes(receipt)
        let measured = try Measurement.compare([
            Contender(name: "lines", units: 2) {
                guard verifier.verifyAny(encoded).isValid, verifier.verifyAny(signed.bytes).isValid
                else { throw Failure(what: "a line") }
            },
            Contender(name: "proofs", units: 2) {
                _ = try verifier.verifyReceipt(receipt)
                _ = try verifier.verifyTransaction(signed)
            },
        ])
        print("  lines/s, half of them receipts          \(measured.rate(0).text)")
        return Goal(name: "  lines : the verifier alone", bound: .atLeast(0.5))
            .report(measured.ratio(0, to: 1))
    }

    /// What a benchmark measured was not what it should be.
    struct Failure: Error {
        let what: String
    }
}
