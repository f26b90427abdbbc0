import CryptoPrimitives
import Testing

@Suite struct CertificateTests {
    static let marker = "1.2.840.113635.100.6.11.1"

    @Test func `what the builder was told is what the certificate says`() throws {
        let key = try PrivateKey.generate(.p256)
        var builder = CertificateBuilder(
            subject: DistinguishedName(
                commonName: "Wörkshop, Root", organizationalUnit: "Unit", organization: "Till",
                country: "US"),
            subjectKey: key.publicKey, serialNumber: [0x01, 0xFF], notBefore: -86_400,
            notAfter: 4_102_444_799,
            basicConstraints: BasicConstraints(isAuthority: true, pathLength: 1),
            keyUsage: [.keyCertSign, .crlSign], extensions: [.marker(Self.marker)])
        let certificate = try builder.selfSigned(with: key)
        #expect(certificate.subject == "CN=Wörkshop\\, Root,OU=Unit,O=Till,C=US")
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.isSelfIssued)
        #expect(certificate.serialNumber == [0x01, 0xFF])
        #expect(certificate.notBefore == -86_400)
        #expect(certificate.notAfter == 4_102_444_799)
        #expect(certificate.basicConstraints == builder.basicConstraints)
        #expect(certificate.keyUsage == builder.keyUsage)
        #expect(certificate.extensionValue(Self.marker) == [0x05, 0x00])
        #expect(certificate.extensionValue("1.2.3") == nil)
        #expect(certificate.signatureAlgorithm == "1.2.840.10045.4.3.2")
        #expect(certificate.publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        #expect(certificate.fingerprint == SHA256.hash(certificate.der))
        #expect(certificate.isValid(at: -86_400) && !certificate.isValid(at: -86_401))
        #expect(certificate.isValid(at: 4_102_444_798) && !certificate.isValid(at: 4_102_444_799))
        builder.keyUsage = nil
        builder.basicConstraints = nil
        let plain = try builder.selfSigned(with: key)
        #expect(plain.keyUsage == nil && plain.basicConstraints == nil)
    }

    @Test func `a certificate survives DER and PEM, and nothing may follow it`() throws {
        let (root, _) = try Chain.root()
        #expect(try Certificate(der: root.der) == root)
        #expect(try Certificate(pemOrDER: Array(root.pem.utf8)) == root)
        #expect(try Certificate(pemOrDER: root.der) == root)
        for bad in [root.der + [0], Array(root.der.dropLast()), [], [0x30, 0x80]] {
            let error = #expect(throws: CryptoError.self) { try Certificate(der: bad) }
            #expect(error?.code == .unreadableCertificate)
        }
        let long = [UInt8](repeating: 0x30, count: Certificate.sizeLimit + 1)
        #expect(throws: CryptoError.self) { try Certificate(der: long) }
    }

    @Test func `every certificate of a PEM text is read, or none`() throws {
        let (root, _) = try Chain.root()
        let (other, _) = try Chain.root()
        let text = "subject: a root\n" + root.pem + "\n\n" + other.pem + "that is all\n"
        #expect(try Certificate.all(pemOrDER: Array(text.utf8)) == [root, other])
        #expect(try Certificate.all(pemOrDER: root.der) == [root])
        let broken = root.pem + other.pem.replacing("\nM", with: "\nA")
        let key = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
        for bad in [broken, String(text.dropLast(40)), "", "hello", key] {
            let error = #expect(throws: CryptoError.self) {
                try Certificate.all(pemOrDER: Array(bad.utf8))
            }
            #expect(error?.code == .unreadableCertificate)
        }
    }

    @Test func `fields that cannot be written are refused`() throws {
        let key = try PrivateKey.generate(.p256)
        let builder = CertificateBuilder(
            subject: DistinguishedName(commonName: "x"), subjectKey: key.publicKey, notBefore: 0,
            notAfter: 1)
        var bad = builder
        bad.serialNumber = []
        #expect(throws: CryptoError.self) { try bad.selfSigned(with: key) }
        bad.serialNumber = [UInt8](repeating: 1, count: 21)
        #expect(throws: CryptoError.self) { try bad.selfSigned(with: key) }
        bad = builder
        bad.extensions = [CertificateExtension(identifier: "no.oid", value: [])]
        let error = #expect(throws: CryptoError.self) { try bad.selfSigned(with: key) }
        #expect(error?.code == .badObjectIdentifier)
        bad = builder
        bad.subject = DistinguishedName(commonName: "x", country: "too long")
        #expect(throws: CryptoError.self) { try bad.selfSigned(with: key) }
        bad = builder
        bad.extensions = [.marker(Self.marker), .marker(Self.marker)]
        #expect(throws: CryptoError.self) { try bad.selfSigned(with: key) }
    }
}
