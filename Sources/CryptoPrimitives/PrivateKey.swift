internal import COpenSSL

/// A key that signs; any number of threads may use one at once.
public struct PrivateKey: Sendable {
    let handle: KeyHandle

    /// What kind of key it is.
    public var kind: KeyKind { handle.kind }

    /// Makes a new key: some 30 µs for elliptic curves, up to seconds for long RSA keys.
    public static func generate(_ kind: KeyKind) throws(CryptoError) -> PrivateKey {
        let type = kind.isRSA ? EVP_PKEY_RSA : EVP_PKEY_EC
        guard let context = unsafe EVP_PKEY_CTX_new_id(type, nil) else {
            throw CryptoError.last(.libraryFailure, "no key generator")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else {
            throw CryptoError.last(.libraryFailure, "no key generator")
        }
        let isSet =
            switch kind {
            case .p256:
                unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
            case .p384: unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_secp384r1)
            case .rsa(let bits):
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits))
            }
        var pointer: OpaquePointer?
        guard isSet == 1, unsafe EVP_PKEY_keygen(context, &pointer) == 1,
            let pointer = unsafe pointer
        else { throw CryptoError.last(.libraryFailure, "the key was not made") }
        return PrivateKey(handle: try unsafe KeyHandle(owning: pointer))
    }

    private init(handle: KeyHandle) { self.handle = handle }

    /// Reads an unencrypted key in PEM: PKCS#8 as Apple's `.p8` files have it, or the older forms.
    public init(pem: String) throws(CryptoError) {
        let pointer = unsafe withReadableBIO(Array(pem.utf8)) { bio in
            // Without a callback libcrypto would ask the terminal for the password.
            unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let pointer = unsafe pointer else {
            throw CryptoError.last(.unreadableKey, "no private key in PEM")
        }
        handle = try unsafe KeyHandle(owning: pointer)
        ERR_clear_error()
    }

    /// Reads an unencrypted DER `PrivateKeyInfo` (PKCS#8).
    public init(pkcs8 der: [UInt8]) throws(CryptoError) {
        let decoded = unsafe read(der) { unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1) }
        guard let (information, isWhole) = unsafe decoded else {
            throw CryptoError.last(.unreadableKey, "no PKCS#8 key")
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(information) }
        guard isWhole else {
            throw CryptoError(.unreadableKey, "bytes after the private key")
        }
        guard let pointer = unsafe EVP_PKCS82PKEY(information) else {
            throw CryptoError.last(.unreadableKey, "no PKCS#8 key")
        }
        handle = try unsafe KeyHandle(owning: pointer)
        ERR_clear_error()
    }

    /// The unencrypted key as PKCS#8 in DER; keep it as secret as the key.
    public var pkcs8: [UInt8] {
        guard let information = unsafe EVP_PKEY2PKCS8(handle.pointer) else {
            ERR_clear_error()
            return []
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(information) }
        return unsafe derBytes { unsafe i2d_PKCS8_PRIV_KEY_INFO(information, $0) } ?? []
    }

    /// The unencrypted key as PKCS#8 in PEM; keep it as secret as the key.
    public var pem: String {
        let text = unsafe writtenBIO { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(
                bio, handle.pointer, nil, nil, 0, nil, nil)
        }
        ERR_clear_error()
        return String(decoding: text ?? [], as: UTF8.self)
    }

    /// The key that checks what this one signs.
    public var publicKey: PublicKey {
        // The same pair answers for both sides; a public key never gives out the private half.
        PublicKey(handle: handle)
    }

    /// Signs the message: DER for ECDSA, as many bytes as the modulus has for RSA.
    public func sign(
        _ message: [UInt8], as algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        guard algorithm.fits(kind) else {
            throw CryptoError(.wrongKey, "a key of another kind than the signature")
        }
        let digest = algorithm.digest.hash(message)
        let signature = unsafe handle.withContext(.sign, algorithm.digest) { context in
            unsafe PrivateKey.signature(of: digest, context)
        }
        guard let signature = signature ?? nil else {
            throw CryptoError.last(.libraryFailure, "the message was not signed")
        }
        return signature
    }

    /// Signs the message with ES256: 64 raw bytes, r and s, as JWS has them.
    public func signES256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard kind == .p256 else { throw CryptoError(.wrongKey, "ES256 needs a P-256 key") }
        let der = try sign(message, as: .ecdsa(.sha256))
        guard let raw = ECDSASignature.rawP256(der: der) else {
            throw CryptoError(.libraryFailure, "no signature of two numbers")
        }
        return raw
    }

    private static func signature(of digest: [UInt8], _ context: OpaquePointer) -> [UInt8]? {
        let room = 512  // RSA of 4,096 bits, the longest key that is read
        var count = room
        var done: Int32 = 0
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
            done = unsafe digest.withUnsafeBufferPointer {
                unsafe EVP_PKEY_sign(context, buffer.baseAddress, &count, $0.baseAddress, $0.count)
            }
            initialized = done == 1 ? count : 0
        }
        return done == 1 ? signature : nil
    }
}
