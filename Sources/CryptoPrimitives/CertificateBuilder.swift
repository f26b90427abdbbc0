internal import COpenSSL

/// Makes certificates for authorities of one's own: local stores and tests.
///
/// Everything may be wrong on purpose; a certificate for a test has one field off.
public struct CertificateBuilder: Sendable {
    /// Whom the certificate is for.
    public var subject: DistinguishedName
    /// The key that it is about.
    public var subjectKey: PublicKey
    /// The serial number, big-endian and positive, 1 to 20 bytes.
    public var serialNumber: [UInt8]
    /// Seconds since 1970 from which on it is valid.
    public var notBefore: Int64
    /// Seconds since 1970 up to which it is valid.
    public var notAfter: Int64
    /// The basic constraints, marked critical, or nil for none.
    public var basicConstraints: BasicConstraints?
    /// What the key may be used for, marked critical, or nil to say nothing.
    public var keyUsage: KeyUsage?
    /// Whether subject and authority key identifiers are put in.
    public var includesKeyIdentifiers = true
    /// Further extensions, after the standard ones.
    public var extensions: [CertificateExtension]

    /// A certificate to be signed; what is not given is left out of it.
    public init(
        subject: DistinguishedName, subjectKey: PublicKey, serialNumber: [UInt8] = [1],
        notBefore: Int64, notAfter: Int64, basicConstraints: BasicConstraints? = nil,
        keyUsage: KeyUsage? = nil, extensions: [CertificateExtension] = []
    ) {
        self.subject = subject
        self.subjectKey = subjectKey
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.basicConstraints = basicConstraints
        self.keyUsage = keyUsage
        self.extensions = extensions
    }

    /// Signs it with the subject's own key: a root.
    public func selfSigned(
        with key: PrivateKey, digest: DigestAlgorithm = .sha256
    ) throws(CryptoError) -> Certificate {
        try make(issuer: nil, key: key, digest: digest)
    }

    /// Signs it in the name of the issuer; nothing checks that the key is the issuer's.
    public func signed(
        by issuer: Certificate, key: PrivateKey, digest: DigestAlgorithm = .sha256
    ) throws(CryptoError) -> Certificate {
        try make(issuer: issuer, key: key, digest: digest)
    }

    private func make(
        issuer: Certificate?, key: PrivateKey, digest: DigestAlgorithm
    ) throws(CryptoError) -> Certificate {
        guard let draft = unsafe X509_new() else {
            throw CryptoError.last(.libraryFailure, "no certificate")
        }
        defer {
            unsafe X509_free(draft)
            ERR_clear_error()
        }
        try unsafe writeFields(into: draft, issuer: issuer)
        for entry in try standardExtensions(issuer: issuer) + extensions {
            try unsafe CertificateBuilder.add(entry, to: draft)
        }
        guard unsafe X509_sign(draft, key.handle.pointer, digest.fetched.pointer) > 0,
            let der = unsafe derBytes({ unsafe i2d_X509(draft, $0) })
        else { throw CryptoError.last(.libraryFailure, "the certificate was not signed") }
        return try Certificate(der: der)
    }

    private func writeFields(
        into draft: OpaquePointer, issuer: Certificate?
    ) throws(CryptoError) {
        guard (1...20).contains(serialNumber.count),
            let number = unsafe serialNumber.withUnsafeBufferPointer({
                unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil)
            })
        else { throw CryptoError(.unwritableField, "a serial number of 1 to 20 bytes is needed") }
        defer { unsafe BN_free(number) }
        guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(draft)) != nil,
            unsafe X509_set_version(draft, 2) == 1,
            unsafe ASN1_TIME_set(X509_getm_notBefore(draft), time_t(notBefore)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(draft), time_t(notAfter)) != nil,
            unsafe X509_set_pubkey(draft, subjectKey.handle.pointer) == 1
        else { throw CryptoError.last(.unwritableField, "serial number, validity or key") }
        try unsafe subject.write(into: X509_get_subject_name(draft))
        let name = unsafe X509_get_subject_name(issuer?.pointer ?? draft)
        guard unsafe X509_set_issuer_name(draft, name) == 1 else {
            throw CryptoError.last(.unwritableField, "the issuer's name")
        }
    }

    private func standardExtensions(
        issuer: Certificate?
    ) throws(CryptoError) -> [CertificateExtension] {
        var entries: [CertificateExtension] = []
        if let basicConstraints { entries.append(basicConstraints.asExtension) }
        if let keyUsage { entries.append(keyUsage.asExtension) }
        guard includesKeyIdentifiers else { return entries }
        let identifier = SHA1.hash(subjectKey.subjectPublicKeyInfo)
        entries.append(
            CertificateExtension(identifier: "2.5.29.14", value: [0x04, 20] + identifier))
        // The issuer's identifier is the octet string's content; a root's is its own.
        let issuerIdentifier = issuer.map { $0.extensionValue("2.5.29.14")?.dropFirst(2) }
        if let bytes = issuerIdentifier ?? identifier[...], bytes.count <= 100 {
            let tagged = [0x80, UInt8(bytes.count)] + bytes
            entries.append(
                CertificateExtension(
                    identifier: "2.5.29.35", value: [0x30, UInt8(tagged.count)] + tagged))
        }
        return entries
    }

    private static func add(
        _ entry: CertificateExtension, to draft: OpaquePointer
    ) throws(CryptoError) {
        guard let object = unsafe OBJ_txt2obj(entry.identifier, 1) else {
            throw CryptoError.last(.badObjectIdentifier, entry.identifier)
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        guard let value = unsafe ASN1_OCTET_STRING_new() else {
            throw CryptoError.last(.libraryFailure, "no extension")
        }
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        let isSet = unsafe entry.value.withUnsafeBufferPointer {
            unsafe ASN1_OCTET_STRING_set(value, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard isSet == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(
                nil, object, entry.isCritical ? 1 : 0, value)
        else { throw CryptoError.last(.unwritableField, "extension \(entry.identifier)") }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(draft, made, -1) == 1 else {
            throw CryptoError.last(.unwritableField, "extension \(entry.identifier)")
        }
    }
}

extension BasicConstraints {
    var asExtension: CertificateExtension {
        var content: [UInt8] = isAuthority ? [0x01, 0x01, 0xFF] : []
        if let pathLength { content += [0x02, 0x01, UInt8(clamping: min(pathLength, 127))] }
        return CertificateExtension(
            identifier: "2.5.29.19", isCritical: true,
            value: [0x30, UInt8(content.count)] + content)
    }
}

extension KeyUsage {
    /// A DER bit string without trailing zero bits, as DER demands of named bits.
    var asExtension: CertificateExtension {
        var bytes: [UInt8] = [0, 0]
        for bit in 0..<9 where rawValue & (1 << bit) != 0 { bytes[bit / 8] |= 0x80 >> (bit % 8) }
        while bytes.last == 0 { bytes.removeLast() }
        let unused = bytes.last.map { UInt8($0.trailingZeroBitCount) } ?? 0
        return CertificateExtension(
            identifier: "2.5.29.15", isCritical: true,
            value: [0x03, UInt8(bytes.count + 1), unused] + bytes)
    }
}
