internal import COpenSSL

/// The slow, independent way to check a PKCS#7 message: libcrypto reads and verifies all of it.
///
/// Costs some 700 µs, nearly all of it for reading certificates. It is what the fast way is held
/// against.
public enum PKCS7Message {
    /// What a message proved.
    public struct Opened: Sendable {
        /// The signed content.
        public let content: [UInt8]
        /// The certificate whose key signed it.
        public let signer: [UInt8]
    }

    /// The most bytes that a message may have.
    public static let sizeLimit = 16 << 20

    /// Verifies signature and chain at a second since 1970, trusting the given anchor alone.
    ///
    /// - Returns: The content and its signer, or nil when signature or chain do not hold.
    /// - Throws: `CryptoError` when the bytes are no signed message.
    public static func open(
        _ der: [UInt8], anchor: Certificate, at seconds: Int64
    ) throws(CryptoError) -> Opened? {
        guard der.count <= sizeLimit,
            let (message, isWhole) = unsafe read(der, { unsafe d2i_PKCS7(nil, $0, $1) })
        else { throw CryptoError.last(.unreadableMessage, "no PKCS#7 message") }
        defer {
            unsafe PKCS7_free(message)
            ERR_clear_error()
        }
        guard isWhole, unsafe till_pkcs7_is_signed(message) == 1 else {
            throw CryptoError(.unreadableMessage, "no signed PKCS#7 message, or bytes after it")
        }
        guard let store = unsafe X509_STORE_new() else {
            throw CryptoError.last(.libraryFailure, "no store")
        }
        defer { unsafe X509_STORE_free(store) }
        guard unsafe X509_STORE_add_cert(store, anchor.pointer) == 1,
            let parameters = unsafe X509_STORE_get0_param(store)
        else { throw CryptoError.last(.libraryFailure, "no store") }
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
        guard unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1 else {
            throw CryptoError.last(.libraryFailure, "no store")
        }
        let content = unsafe writtenBIO {
            unsafe PKCS7_verify(message, nil, store, nil, $0, PKCS7_BINARY)
        }
        guard let content, let signer = unsafe signer(of: message) else { return nil }
        return Opened(content: content, signer: signer)
    }

    private static func signer(of message: UnsafeMutablePointer<PKCS7>) -> [UInt8]? {
        guard let signers = unsafe PKCS7_get0_signers(message, nil, 0) else { return nil }
        defer { unsafe till_x509_stack_free_container(signers) }
        guard unsafe till_x509_stack_count(signers) == 1,
            let signer = unsafe till_x509_stack_value(signers, 0)
        else { return nil }
        return unsafe derBytes { unsafe i2d_X509(signer, $0) }
    }
}
