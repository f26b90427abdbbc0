import AppStoreModel
import CryptoPrimitives

/// The owner of a key whose certificates were checked up to a root that is pinned or named.
///
/// Only `ChainJudge`, below, makes one. It holds for the moments in its window alone.
final class TrustedSigner: Sendable {
    let purpose: ProofPurpose
    let key: PublicKey
    /// The issuer and serial number by which a receipt names its signer.
    let issuerDER: [UInt8]
    let serialNumber: [UInt8]
    /// The seconds since 1970 at which every certificate of the chain was valid.
    let window: Range<Int64>
    let anchor: TrustAnchor
    /// The certificate at the end of the chain, as it is named or was brought.
    let root: Certificate

    fileprivate init(
        purpose: ProofPurpose, leaf: Certificate, window: Range<Int64>, anchor: TrustAnchor,
        root: Certificate
    ) {
        self.purpose = purpose
        key = leaf.publicKey
        issuerDER = leaf.issuerDER
        serialNumber = leaf.serialNumber
        self.window = window
        self.anchor = anchor
        self.root = root
    }

    /// The window in words.
    static func told(_ window: Range<Int64>) -> String {
        let (start, end) = (window.lowerBound, window.upperBound)
        return "valid from \(Timestamp(seconds: start).rfc3339) "
            + "to \(Timestamp(seconds: end).rfc3339)"
    }

    /// Refuses unless every certificate was valid at that moment.
    func requireValid(at moment: Timestamp) throws(Refusal) {
        guard window.contains(moment.seconds) else {
            throw Refusal(
                .certificateNotValidThen, "signed at \(moment.rfc3339), \(Self.told(window))")
        }
    }
}

/// Decides which certificates may sign, and remembers those that may.
///
/// The root is looked at first: whoever brings another has cost one digest.
final class ChainJudge: Sendable {
    /// Chains that are remembered; Apple has a handful in use at a time.
    static let signerLimit = 128
    /// Intermediates and roots that are remembered.
    static let issuerLimit = 64

    private let configuration: TrustConfiguration
    private let signers = BoundedCache<TrustedSigner>(limit: signerLimit)
    /// Intermediates that were proved under the root of the same key.
    private let intermediates = BoundedCache<Certificate>(limit: issuerLimit)
    private let roots = BoundedCache<Certificate>(limit: issuerLimit)

    /// The named roots with their keys' bytes, which libcrypto takes long to write.
    private let named: [(root: ExtraRoot, key: [UInt8])]

    init(_ configuration: TrustConfiguration) {
        self.configuration = configuration
        named = configuration.extraRoots.values.map {
            ($0, $0.certificate.publicKey.subjectPublicKeyInfo)
        }
    }

    /// How many chains are remembered.
    var rememberedSigners: Int { signers.count }

    /// The signer at the front of the chain: leaf, intermediate, root, or one certificate that is a
    /// named root itself.
    func signer(
        _ chain: [ArraySlice<UInt8>], for purpose: ProofPurpose
    ) throws(Refusal) -> TrustedSigner {
        if let known = known(chain, for: purpose) { return known }
        let signer =
            chain.count == 1
            ? try judge(single: Array(chain[0]), for: purpose)
            : try judge(chain, for: purpose)
        signers.insert(signer, for: Self.key(chain, for: purpose))
        return signer
    }

    /// The signer at the front of the chain, if it is remembered.
    func known(_ chain: [ArraySlice<UInt8>], for purpose: ProofPurpose) -> TrustedSigner? {
        signers.value(for: Self.key(chain, for: purpose))
    }

    /// The purpose is part of the key: a chain for one is none for another.
    private static func key(
        _ chain: [ArraySlice<UInt8>], for purpose: ProofPurpose
    ) -> [ArraySlice<UInt8>] {
        [[purpose.rawValue][...]] + chain
    }

    /// Xcode signs with one certificate of its own making: it is trusted if it is named, and only then.
    private func judge(
        single der: [UInt8], for purpose: ProofPurpose
    ) throws(Refusal) -> TrustedSigner {
        guard let root = configuration.extraRoots[SHA256.hash(der)] else {
            throw Refusal(.untrustedRoot, "one certificate of its own making, as Xcode's")
        }
        let certificate = root.certificate
        guard purpose.isSignedBy(certificate.publicKey.kind) else {
            throw Refusal(.wrongCertificateUse, "a key that signs no such proofs")
        }
        return TrustedSigner(
            purpose: purpose, leaf: certificate, window: try window([certificate]),
            anchor: .extraRoot(root.name), root: certificate)
    }

    private func judge(
        _ chain: [ArraySlice<UInt8>], for purpose: ProofPurpose
    ) throws(Refusal) -> TrustedSigner {
        guard chain.count == 3 else {
            throw Refusal(.wrongCertificateCount, "\(chain.count) instead of 3")
        }
        let (root, anchor) = try trustedRoot(chain[2], for: purpose)
        let known = intermediates.value(for: [chain[1], chain[2]])
        let intermediate: Certificate
        if let known { intermediate = known } else { intermediate = try read(chain[1]) }
        let leaf = try read(chain[0])
        try check(intermediate, isAuthority: true, for: purpose, under: anchor)
        try check(leaf, isAuthority: false, for: purpose, under: anchor)
        let window = try window([leaf, intermediate, root])
        do throws(ChainCheck.Failure) {
            // The signatures of a chain do not depend on time, so any moment in the window does; the
            // moment of signing is held against the window once the signed content has told it.
            try ChainCheck.verify(
                leaf: leaf, intermediates: known == nil ? [intermediate] : [],
                anchor: known == nil ? root : intermediate, at: window.lowerBound,
                anchorIsIntermediate: known != nil, isStrict: anchor.isApple)
        } catch {
            throw Refusal(.brokenChain, error.detail)
        }
        intermediates.insert(intermediate, for: [chain[1], chain[2]])
        return TrustedSigner(
            purpose: purpose, leaf: leaf, window: window, anchor: anchor, root: root)
    }

    private func trustedRoot(
        _ der: ArraySlice<UInt8>, for purpose: ProofPurpose
    ) throws(Refusal) -> (Certificate, TrustAnchor) {
        let fingerprint = SHA256.hash(der.span)
        if let extra = configuration.extraRoots[fingerprint] {
            return (extra.certificate, .extraRoot(extra.name))
        }
        guard fingerprint == purpose.pinnedRoot else {
            if let extra = reissued(der) {
                return (extra.certificate, .extraRoot(extra.name))
            }
            throw Refusal(.untrustedRoot, "SHA-256 \(hexadecimal(fingerprint))")
        }
        if let known = roots.value(for: [der]) { return (known, .apple) }
        let root = try read(der)
        roots.insert(root, for: [der])
        return (root, .apple)
    }

    /// The named root of which the message brings another issue: the same name and key in a certificate
    /// of another date or serial number, as test authorities make them anew.
    ///
    /// The chain is then held against the named certificate, so the one in the message is never
    /// believed. Apple's own roots are pinned to the byte and are not looked for here.
    private func reissued(_ der: ArraySlice<UInt8>) -> ExtraRoot? {
        // Reading a certificate is dear, and a stranger's does not even have the key's bytes in it.
        let candidates = named.filter { contains($0.key, in: der) }
        guard !candidates.isEmpty, let brought = try? read(der) else { return nil }
        let key = brought.publicKey.subjectPublicKeyInfo
        // Signed by its own key: what somebody changed in it since is no issue of anybody's.
        return candidates.first {
            let certificate = $0.root.certificate
            return $0.key == key && certificate.subjectDER == brought.subjectDER
                && brought.isSigned(by: certificate.publicKey)
        }?.root
    }

    private func read(_ der: ArraySlice<UInt8>) throws(Refusal) -> Certificate {
        do throws(CryptoError) { return try Certificate(der: Array(der)) } catch {
            throw Refusal(.unreadableCertificate, error.detail)
        }
    }

    /// The seconds at which all of the certificates are valid.
    private func window(_ certificates: [Certificate]) throws(Refusal) -> Range<Int64> {
        var start = Int64.min
        var end = Int64.max
        for certificate in certificates {
            start = max(start, certificate.notBefore)
            end = min(end, certificate.notAfter)
        }
        guard start < end else {
            throw Refusal(.certificateNotValidThen, "the certificates were never valid together")
        }
        if let moment = configuration.alsoValidAt?.seconds, !(start..<end).contains(moment) {
            throw Refusal(
                .certificateNotValidThen,
                "asked for at \(Timestamp(seconds: moment).rfc3339), "
                    + TrustedSigner.told(start..<end))
        }
        return start..<end
    }

    /// Checks what the chain check does not: Apple's markers, and what the key is for.
    ///
    /// Under Apple's roots everything that Apple's certificates carry must be there. Certificates of
    /// tests under a named root may leave out the key usage, and the intermediate's marker for
    /// receipts, and may be signed in either family's way; nothing under such a root is a payment.
    private func check(
        _ certificate: Certificate, isAuthority: Bool, for purpose: ProofPurpose,
        under anchor: TrustAnchor
    ) throws(Refusal) {
        let who = isAuthority ? "intermediate" : "leaf"
        let signatures =
            anchor.isApple
            ? purpose.certificateSignatures : ProofPurpose.signaturesUnderNamedRoots
        guard signatures.contains(certificate.signatureAlgorithm) else {
            throw Refusal(
                .unsupportedAlgorithm, "\(who) signed with \(certificate.signatureAlgorithm)")
        }
        let marker = isAuthority ? purpose.intermediateMarker : purpose.leafMarker
        let mayLackMarker = isAuthority && !anchor.isApple && purpose != .signedValue
        guard mayLackMarker || certificate.extensionValue(marker) != nil else {
            throw Refusal(.wrongCertificateUse, "\(who) without \(marker)")
        }
        guard certificate.basicConstraints?.isAuthority ?? false == isAuthority else {
            throw Refusal(
                .wrongCertificateUse,
                isAuthority ? "intermediate is no authority" : "leaf is an authority")
        }
        let needed: KeyUsage = isAuthority ? .keyCertSign : .digitalSignature
        guard certificate.keyUsage?.isSuperset(of: needed) ?? !anchor.isApple else {
            throw Refusal(.wrongCertificateUse, "\(who) may not be used so")
        }
        guard isAuthority || purpose.isSignedBy(certificate.publicKey.kind) else {
            throw Refusal(.wrongCertificateUse, "a key that signs no such proofs")
        }
    }
}

/// Whether the bytes stand somewhere in others.
private func contains(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Bool {
    guard let last = part.last, part.count <= bytes.count else { return false }
    // A key's last byte is as good as random, so that nearly every place is passed at one look.
    for end in (bytes.startIndex + part.count)...bytes.endIndex where bytes[end - 1] == last {
        if bytes[(end - part.count)..<end].elementsEqual(part) { return true }
    }
    return false
}

/// Lower-case digits, two for a byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
