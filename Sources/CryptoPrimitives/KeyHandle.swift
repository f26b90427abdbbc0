internal import COpenSSL
internal import Dispatch
internal import Synchronization

/// What kind of key it is; only those that Apple uses exist here.
public enum KeyKind: Sendable, Hashable {
    /// NIST P-256, the key of every signed transaction.
    case p256
    /// NIST P-384, the key of Apple's intermediates under Root CA G3.
    case p384
    /// RSA with a modulus of so many bits, 1,024 to 4,096.
    case rsa(bits: Int)

    /// Whether it is an RSA key of any size.
    public var isRSA: Bool {
        if case .rsa = self { true } else { false }
    }
}

/// The owner of one `EVP_PKEY` and of idle contexts for it.
///
/// A context must never be used by two threads at once and is dear to set up, so each use takes an
/// idle one out of the pool and puts it back: as many exist as ever ran at the same time.
///
/// Sendable because the key is never changed after `init`, libcrypto's operations on a constant
/// `EVP_PKEY` may run in parallel, and the pool is behind a mutex.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let kind: KeyKind
    /// Idle contexts by operation and digest.
    private let idle = Mutex<[[Context]]>(Array(repeating: [], count: Operation.slots))

    /// How many signatures of this key were asked about.
    private let checks = Atomic<Int>(0)
    /// The multiples of its point, once they are worth their price.
    private let multiples = AtomicLazyReference<P256Multiples>()

    /// After so many checks a P-256 key is taken for that of a signer of many: the multiples of its point pay for
    /// themselves after a thousand more.
    static let checksBeforeMultiples = 256

    /// Idle contexts kept for each operation; more are freed after use.
    static let idleContextLimit = 64

    /// One set-up `EVP_PKEY_CTX`; whoever took it out of the pool is its only user.
    @safe private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    enum Operation: Int {
        case verify
        case sign

        /// Places for the contexts of every operation with every digest.
        static let slots = 2 * DigestAlgorithm.allCases.count
    }

    /// Takes over the reference, and frees it when the key is of a kind that is not used here.
    init(owning pointer: OpaquePointer) throws(CryptoError) {
        guard let kind = unsafe KeyHandle.kind(of: pointer) else {
            unsafe EVP_PKEY_free(pointer)
            ERR_clear_error()
            throw CryptoError(.unreadableKey, "neither P-256, P-384 nor RSA of 1,024 to 4,096 bits")
        }
        unsafe self.pointer = pointer
        self.kind = kind
    }

    deinit {
        idle.withLock { pools in
            for context in pools.joined() { unsafe EVP_PKEY_CTX_free(context.pointer) }
            pools = []
        }
        unsafe EVP_PKEY_free(pointer)
    }

    /// The multiples of the key's point, where they were worked out; to be asked for at each check.
    ///
    /// They are worked out beside the checks, which go on without them.
    func multiplesForCheck() -> P256Multiples? {
        if let known = multiples.load() { return known }
        let count = checks.add(1, ordering: .relaxed).newValue
        if count == Self.checksBeforeMultiples {
            DispatchQueue.global(qos: .utility).async { self.workOutMultiples() }
        }
        return nil
    }

    /// Works the multiples out now; whether there are any.
    @discardableResult
    func workOutMultiples() -> Bool {
        guard kind == .p256, let made = unsafe P256Multiples(publicKey: pointer) else {
            return false
        }
        _ = multiples.storeIfNil(made)
        return true
    }

    private static func kind(of pointer: OpaquePointer) -> KeyKind? {
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
            let bits = unsafe Int(EVP_PKEY_get_bits(pointer))
            return (1_024...4_096).contains(bits) ? .rsa(bits: bits) : nil
        }
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        let room = name.count
        let done = unsafe name.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_group_name(pointer, $0.baseAddress, room, &count)
        }
        guard done == 1, count < room else { return nil }
        let text = String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        switch text {
        case "prime256v1": return .p256
        case "secp384r1": return .p384
        default: return nil
        }
    }

    /// Lends a context set up for the operation with the digest, or nil when libcrypto gives none.
    func withContext<Result>(
        _ operation: Operation, _ digest: DigestAlgorithm, _ body: (OpaquePointer) -> Result
    ) -> Result? {
        let slot = operation.rawValue * DigestAlgorithm.allCases.count + digest.rawValue
        let pooled = idle.withLock { $0[slot].popLast() }
        guard let context = pooled ?? makeContext(operation, digest) else { return nil }
        let result = unsafe body(context.pointer)
        let kept = idle.withLock { pools in
            guard pools[slot].count < KeyHandle.idleContextLimit else { return false }
            pools[slot].append(context)
            return true
        }
        if !kept { unsafe EVP_PKEY_CTX_free(context.pointer) }
        return result
    }

    private func makeContext(_ operation: Operation, _ digest: DigestAlgorithm) -> Context? {
        guard let context = unsafe EVP_PKEY_CTX_new(pointer, nil) else { return nil }
        let begun =
            switch operation {
            case .verify: unsafe EVP_PKEY_verify_init(context)
            case .sign: unsafe EVP_PKEY_sign_init(context)
            }
        guard begun == 1,
            unsafe (!kind.isRSA
                || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1),
            unsafe EVP_PKEY_CTX_set_signature_md(context, digest.fetched.pointer) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe Context(pointer: context)
    }
}
