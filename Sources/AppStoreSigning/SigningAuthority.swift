public import AppStoreModel
public import CryptoPrimitives

/// A signing authority of one's own, for local stores and tests: one root, and under it a chain each
/// for app receipts, for signed values and for transaction receipts of iOS 6.
///
/// Apple has two roots, an RSA one for receipts and a P-384 one for signed values. Here one RSA root
/// issues both intermediates, so that a tester names one certificate and is done; verifiers that walk
/// chains accept it, and below the root all keys are of Apple's kinds: RSA for receipts, P-384 and
/// P-256 for signed values.
public struct SigningAuthority: Sendable {
    /// The root that a verifier must be told to trust; it is never Apple's.
    public let root: Certificate
    let rootKey: PrivateKey
    /// The chain of app receipts.
    public let receiptChain: SigningChain
    /// The chain of transactions, renewal infos, notifications and their like.
    public let signedValueChain: SigningChain
    /// The chain of transaction receipts of iOS 6, which carry the leaf alone.
    public let legacyChain: SigningChain

    /// From 2001 to 2099, since a store's clock can be set to any time.
    public static let defaultValidity =
        Timestamp(seconds: 978_307_200)..<Timestamp(seconds: 4_070_908_800)

    /// Makes keys and certificates; takes a few hundred milliseconds for the RSA keys.
    public static func make(
        named name: String = "Till Local App Store Root",
        validity: Range<Timestamp> = defaultValidity
    ) throws(SigningError) -> SigningAuthority {
        try signing { () throws(CryptoError) in
            let seconds = validity.lowerBound.seconds..<validity.upperBound.seconds
            let rootKey = try PrivateKey.generate(.rsa(bits: 2_048))
            let root = try ChainIssuer.makeRoot(named: name, key: rootKey, validity: seconds)
            let issuer = ChainIssuer(root: root, rootKey: rootKey)
            func chain(_ purpose: ChainPurpose) throws(CryptoError) -> SigningChain {
                try issuer.chain(
                    purpose, key: try PrivateKey.generate(purpose.leafKind),
                    intermediateKey: try PrivateKey.generate(purpose.intermediateKind),
                    validity: seconds)
            }
            return SigningAuthority(
                root: root, rootKey: rootKey, receiptChain: try chain(.receipt),
                signedValueChain: try chain(.signedValue),
                legacyChain: try chain(.legacyReceipt))
        }
    }

    init(
        root: Certificate, rootKey: PrivateKey, receiptChain: SigningChain,
        signedValueChain: SigningChain, legacyChain: SigningChain
    ) {
        self.root = root
        self.rootKey = rootKey
        self.receiptChain = receiptChain
        self.signedValueChain = signedValueChain
        self.legacyChain = legacyChain
    }

    /// What a verifier of iOS 6 receipts must be given: their intermediate and the root.
    public var legacyCertificates: [Certificate] { [legacyChain.intermediate, root] }

    private func chain(_ purpose: ChainPurpose) -> SigningChain {
        switch purpose {
        case .receipt: receiptChain
        case .signedValue: signedValueChain
        case .legacyReceipt: legacyChain
        }
    }

    /// The certificates that a message carries, with the key that signs it, as a fault will have them.
    func material(
        _ purpose: ChainPurpose, _ fault: SigningFault?, at moment: Timestamp
    ) throws(CryptoError) -> (certificates: [Certificate], key: PrivateKey) {
        let own = chain(purpose)
        let all = own.certificates
        switch fault {
        case .twoCertificates: return (Array(all.prefix(2)), own.key)
        case .fourCertificates: return (all + [root], own.key)
        case .noCertificates: return ([], own.key)
        case .keyOfAnother: return (all, try PrivateKey.generate(own.key.kind))
        case .foreignRoot, .foreignChainUnderOwnRoot:
            let foreignKey = try PrivateKey.generate(rootKey.kind)
            let validity = root.notBefore..<root.notAfter
            let foreignRoot = try ChainIssuer.makeRoot(
                named: "Till Local App Store Root", key: foreignKey, validity: validity)
            let foreign = try ChainIssuer(root: foreignRoot, rootKey: foreignKey).chain(
                purpose, key: own.key, intermediateKey: own.intermediateKey, validity: validity)
            let end = fault == .foreignRoot ? foreignRoot : root
            return ([foreign.leaf, foreign.intermediate, end], own.key)
        case .missingLeafMarker, .missingIntermediateMarker, .expiredLeaf, .leafNotYetValid,
            .expiredIntermediate, .intermediateIsNoAuthority, .leafIsAuthority, .wrongKeyUsage,
            .brokenChain:
            let faulty = try ChainIssuer(root: root, rootKey: rootKey).chain(
                purpose, key: own.key, intermediateKey: own.intermediateKey,
                validity: root.notBefore..<root.notAfter, fault: fault, at: moment.seconds)
            return (faulty.certificates, own.key)
        default: return (all, own.key)
        }
    }
}

/// Turns libcrypto's errors into this room's.
func signing<Value>(_ work: () throws(CryptoError) -> Value) throws(SigningError) -> Value {
    do throws(CryptoError) { return try work() } catch {
        throw SigningError(.cryptography, "\(error)")
    }
}
