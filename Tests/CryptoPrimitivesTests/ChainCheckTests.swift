import CryptoPrimitives
import Testing

@Suite struct ChainCheckTests {
    @Test(arguments: [KeyKind.p384, .rsa(bits: 2_048)], [DigestAlgorithm.sha1, .sha256, .sha384])
    func `a chain holds under its root within every validity, and at no other time`(
        _ kind: KeyKind, _ digest: DigestAlgorithm
    ) throws {
        let chain = try Chain(kind, signatures: digest)
        try chain.verify(at: Chain.start + 10)
        try chain.verify(at: Chain.end - 11)
        for moment in [Chain.start + 9, Chain.end - 10, 0, 4_000_000_000] {
            let failure = #expect(throws: ChainCheck.Failure.self) {
                try chain.verify(at: moment)
            }
            #expect(failure?.isAboutValidity == true)
        }
    }

    @Test func `no other anchor carries the chain, not even one of the same name`() throws {
        let chain = try Chain()
        let (twin, _) = try Chain.root()
        #expect(twin.subjectDER == chain.root.subjectDER)
        for wrong in [twin, chain.leaf, chain.intermediate] {
            let failure = #expect(throws: ChainCheck.Failure.self) {
                try chain.verify(anchor: wrong)
            }
            #expect(failure?.isAboutValidity == false)
        }
    }

    @Test func `an intermediate that was proved carries its leaf, and no other`() throws {
        let chain = try Chain()
        let other = try Chain()
        try ChainCheck.verify(
            leaf: chain.leaf, intermediates: [], anchor: chain.intermediate,
            at: Chain.start + 1_000, anchorIsIntermediate: true)
        #expect(throws: ChainCheck.Failure.self) {
            try ChainCheck.verify(
                leaf: other.leaf, intermediates: [], anchor: chain.intermediate,
                at: Chain.start + 1_000, anchorIsIntermediate: true)
        }
    }

    @Test func `an intermediate that is no authority carries nothing`() throws {
        let notAuthority = try Chain(changingIntermediate: {
            $0.basicConstraints = BasicConstraints(isAuthority: false)
        })
        let silent = try Chain(changingIntermediate: { $0.basicConstraints = nil })
        let noSigning = try Chain(changingIntermediate: { $0.keyUsage = .digitalSignature })
        for chain in [notAuthority, silent, noSigning] {
            #expect(throws: ChainCheck.Failure.self) { try chain.verify() }
        }
    }

    @Test func `a leaf that another key signed is refused`() throws {
        let chain = try Chain(leafSigner: try PrivateKey.generate(.p384))
        #expect(throws: ChainCheck.Failure.self) { try chain.verify() }
    }

    @Test func `a critical extension that nobody knows is refused, an uncritical one is not`()
        throws
    {
        let critical = try Chain(changingLeaf: {
            $0.extensions = [
                CertificateExtension(identifier: "1.2.3.4", isCritical: true, value: [5, 0])
            ]
        })
        #expect(throws: ChainCheck.Failure.self) { try critical.verify() }
        let plain = try Chain(changingLeaf: { $0.extensions = [.marker("1.2.3.4")] })
        try plain.verify()
    }
}
