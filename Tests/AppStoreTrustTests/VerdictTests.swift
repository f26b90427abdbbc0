import AppStoreModel
import AppStoreTrust
import SignedDataCoding
import Testing

@Suite struct VerdictTests {
    @Test func `anything is told apart and gets the verdict of its kind`() throws {
        let values = try TestAuthority.values.get()
        let receipts = try TestAuthority.receipts.get()
        let legacy = try TestAuthority.legacy.get()
        let verifier = ProofVerifier(
            configuration: try .unsafeAnyApp(
                extraRoots: [
                    ExtraRoot(name: "values", certificate: values.root),
                    ExtraRoot(name: "receipts", certificate: receipts.root),
                    ExtraRoot(name: "legacy", certificate: legacy.root),
                ], legacyCertificates: [legacy.intermediate]))
        let receipt = try receipts.receipt(TestReceipt.content())
        let old = try legacy.legacyReceipt([
            "bid": "com.example.app", "product-id": "p", "transaction-id": "7",
            "purchase-date-ms": "1700000000000",
        ])
        let proofs: [(ProofKind, [UInt8])] = [
            (.appReceipt, receipt), (.appReceipt, Base64.encodeToBytes(receipt)),
            (.transactionReceipt, old), (.transactionReceipt, Base64.encodeToBytes(old)),
            (.transaction, Array(try values.jws(SignedValueTests.transaction).utf8)),
            (.renewalInfo, Array(try values.jws(SignedValueTests.renewal).utf8)),
            (.notification, Array(try values.jws(SignedValueTests.notification).utf8)),
            (.appTransaction, Array(try values.jws(SignedValueTests.appTransaction).utf8)),
            (.realtimeRequest, Array(try values.jws(SignedValueTests.realtimeRequest).utf8)),
            (
                .unknown,
                Array(
                    try values.jws(
                        #"{"a":1,"environment":"Sandbox","signedDate":1700000000000}"#
                    ).utf8)
            ),
        ]
        for (kind, bytes) in proofs {
            let verdict = verifier.verifyAny(bytes)
            #expect(verdict.kind == kind)
            let proof = try verdict.result.get()
            #expect(proof.kind == kind)
            #expect(proof.environment == .sandbox)
            #expect(!proof.anchor.isApple)
            let namesApp = ![.renewalInfo, .realtimeRequest, .unknown].contains(kind)
            #expect(proof.bundleID == (namesApp ? "com.example.app" : nil))
        }
        #expect(Set(proofs.map(\.0)) == Set(ProofKind.allCases))
    }

    @Test func `a refused proof is of the kind that it claims, rubbish is of none`() throws {
        let values = try TestAuthority.values.get()
        let verifier = ProofVerifier(configuration: try .unsafeAnyApp())
        let text = Array(try values.jws(SignedValueTests.transaction).utf8)
        let refused = verifier.verifyAny(text)
        #expect(refused.kind == .transaction)
        #expect(refused.refusal?.reason == .untrustedRoot)
        #expect(!refused.isValid)
        let json = #"{"transactionId":"1","productId":"p","bundleId":"b","revocationDate":"soon"}"#
        #expect(verifier.verifyAny(Array(try values.jws(json).utf8)).kind == .transaction)
        let unknown = verifier.verifyAny(Array(try values.jws(#"{"a":1}"#).utf8))
        #expect(unknown.kind == .unknown)
        for (rubbish, code) in [
            ("", SignedDataError.Code.empty), ("null", .nullText),
            ("1000000123456789", .transactionIDAlone),
            ("<html>", .htmlPage),
        ] {
            let verdict = verifier.verifyAny(Array(rubbish.utf8))
            #expect(verdict.kind == nil)
            #expect(verdict.refusal?.reason == .unreadable)
            #expect(verdict.refusal?.cause?.code == code)
        }
    }

    @Test func `reasons are ordered, and each has a code and a sentence of its own`() {
        let reasons = Refusal.Reason.allCases
        #expect(reasons.sorted() == reasons)
        #expect(Set(reasons.map(\.rawValue)).count == reasons.count)
        #expect(Set(reasons.map(\.sentence)).count == reasons.count)
        #expect(reasons.allSatisfy { $0.sentence.hasSuffix(".") })
        #expect(reasons.filter(\.isRetryable) == [.intermediateUnknown])
    }

    @Test func `of several things wrong the first in the order is said`() throws {
        let values = try TestAuthority.values.get()
        let verifier = try values.verifier()
        let twin = try TestAuthority.twin.get()
        // Another app, another environment, another time, another kind of thing, a stranger's root.
        let json = #"{"bundleId":"x","environment":"Tomorrow","signedDate":0}"#
        let everything = try twin.jws(json, algorithm: "none")
        expectRefusal(.unsupportedAlgorithm) { try _ = verifier.verifyTransaction(everything) }
        let rooted = try twin.jws(json)
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyTransaction(rooted) }
        let mine = try values.jws(json)
        expectRefusal(.wrongKind) { try _ = verifier.verifyTransaction(mine) }
        let old = SignedValueTests.transaction.replacing("1700000000000", with: "0")
            .replacing("com.example.app", with: "x").replacing("Sandbox", with: "Tomorrow")
        let late = try values.jws(old)
        expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyTransaction(late) }
        let foreign = try values.jws(
            SignedValueTests.transaction.replacing("com.example.app", with: "x")
                .replacing("Sandbox", with: "Tomorrow"))
        expectRefusal(.wrongApp) { try _ = verifier.verifyTransaction(foreign) }
    }
}
