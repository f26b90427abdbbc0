import AppStoreModel
import CryptoPrimitives
import Foundation
import SignedDataCoding
import StoreWire

@testable import LocalAppStore

/// Signs as the App Store does: ES256 under a chain of three with Apple's markers.
///
/// Receipts are texts that name what is in them, since no test here reads a receipt's inside.
struct ChainSigner: StoreSigner {
    private let leafKey: PrivateKey
    private let chain: [[UInt8]]
    let tokenRoot: [UInt8]
    var receiptRoot: [UInt8] { tokenRoot }

    init() throws {
        let rootKey = try PrivateKey.generate(.p256)
        let middleKey = try PrivateKey.generate(.p256)
        let leafKey = try PrivateKey.generate(.p256)
        let authority = BasicConstraints(isAuthority: true)
        func builder(_ name: String, _ key: PrivateKey, _ number: UInt8) -> CertificateBuilder {
            CertificateBuilder(
                subject: DistinguishedName([(.commonName, name)]), subjectKey: key.publicKey,
                serialNumber: [number], notBefore: 1_300_000_000, notAfter: 4_000_000_000)
        }
        var root = builder("Root", rootKey, 1)
        root.basicConstraints = authority
        root.keyUsage = [.keyCertSign]
        let rootCertificate = try root.selfSigned(with: rootKey)
        var middle = builder("Middle", middleKey, 2)
        middle.basicConstraints = authority
        middle.keyUsage = [.keyCertSign]
        middle.extensions = [.marker("1.2.840.113635.100.6.2.1")]
        let middleCertificate = try middle.signed(by: rootCertificate, key: rootKey)
        var leaf = builder("Leaf", leafKey, 3)
        leaf.keyUsage = [.digitalSignature]
        leaf.extensions = [.marker("1.2.840.113635.100.6.11.1")]
        let leafCertificate = try leaf.signed(by: middleCertificate, key: middleKey)
        self.leafKey = leafKey
        chain = [leafCertificate.der, middleCertificate.der, rootCertificate.der]
        tokenRoot = rootCertificate.der
    }

    private func jws(_ payload: some Encodable, _ flaws: SigningFlaws) throws -> String {
        let header = JWSHeader(algorithm: "ES256", certificates: chain).encoded
        let body = Array(try JSONEncoder().encode(payload))
        var input = CompactJWS.signingInput(header: header, payload: body)
        if flaws.kinds.contains(.wrongSignature) { input.append(0) }
        let signature = try leafKey.signES256(input)
        return CompactJWS(header: header, payload: body, signature: signature).text
    }

    func sign(_ payload: TransactionPayload, flaws: SigningFlaws) throws -> String {
        try jws(payload, flaws)
    }
    func sign(_ payload: RenewalPayload, flaws: SigningFlaws) throws -> String {
        try jws(payload, flaws)
    }
    func sign(_ payload: NotificationPayload, flaws: SigningFlaws) throws -> String {
        try jws(payload, flaws)
    }
    func sign(_ payload: AppTransactionPayload, flaws: SigningFlaws) throws -> String {
        try jws(payload, flaws)
    }
    func sign(
        _ receipt: AppReceipt, deviceIdentifier: [UInt8], flaws: SigningFlaws
    ) throws -> [UInt8] {
        Array(receipt.inApp.map { $0.transactionID.rawValue }.joined(separator: ",").utf8)
    }
    func sign(_ receipt: LegacyReceipt, flaws: SigningFlaws) throws -> [UInt8] {
        Array("legacy".utf8)
    }
}
