import AppStoreCoding
import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import SignedDataCoding

/// Whether `verifyReceipt` may believe a receipt: signed under the store's own root, or under Apple's.
///
/// It is the store's own judgement and shares nothing with the verifier that servers use.
struct ReceiptCheck: Sendable {
    /// SHA-256 of Apple Root CA, which genuine receipts end in.
    static let appleRoot: [UInt8] = [
        0xB0, 0xB1, 0x73, 0x0E, 0xCB, 0xC7, 0xFF, 0x45, 0x05, 0x14, 0x2C, 0x49, 0xF1, 0x29, 0x5E,
        0x6E, 0xDA, 0x6B, 0xCA, 0xED, 0x7E, 0x2C, 0x68, 0xC5, 0xBE, 0x91, 0xB5, 0xA1, 0x10, 0x01,
        0xF0, 0x24,
    ]
    private static let leafMarker = "1.2.840.113635.100.6.11.1"
    private static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    private let ownRoot: [UInt8]
    private let legacyIssuers: [Certificate]

    init(_ signer: any StoreSigner) {
        ownRoot = SHA256.hash(signer.receiptRoot)
        // Only the authority knows who issued the certificates of iOS 6 receipts, which carry no issuer.
        legacyIssuers = (signer as? AuthoritySigner)?.authority.legacyCertificates ?? []
    }

    /// The digests that receipts are signed with.
    private static func digest(_ signer: SignedReceipt.Signer) -> DigestAlgorithm? {
        switch (signer.digestAlgorithm, signer.signatureAlgorithm) {
        case (.sha1, .rsaEncryption), (.sha1, .sha1WithRSA): .sha1
        case (.sha256, .rsaEncryption), (.sha256, .sha256WithRSA): .sha256
        default: nil
        }
    }

    /// Whether the signature over an app receipt holds, by certificates that were valid when it was made.
    func believes(_ receipt: SignedReceipt, madeAt moment: Timestamp) -> Bool {
        guard receipt.certificates.count == 3, receipt.signer.signedAttributes == nil,
            let digest = Self.digest(receipt.signer),
            let chain = try? receipt.certificates.map({ try Certificate(der: Array($0)) })
        else { return false }
        let (leaf, intermediate, root) = (chain[0], chain[1], chain[2])
        guard root.fingerprint == ownRoot || root.fingerprint == Self.appleRoot,
            leaf.extensionValue(Self.leafMarker) != nil,
            intermediate.extensionValue(Self.intermediateMarker) != nil,
            leaf.basicConstraints?.isAuthority != true,
            intermediate.basicConstraints?.isAuthority == true,
            leaf.issuerDER == Array(receipt.signer.issuer),
            leaf.serialNumber == Array(receipt.signer.serialNumber)
        else { return false }
        do {
            try ChainCheck.verify(
                leaf: leaf, intermediates: [intermediate], anchor: root, at: moment.seconds,
                isStrict: false)
        } catch {
            return false
        }
        return leaf.publicKey.isValid(
            Array(receipt.signer.signature), of: Array(receipt.content), as: .rsaPKCS1(digest))
    }

    /// Whether the signature over a transaction receipt of iOS 6 holds.
    ///
    /// Apple's own cannot be checked: they do not carry their issuer.
    func believes(_ receipt: LegacyTransactionReceipt, madeAt moment: Timestamp) -> Bool {
        guard legacyIssuers.count == 2, let blob = try? receipt.signature(),
            let leaf = try? Certificate(der: Array(blob.certificate)),
            leaf.basicConstraints?.isAuthority != true
        else { return false }
        do {
            try ChainCheck.verify(
                leaf: leaf, intermediates: [legacyIssuers[0]], anchor: legacyIssuers[1],
                at: moment.seconds, isStrict: false)
        } catch {
            return false
        }
        return leaf.publicKey.isValid(
            Array(blob.signature), of: receipt.signedBytes, as: .rsaPKCS1(.sha1))
    }
}
