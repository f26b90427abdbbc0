internal import COpenSSL

/// The slow, independent way to check a PKCS#7 message: libcrypto reads and verifies all of it.
///
/// Costs some 700 µs, nearly all of it for reading certificates. It is what the fast way is held
/// against, and what takes forms that the fast way leaves alone.
@safe public final class PKCS7Message {
    /// What a message proved.
    public struct Opened: Sendable {
        /// The signed content.
        public let content: [UInt8]
        /// The certificate whose key signed it.
        public let signer: [UInt8]
    }

    /// The most bytes that a message may have.
    public static let sizeLimit = 16 << 20

    private let pointer: UnsafeMutablePointer<PKCS7>
    /// The certificates in the message's order, each in DER.
    public let certificates: [[UInt8]]
    /// How many signed attributes the only signer has; nil where there is not one signer.
    public let signedAttributeCount: Int?

    /// Reads one signed message, DER or BER, and nothing after it.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count <= PKCS7Message.sizeLimit,
            let (message, isWhole) = unsafe read(bytes, { unsafe d2i_PKCS7(nil, $0, $1) })
        else { throw CryptoError.last(.unreadableMessage, "no PKCS#7 message") }
        unsafe pointer = message
        let stack = unsafe till_pkcs7_certificates(message)
        certificates = unsafe (0..<max(0, till_x509_stack_count(stack))).map { index in
            unsafe derBytes { unsafe i2d_X509(till_x509_stack_value(stack, index), $0) } ?? []
        }
        let attributes = unsafe till_pkcs7_signed_attributes(message)
        signedAttributeCount = attributes < 0 ? nil : Int(attributes)
        ERR_clear_error()
        guard isWhole, unsafe till_pkcs7_is_signed(message) == 1 else {
            throw CryptoError(.unreadableMessage, "no signed PKCS#7 message, or bytes after it")
        }
    }

    deinit { unsafe PKCS7_free(pointer) }

    /// Verifies signature and chain at a second since 1970, trusting the given anchor alone.
    ///
    /// - Returns: The content and its signer, or nil when signature or chain do not hold.
    public func open(anchor: Certificate, at seconds: Int64) -> Opened? {
        leavingNoErrors {
            guard let store = unsafe X509_STORE_new() else { return nil }
            defer { unsafe X509_STORE_free(store) }
            guard unsafe X509_STORE_add_cert(store, anchor.pointer) == 1,
                let parameters = unsafe X509_STORE_get0_param(store)
            else { return nil }
            unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
            guard unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1 else {
                return nil
            }
            let content = unsafe writtenBIO {
                unsafe PKCS7_verify(pointer, nil, store, nil, $0, PKCS7_BINARY)
            }
            guard let content, let signer = signer() else { return nil }
            return Opened(content: content, signer: signer)
        }
    }

    private func signer() -> [UInt8]? {
        guard let signers = unsafe PKCS7_get0_signers(pointer, nil, 0) else { return nil }
        defer { unsafe till_x509_stack_free_container(signers) }
        guard unsafe till_x509_stack_count(signers) == 1,
            let signer = unsafe till_x509_stack_value(signers, 0)
        else { return nil }
        return unsafe derBytes { unsafe i2d_X509(signer, $0) }
    }
}
