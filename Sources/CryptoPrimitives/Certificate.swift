internal import COpenSSL

/// One X.509 certificate, read once; dear to make (some 170 µs), free to use.
///
/// Sendable because everything is read in `init` and libcrypto only counts references afterwards.
@safe public final class Certificate: @unchecked Sendable {
    /// The most bytes that a certificate may have; Apple's have some 1,100.
    public static let sizeLimit = 16_384

    /// The certificate as it was read.
    public let der: [UInt8]
    /// SHA-256 of the certificate: what a pin names.
    public let fingerprint: [UInt8]
    /// Seconds since 1970 from which on it is valid.
    public let notBefore: Int64
    /// Seconds since 1970 at which it stops being valid.
    public let notAfter: Int64
    /// Whom it is for, in RFC 2253 form; for people, never to be compared.
    public let subject: String
    /// Who signed it, in RFC 2253 form; for people, never to be compared.
    public let issuer: String
    /// The subject's name in DER.
    public let subjectDER: [UInt8]
    /// The issuer's name in DER, as a PKCS#7 message names its signer.
    public let issuerDER: [UInt8]
    /// The serial number's content bytes in DER, big-endian with a sign bit.
    public let serialNumber: [UInt8]
    /// How the certificate itself is signed, in dotted form.
    public let signatureAlgorithm: String
    /// The key that the certificate is about.
    public let publicKey: PublicKey
    /// Every extension, in order.
    public let extensions: [CertificateExtension]
    /// The basic constraints, or nil where there are none.
    public let basicConstraints: BasicConstraints?
    /// What the key may be used for, or nil where the certificate says nothing about it.
    public let keyUsage: KeyUsage?

    let pointer: OpaquePointer

    /// Reads one DER certificate of a key that is used here, and nothing after it.
    public init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= Certificate.sizeLimit else {
            throw CryptoError(.unreadableCertificate, "longer than \(Certificate.sizeLimit) bytes")
        }
        guard let (read, isWhole) = unsafe read(der, { unsafe d2i_X509(nil, $0, $1) }) else {
            throw CryptoError.last(.unreadableCertificate, "no certificate")
        }
        let fields: CertificateFields
        do throws(CryptoError) {
            guard isWhole else {
                throw CryptoError(.unreadableCertificate, "bytes after the certificate")
            }
            // BER lets one certificate be written in any number of ways; one form must do, or a
            // stranger could present a genuine chain as endlessly many.
            guard unsafe derBytes({ unsafe i2d_X509(read, $0) }) == der else {
                throw CryptoError(.unreadableCertificate, "not in DER")
            }
            fields = try unsafe CertificateFields(reading: read)
        } catch {
            unsafe X509_free(read)
            ERR_clear_error()
            throw error
        }
        ERR_clear_error()
        unsafe pointer = read
        self.der = der
        fingerprint = SHA256.hash(der)
        notBefore = fields.notBefore
        notAfter = fields.notAfter
        subject = fields.subject
        issuer = fields.issuer
        subjectDER = fields.subjectDER
        issuerDER = fields.issuerDER
        serialNumber = fields.serialNumber
        signatureAlgorithm = fields.signatureAlgorithm
        publicKey = fields.publicKey
        extensions = fields.extensions
        basicConstraints = fields.basicConstraints
        keyUsage = fields.keyUsage
    }

    /// Reads the first certificate of a PEM text, or a DER certificate.
    public convenience init(pemOrDER bytes: [UInt8]) throws(CryptoError) {
        guard bytes.first != 0x30 else {
            try self.init(der: bytes)
            return
        }
        guard let der = unsafe withReadableBIO(bytes, { unsafe Certificate.nextPEM($0) }) else {
            throw CryptoError.last(.unreadableCertificate, "no certificate")
        }
        try self.init(der: der)
    }

    /// Reads every certificate of a PEM text, at least one, or a DER certificate.
    public static func all(pemOrDER bytes: [UInt8]) throws(CryptoError) -> [Certificate] {
        guard bytes.first != 0x30 else { return [try Certificate(der: bytes)] }
        let found = unsafe withReadableBIO(bytes) { bio -> [[UInt8]] in
            var found: [[UInt8]] = []
            while let der = unsafe nextPEM(bio) { found.append(der) }
            return found
        }
        // It ends with the complaint that no further one begins; any other is about one that is broken.
        let isEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        guard isEnd, let found, !found.isEmpty else {
            throw CryptoError.last(.unreadableCertificate, "no certificate")
        }
        ERR_clear_error()
        var certificates: [Certificate] = []
        for der in found { certificates.append(try Certificate(der: der)) }
        return certificates
    }

    /// The next certificate of a PEM text in DER.
    private static func nextPEM(_ bio: OpaquePointer) -> [UInt8]? {
        guard let read = unsafe PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) else {
            return nil
        }
        defer { unsafe X509_free(read) }
        return unsafe derBytes { unsafe i2d_X509(read, $0) }
    }

    deinit { unsafe X509_free(pointer) }

    /// The certificate in PEM.
    public var pem: String {
        let text = unsafe writtenBIO { bio in unsafe PEM_write_bio_X509(bio, pointer) }
        ERR_clear_error()
        return String(decoding: text ?? [], as: UTF8.self)
    }

    /// Whether it is within its validity at that second since 1970.
    ///
    /// The last second is out, although RFC 5280 has it in: libcrypto counts so, and two answers to
    /// one question would be worse than one second.
    public func isValid(at seconds: Int64) -> Bool { notBefore <= seconds && seconds < notAfter }

    /// Whether subject and issuer are one name: roots, and Xcode's certificates.
    public var isSelfIssued: Bool { subjectDER == issuerDER }

    /// Whether the certificate's own signature is by that key; costs one verification.
    public func isSigned(by key: PublicKey) -> Bool {
        leavingNoErrors { unsafe X509_verify(pointer, key.handle.pointer) == 1 }
    }

    /// The value of the extension with that dotted identifier, or nil.
    public func extensionValue(_ identifier: String) -> [UInt8]? {
        extensions.first { $0.identifier == identifier }?.value
    }
}

extension Certificate: Equatable, Hashable {
    /// Whether both are the same bytes.
    public static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

    /// Hashes the fingerprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

/// One extension of a certificate (RFC 5280 section 4.2).
public struct CertificateExtension: Sendable, Hashable {
    /// The object identifier in dotted form.
    public let identifier: String
    /// Whether a reader that does not know it must refuse the certificate.
    public let isCritical: Bool
    /// The value: DER inside the octet string.
    public let value: [UInt8]

    /// An extension out of its parts.
    public init(identifier: String, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// Apple's markers: an identifier whose presence says what a certificate is for, with value NULL.
    public static func marker(_ identifier: String) -> CertificateExtension {
        CertificateExtension(identifier: identifier, value: [0x05, 0x00])
    }
}

/// Whether a certificate may issue others, and how far down (RFC 5280 section 4.2.1.9).
public struct BasicConstraints: Sendable, Hashable {
    /// Whether it is a certificate authority.
    public let isAuthority: Bool
    /// How many intermediates may follow, or nil for any number.
    public let pathLength: Int?

    /// Constraints out of their parts.
    public init(isAuthority: Bool, pathLength: Int? = nil) {
        self.isAuthority = isAuthority
        self.pathLength = pathLength
    }
}

/// What a certified key may be used for (RFC 5280 section 4.2.1.3).
public struct KeyUsage: OptionSet, Sendable, Hashable {
    /// Bits in the order of RFC 5280: bit 0 of the standard is the lowest here.
    public let rawValue: Int

    /// Takes the bits as they are.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Signatures over data.
    public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    /// Signatures over certificates.
    public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    /// Signatures over revocation lists.
    public static let crlSign = KeyUsage(rawValue: 1 << 6)
}
