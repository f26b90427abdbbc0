import AppStoreModel
import CryptoPrimitives
import SignedDataCoding

/// Bytes whose signature and chain hold; nothing in them has been looked at yet.
///
/// Only `Authenticator`, below, makes one.
struct Authentic: Sendable {
    /// What is signed, exactly as it was received.
    let content: ArraySlice<UInt8>
    /// Who signed it, valid within a window that the content's own date must lie in.
    let signer: TrustedSigner

    fileprivate init(content: ArraySlice<UInt8>, signer: TrustedSigner) {
        self.content = content
        self.signer = signer
    }
}

/// A header that was signed once, so that neither its certificates nor its bytes need to be gone through
/// again.
private struct KnownHeader: Sendable {
    let signer: TrustedSigner
    let hashed: HashedPrefix
}

/// Checks signatures: the fast way, over the received bytes, with keys that are remembered.
final class Authenticator: Sendable {
    /// Headers of signed values that are remembered.
    ///
    /// Each is kept only after a signature over it held, so that nobody but a trusted signer can
    /// fill the memory.
    static let headerLimit = 128

    let judge: ChainJudge
    private let legacyCertificates: [Certificate]
    private let headers = BoundedCache<KnownHeader>(limit: headerLimit)

    init(_ configuration: TrustConfiguration) {
        judge = ChainJudge(configuration)
        legacyCertificates = configuration.legacyCertificates
    }

    /// How many headers are remembered.
    var rememberedHeaders: Int { headers.count }

    /// Checks a receipt: PKCS#7 signed data in the one form that Apple uses.
    func authenticate(_ receipt: SignedReceipt) throws(Refusal) -> Authentic {
        let digest = try Authenticator.digest(of: receipt)
        let signer = try signer(of: receipt)
        let named = receipt.signer
        let issuer = signer.issuerDER
        let serial = signer.serialNumber
        guard areSameBytes(named.issuer.span, issuer.span),
            areSameBytes(named.serialNumber.span, serial.span)
        else { throw Refusal(.wrongSigner) }
        guard named.signedAttributes == nil else {
            return try authenticateSignedAttributes(of: receipt, signer)
        }
        guard signer.anchor.isApple == false || named.signatureAlgorithm == .rsaEncryption else {
            throw Refusal(.unsupportedAlgorithm, "signed with \(named.signatureAlgorithm)")
        }
        guard
            signer.key.isValid(
                named.signature.span, of: receipt.content.span, as: .rsaPKCS1(digest))
        else { throw Refusal(.wrongSignature) }
        return Authentic(content: receipt.content, signer: signer)
    }

    /// The signer, in whatever order the certificates stand; Apple's are remembered in its own.
    private func signer(of receipt: SignedReceipt) throws(Refusal) -> TrustedSigner {
        if let known = judge.known(receipt.certificates, for: .appReceipt) { return known }
        return try judge.signer(receipt.certificatesFromSigner, for: .appReceipt)
    }

    private static func digest(of receipt: SignedReceipt) throws(Refusal) -> DigestAlgorithm {
        let named = receipt.signer
        guard receipt.version == 1, named.version == 1 else {
            throw Refusal(.unsupportedAlgorithm, "signed data of version \(receipt.version)")
        }
        guard receipt.digestAlgorithms == [named.digestAlgorithm] else {
            throw Refusal(.unsupportedAlgorithm, "several digests")
        }
        guard !named.hasUnsignedAttributes else {
            throw Refusal(.unsupportedAlgorithm, "unsigned attributes")
        }
        switch (named.digestAlgorithm, named.signatureAlgorithm) {
        case (.sha1, .rsaEncryption), (.sha1, .sha1WithRSA): return .sha1
        case (.sha256, .rsaEncryption), (.sha256, .sha256WithRSA): return .sha256
        default:
            throw Refusal(
                .unsupportedAlgorithm,
                "\(named.digestAlgorithm) with \(named.signatureAlgorithm)")
        }
    }

    /// Checks a receipt whose signature is over attributes with the content's digest in them.
    ///
    /// Apple signs the content itself. Tools that make test receipts do this; under a named root it
    /// is taken, the slow way.
    private func authenticateSignedAttributes(
        of receipt: SignedReceipt, _ signer: TrustedSigner
    ) throws(Refusal) -> Authentic {
        guard !signer.anchor.isApple else {
            throw Refusal(.unsupportedAlgorithm, "signed attributes, which Apple does not use")
        }
        let opened: PKCS7Message.Opened?
        do throws(CryptoError) {
            opened = try PKCS7Message(receipt.bytes)
                .open(anchor: signer.root, at: signer.window.lowerBound)
        } catch {
            throw Refusal(.unreadable, error.detail)
        }
        guard let opened, opened.content == Array(receipt.content),
            opened.signer == receipt.certificatesFromSigner.first.map({ Array($0) })
        else { throw Refusal(.wrongSignature) }
        return Authentic(content: receipt.content, signer: signer)
    }

    /// Checks a JWS: ES256 over the received text, the chain in its header.
    func authenticate(_ jws: CompactJWS) throws(Refusal) -> Authentic {
        let header = jws.headerSegment
        let rest = jws.signingInput[header.endIndex...]
        if let known = headers.value(for: [header]) {
            let isValid = known.signer.key.isValidES256(
                jws.signature.span, of: known.hashed, followedBy: rest.span)
            guard isValid else { throw Refusal(.wrongSignature) }
            return Authentic(content: jws.payload[...], signer: known.signer)
        }
        let signer = try judgeHeader(of: jws)
        guard signer.key.isValidES256(jws.signature.span, of: jws.signingInput.span) else {
            throw Refusal(.wrongSignature)
        }
        let hashed = HashedPrefix(header.span)
        headers.insert(KnownHeader(signer: signer, hashed: hashed), for: [header])
        return Authentic(content: jws.payload[...], signer: signer)
    }

    private func judgeHeader(of jws: CompactJWS) throws(Refusal) -> TrustedSigner {
        let header: JWSHeader
        do throws(SignedDataError) { header = try jws.header() } catch {
            throw Refusal(.unreadable, cause: error)
        }
        guard header.algorithm == "ES256" else {
            throw Refusal(.unsupportedAlgorithm, "alg is not ES256")
        }
        guard !header.hasCriticalExtensions else {
            throw Refusal(.unsupportedAlgorithm, "crit names what is not understood")
        }
        guard let certificates = header.certificates else {
            throw Refusal(.wrongCertificateCount, "no x5c")
        }
        return try judge.signer(certificates.map { $0[...] }, for: .signedValue)
    }

    /// Checks a transaction receipt of iOS 6: RSA with SHA-1, its issuers given beforehand.
    func authenticate(_ receipt: LegacyTransactionReceipt) throws(Refusal) -> Authentic {
        let blob: LegacyTransactionReceipt.Signature
        do throws(SignedDataError) { blob = try receipt.signature() } catch {
            throw Refusal(
                error.code == .unsupportedLegacySignature ? .unsupportedAlgorithm : .unreadable,
                cause: error)
        }
        let leaf: Certificate
        do throws(CryptoError) { leaf = try Certificate(der: Array(blob.certificate)) } catch {
            throw Refusal(.unreadableCertificate, error.detail)
        }
        let signer = try legacySigner(leaf)
        let signed = receipt.signedBytes
        guard signer.key.isValid(blob.signature.span, of: signed.span, as: .rsaPKCS1(.sha1)) else {
            throw Refusal(.wrongSignature)
        }
        return Authentic(content: receipt.purchaseInfoBytes[...], signer: signer)
    }

    /// Tries every pair of the given certificates that bears the right names: Apple has issued
    /// several of one name, and only the signatures tell them apart.
    private func legacySigner(_ leaf: Certificate) throws(Refusal) -> TrustedSigner {
        var refusal = Refusal(.intermediateUnknown, "issued by \(leaf.issuer)")
        for intermediate in issuers(of: leaf) {
            let roots = issuers(of: intermediate)
            if roots.isEmpty {
                refusal = Refusal(
                    .intermediateUnknown, "its intermediate is issued by \(intermediate.issuer)")
            }
            for root in roots {
                do throws(Refusal) {
                    let chain = [leaf.der[...], intermediate.der[...], root.der[...]]
                    return try judge.signer(chain, for: .legacyReceipt)
                } catch {
                    refusal = error
                }
            }
        }
        throw refusal
    }

    private func issuers(of certificate: Certificate) -> [Certificate] {
        legacyCertificates.filter { $0.subjectDER == certificate.issuerDER && $0 != certificate }
    }
}
