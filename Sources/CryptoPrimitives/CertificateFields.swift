internal import COpenSSL

/// What is read out of a certificate when it is made; a field that cannot be read refuses the whole.
struct CertificateFields {
    let notBefore: Int64
    let notAfter: Int64
    let subject: String
    let issuer: String
    let subjectDER: [UInt8]
    let issuerDER: [UInt8]
    let serialNumber: [UInt8]
    let signatureAlgorithm: String
    let publicKey: PublicKey
    let extensions: [CertificateExtension]
    let basicConstraints: BasicConstraints?
    let keyUsage: KeyUsage?

    /// The most extensions that a certificate may have; Apple's have ten at most.
    static let extensionLimit = 64

    init(reading pointer: OpaquePointer) throws(CryptoError) {
        guard let notBefore = unsafe CertificateTime.seconds(X509_get0_notBefore(pointer)),
            let notAfter = unsafe CertificateTime.seconds(X509_get0_notAfter(pointer))
        else { throw CryptoError(.unreadableCertificate, "no validity") }
        self.notBefore = notBefore
        self.notAfter = notAfter
        subject = unsafe CertificateFields.text(X509_get_subject_name(pointer))
        issuer = unsafe CertificateFields.text(X509_get_issuer_name(pointer))
        subjectDER =
            unsafe derBytes { unsafe i2d_X509_NAME(X509_get_subject_name(pointer), $0) } ?? []
        issuerDER =
            unsafe derBytes { unsafe i2d_X509_NAME(X509_get_issuer_name(pointer), $0) } ?? []
        let serial = unsafe derBytes {
            unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), $0)
        }
        // Tag and a length below 128 come first: RFC 5280 allows 20 bytes of serial number.
        guard let serial, serial.count > 2, serial.count < 130 else {
            throw CryptoError(.unreadableCertificate, "no serial number")
        }
        serialNumber = Array(serial.dropFirst(2))

        var algorithm: OpaquePointer?
        guard let signed = unsafe X509_get0_tbs_sigalg(pointer) else {
            throw CryptoError(.unreadableCertificate, "no signature algorithm")
        }
        unsafe X509_ALGOR_get0(&algorithm, nil, nil, signed)
        signatureAlgorithm = unsafe CertificateFields.dotted(algorithm)

        guard let key = unsafe X509_get_pubkey(pointer) else {
            throw CryptoError.last(.unreadableCertificate, "no readable key")
        }
        publicKey = PublicKey(handle: try unsafe KeyHandle(owning: key))

        extensions = try unsafe CertificateFields.extensions(of: pointer)
        // libcrypto reads the standard extensions as one and says here whether all of them were
        // well formed and none came twice.
        let flags = unsafe X509_get_extension_flags(pointer)
        guard flags & UInt32(EXFLAG_INVALID) == 0 else {
            throw CryptoError(.unreadableCertificate, "a standard extension that is malformed")
        }
        let length = unsafe X509_get_pathlen(pointer)
        basicConstraints =
            flags & UInt32(EXFLAG_BCONS) == 0
            ? nil
            : BasicConstraints(
                isAuthority: flags & UInt32(EXFLAG_CA) != 0,
                pathLength: length < 0 ? nil : length)
        keyUsage =
            flags & UInt32(EXFLAG_KUSAGE) == 0
            ? nil : unsafe CertificateFields.keyUsage(X509_get_key_usage(pointer))
    }

    private static func text(_ name: OpaquePointer?) -> String {
        String(
            decoding: unsafe writtenBIO { unsafe till_name_print($0, name) } ?? [], as: UTF8.self)
    }

    /// An object identifier in dotted form, never by name: names differ between libraries.
    static func dotted(_ object: OpaquePointer?) -> String {
        guard let object = unsafe object else { return "" }
        var buffer = [CChar](repeating: 0, count: 128)
        let room = Int32(buffer.count)
        let count = unsafe buffer.withUnsafeMutableBufferPointer {
            unsafe OBJ_obj2txt($0.baseAddress, room, object, 1)
        }
        guard count > 0, count < room else { return "" }
        return String(
            decoding: buffer.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func extensions(
        of pointer: OpaquePointer
    ) throws(CryptoError) -> [CertificateExtension] {
        let count = unsafe X509_get_ext_count(pointer)
        guard count <= extensionLimit else {
            throw CryptoError(.unreadableCertificate, "more than \(extensionLimit) extensions")
        }
        var extensions: [CertificateExtension] = []
        for index in 0..<max(0, count) {
            guard let entry = unsafe X509_get_ext(pointer, index),
                let data = unsafe X509_EXTENSION_get_data(entry)
            else { continue }
            let bytes = unsafe UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
            extensions.append(
                CertificateExtension(
                    identifier: unsafe dotted(X509_EXTENSION_get_object(entry)),
                    isCritical: unsafe X509_EXTENSION_get_critical(entry) == 1,
                    value: unsafe [UInt8](bytes)))
        }
        guard Set(extensions.map(\.identifier)).count == extensions.count else {
            throw CryptoError(.unreadableCertificate, "an extension that comes twice")
        }
        return extensions
    }

    /// libcrypto's bits are those of the DER bit string's bytes, highest first.
    private static func keyUsage(_ bits: UInt32) -> KeyUsage {
        var usage: KeyUsage = []
        if bits & UInt32(KU_DIGITAL_SIGNATURE) != 0 { usage.insert(.digitalSignature) }
        if bits & UInt32(KU_KEY_CERT_SIGN) != 0 { usage.insert(.keyCertSign) }
        if bits & UInt32(KU_CRL_SIGN) != 0 { usage.insert(.crlSign) }
        for (bit, flag) in [(1, 0x40), (2, 0x20), (3, 0x10), (4, 0x08), (7, 0x01), (8, 0x8000)]
        where bits & UInt32(flag) != 0 {
            usage.insert(KeyUsage(rawValue: 1 << bit))
        }
        return usage
    }
}

/// Times as certificates have them.
enum CertificateTime {
    /// Seconds since 1970, or nil for what is no time.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = unsafe tm()
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        let days = unsafe daysSince1970(
            year: Int64(parts.tm_year) + 1_900, month: Int64(parts.tm_mon) + 1,
            day: Int64(parts.tm_mday))
        return unsafe days * 86_400 + Int64(parts.tm_hour) * 3_600 + Int64(parts.tm_min) * 60
            + Int64(parts.tm_sec)
    }

    /// Days in the proleptic Gregorian calendar, counted in years that begin in March so that the
    /// leap day comes last.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
