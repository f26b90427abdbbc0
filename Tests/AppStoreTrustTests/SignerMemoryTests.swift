import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import Testing

@testable import AppStoreTrust

/// What is remembered saves work and never changes an answer.
@Suite struct SignerMemoryTests {
    private func text(_ authority: TestAuthority, _ id: Int = 1) throws -> String {
        try authority.jws(SignedValueTests.transaction.replacing("2000000001", with: "\(id)"))
    }

    @Test func `a remembered signer is held against its time again at each use`() throws {
        let authority = try TestAuthority.values.get()
        let verifier = try authority.verifier()
        _ = try verifier.verifyTransaction(text(authority))
        let late = try authority.jws(
            SignedValueTests.transaction.replacing("1700000000000", with: "1900000000000"))
        for _ in 0..<2 {
            expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyTransaction(late) }
        }
        _ = try verifier.verifyTransaction(text(authority))
    }

    @Test func `a signer that was first met outside its time is taken within it`() throws {
        let authority = try TestAuthority.values.get()
        let verifier = try authority.verifier()
        let late = try authority.jws(
            SignedValueTests.transaction.replacing("1700000000000", with: "1900000000000"))
        expectRefusal(.certificateNotValidThen) { try _ = verifier.verifyTransaction(late) }
        _ = try verifier.verifyTransaction(text(authority))
    }

    @Test func `a chain that does not hold is never remembered`() throws {
        let authority = try TestAuthority.values.get()
        let twin = try TestAuthority.twin.get()
        let verifier = try authority.verifier()
        let chains: [[[UInt8]]] = [
            twin.chain,
            [twin.leaf.der, twin.intermediate.der, authority.root.der],
            [twin.leaf.der, authority.intermediate.der, authority.root.der],
            [authority.leaf.der, twin.intermediate.der, authority.root.der],
            [authority.leaf.der, authority.intermediate.der, twin.root.der],
        ]
        for chain in chains {
            let text = try twin.jws(SignedValueTests.transaction, chain: chain)
            for _ in 0..<2 {
                #expect(throws: Refusal.self) { try verifier.verifyTransaction(text) }
            }
        }
        #expect(verifier.authenticator.judge.rememberedSigners == 0)
        #expect(verifier.authenticator.rememberedHeaders == 0)
    }

    @Test func `what is remembered of a good chain helps no bad one`() throws {
        let authority = try TestAuthority.values.get()
        let twin = try TestAuthority.twin.get()
        let verifier = try authority.verifier()
        _ = try verifier.verifyTransaction(text(authority))
        // The good chain with a stranger's signature, and every mixture with the stranger's chain.
        let stolen = try twin.jws(SignedValueTests.transaction, chain: authority.chain)
        expectRefusal(.wrongSignature) { try _ = verifier.verifyTransaction(stolen) }
        for mask in 1..<8 {
            let chain = (0..<3).map { mask & (1 << $0) == 0 ? authority.chain[$0] : twin.chain[$0] }
            for signer in [authority, twin] {
                let text = try signer.jws(SignedValueTests.transaction, chain: chain)
                #expect(throws: Refusal.self) { try verifier.verifyTransaction(text) }
            }
        }
        #expect(verifier.authenticator.judge.rememberedSigners == 1)
        _ = try verifier.verifyTransaction(text(authority))
    }

    @Test func `another leaf under a remembered intermediate is checked, and is cheap to take`()
        throws
    {
        let authority = try TestAuthority.values.get()
        let verifier = try authority.verifier()
        _ = try verifier.verifyTransaction(text(authority))
        let key = try PrivateKey.generate(.p256)
        func leaf(signedBy signer: PrivateKey) throws -> String {
            let certificate = try CertificateBuilder(
                subject: DistinguishedName(commonName: "Second Leaf"), subjectKey: key.publicKey,
                serialNumber: [8], notBefore: TestAuthority.start, notAfter: TestAuthority.end,
                basicConstraints: BasicConstraints(isAuthority: false),
                keyUsage: .digitalSignature, extensions: [.marker(TestAuthority.leafMarker)]
            ).signed(by: authority.intermediate, key: signer, digest: .sha384)
            let header = JWSHeader(
                algorithm: "ES256",
                certificates: [certificate.der, authority.intermediate.der, authority.root.der]
            ).encoded
            let payload = Array(SignedValueTests.transaction.utf8)
            let input = CompactJWS.signingInput(header: header, payload: payload)
            return CompactJWS(
                header: header, payload: payload, signature: try key.signES256(input)
            ).text
        }
        let good = try leaf(signedBy: authority.intermediateKey)
        _ = try verifier.verifyTransaction(good)
        let bad = try leaf(signedBy: try PrivateKey.generate(.p384))
        expectRefusal(.brokenChain) { try _ = verifier.verifyTransaction(bad) }
    }

    @Test func `a chain for one purpose is none for another`() throws {
        let receipts = try TestAuthority.receipts.get()
        let verifier = try receipts.verifier()
        _ = try verifier.verifyReceipt(receipts.receipt(TestReceipt.content()))
        let header = JWSHeader(algorithm: "ES256", certificates: receipts.chain).encoded
        let forged = CompactJWS(
            header: header, payload: Array(SignedValueTests.transaction.utf8),
            signature: [UInt8](repeating: 1, count: 64)
        ).text
        expectRefusal(.wrongCertificateUse) { try _ = verifier.verifyTransaction(forged) }
    }

    @Test func `a header is remembered only after a signature over it held`() throws {
        let authority = try TestAuthority.values.get()
        let twin = try TestAuthority.twin.get()
        let verifier = try authority.verifier()
        for number in 0..<20 {
            // The good chain under endlessly many headers: none of them is signed.
            let header = JWSHeader(
                algorithm: "ES256", certificates: authority.chain, keyID: "\(number)"
            ).encoded
            let text = try twin.jws(Array(SignedValueTests.transaction.utf8), header: header)
            expectRefusal(.wrongSignature) { try _ = verifier.verifyTransaction(text) }
        }
        #expect(verifier.authenticator.rememberedHeaders == 0)
        #expect(verifier.authenticator.judge.rememberedSigners == 1)
        _ = try verifier.verifyTransaction(text(authority))
        #expect(verifier.authenticator.rememberedHeaders == 1)
    }

    @Test func `the memory is bounded and forgets what was used least recently`() {
        let cache = BoundedCache<Int>(limit: 3)
        func key(_ number: Int) -> [ArraySlice<UInt8>] {
            [[UInt8](repeating: UInt8(number), count: 100)[...]]
        }
        for number in 0..<3 { cache.insert(number, for: key(number)) }
        #expect(cache.value(for: key(0)) == 0)
        cache.insert(3, for: key(3))
        #expect(cache.count == 3)
        #expect(cache.value(for: key(1)) == nil)
        #expect([0, 2, 3].allSatisfy { cache.value(for: key($0)) == $0 })
        cache.insert(9, for: key(2))
        #expect(cache.count == 3)
        #expect(cache.value(for: key(2)) == 9)
    }

    @Test func `keys that hash alike are told apart by every byte`() {
        let cache = BoundedCache<Int>(limit: 1_000)
        let base = [UInt8](repeating: 7, count: 1_000)
        cache.insert(-1, for: [base[...]])
        for position in base.indices {
            var other = base
            other[position] = 8
            #expect(cache.value(for: [other[...]]) == nil)
        }
        #expect(cache.value(for: [base[...], base[...]]) == nil)
        #expect(cache.value(for: [base.dropLast()]) == nil)
        #expect(cache.value(for: [base[...]]) == -1)
        // Split elsewhere the same bytes are another key.
        #expect(cache.value(for: [base[..<500], base[500...]]) == nil)
    }

    @Test func `one verifier gives many tasks the answers that it gives one`() async throws {
        let authority = try TestAuthority.values.get()
        let twin = try TestAuthority.twin.get()
        let receipts = try TestAuthority.receipts.get()
        let verifier = ProofVerifier(
            configuration: try .unsafeAnyApp(
                extraRoots: [authority.extraRoot, ExtraRoot(name: "r", certificate: receipts.root)])
        )
        let good = try (0..<8).map { try text(authority, $0) }
        let bad = try (0..<8).map { try text(twin, $0) }
        let receipt = try receipts.receipt(TestReceipt.content())
        var changed = receipt
        changed[changed.count - 1] ^= 1
        let forged = changed
        let answers = await withTaskGroup(of: Bool.self) { group in
            for task in 0..<32 {
                group.addTask {
                    (0..<20).allSatisfy { round in
                        let index = (task + round) % 8
                        let taken = try? verifier.verifyTransaction(good[index])
                        let refused = try? verifier.verifyTransaction(bad[index])
                        let receiptTaken = try? verifier.verifyReceipt(receipt)
                        let receiptRefused = try? verifier.verifyReceipt(forged)
                        return taken?.value.transactionID.rawValue == "\(index)" && refused == nil
                            && receiptTaken != nil && receiptRefused == nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 32)
        #expect(answers.allSatisfy { $0 })
        #expect(verifier.authenticator.judge.rememberedSigners == 2)
    }
}
