internal import COpenSSL

/// A key that checks signatures; any number of threads may use one at once.
public struct PublicKey: Sendable {
    let handle: KeyHandle

    /// What kind of key it is.
    public var kind: KeyKind { handle.kind }

    init(handle: KeyHandle) { self.handle = handle }

    /// Reads a DER `SubjectPublicKeyInfo`.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        guard let (pointer, isWhole) = unsafe read(der, { unsafe d2i_PUBKEY(nil, $0, $1) }) else {
            throw CryptoError.last(.unreadableKey, "no public key")
        }
        handle = try unsafe KeyHandle(owning: pointer)
        ERR_clear_error()
        guard isWhole else {
            throw CryptoError(.unreadableKey, "bytes after the public key")
        }
    }

    /// The DER `SubjectPublicKeyInfo`.
    public var subjectPublicKeyInfo: [UInt8] {
        unsafe derBytes { unsafe i2d_PUBKEY(handle.pointer, $0) } ?? []
    }

    /// Whether the signature belongs to the message; false for a scheme that the key cannot do.
    public func isValid(
        _ signature: Span<UInt8>, of message: Span<UInt8>, as algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.fits(kind) else { return false }
        return unsafe withDigest(algorithm.digest, of: message) {
            unsafe isValid(signature, ofDigest: $0, algorithm.digest)
        }
    }

    /// Whether the signature belongs to the message; false for a scheme that the key cannot do.
    public func isValid(
        _ signature: [UInt8], of message: [UInt8], as algorithm: SignatureAlgorithm
    ) -> Bool {
        isValid(signature.span, of: message.span, as: algorithm)
    }

    /// Whether the 64 raw bytes r and s are the ES256 signature of the message (RFC 7518).
    ///
    /// False for every other length, for r or s out of range, and for keys that are not P-256.
    public func isValidES256(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        unsafe withDigest(.sha256, of: message) {
            unsafe isValidES256(signature, ofDigest: $0)
        }
    }

    /// Whether the 64 raw bytes are the signature of a SHA-256 digest, by the quicker way where there is one.
    func isValidES256(
        _ signature: Span<UInt8>, ofDigest digest: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard kind == .p256 else { return false }
        if let multiples = handle.multiplesForCheck(),
            unsafe multiples.isValid(rawSignature: signature, ofDigest: digest) == true
        {
            return true
        }
        guard let der = ECDSASignature.der(rawP256: signature) else { return false }
        return unsafe isValid(der.span, ofDigest: digest, .sha256)
    }

    /// Whether the 64 raw bytes r and s are the ES256 signature of the message (RFC 7518).
    public func isValidES256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        isValidES256(signature.span, of: message.span)
    }

    /// Whether the signature belongs to a digest that was taken before.
    public func isValid(
        _ signature: [UInt8], ofDigest digest: [UInt8], as algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.fits(kind), digest.count == algorithm.digest.byteCount else { return false }
        return unsafe digest.withUnsafeBufferPointer {
            unsafe isValid(signature.span, ofDigest: $0, algorithm.digest)
        }
    }

    private func withDigest(
        _ algorithm: DigestAlgorithm, of message: Span<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: algorithm.byteCount) {
            unsafe algorithm.hash(message, into: $0)
            return unsafe body(UnsafeBufferPointer($0))
        }
    }

    func isValid(
        _ signature: Span<UInt8>, ofDigest digest: UnsafeBufferPointer<UInt8>,
        _ algorithm: DigestAlgorithm
    ) -> Bool {
        let answer = unsafe handle.withContext(.verify, algorithm) { context in
            unsafe signature.withUnsafeBufferPointer {
                unsafe EVP_PKEY_verify(
                    context, $0.baseAddress, $0.count, digest.baseAddress, algorithm.byteCount)
            }
        }
        guard answer == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }
}
