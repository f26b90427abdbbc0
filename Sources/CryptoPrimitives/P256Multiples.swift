internal import COpenSSL
internal import Synchronization

/// A P-256 key with multiples of its point worked out ahead, for a signer of whom many signatures are checked.
///
/// Most of a check is two multiplications of points: one of the curve's own point, for which libcrypto has a
/// table, and one of the key's, which takes five times as long. Told that the key's point is the base point of
/// a curve of its own, libcrypto makes the same table for it: 150 KB, and some 40 ms once. What is left to do
/// here is the equation of FIPS 186-5 section 6.4.2 over libcrypto's points and numbers. All of it is
/// public.
///
/// Only a yes is final: what is found wrong here, or cannot be computed, is checked by libcrypto's own
/// verification. `docs/decisions/0013-known-signers-keys.md` tells why this exists.
///
/// Sendable because the groups are never changed after `init`, libcrypto only reads a constant `EC_GROUP`,
/// and each use takes a workspace out of a pool behind a mutex.
@safe final class P256Multiples: @unchecked Sendable {
    /// The curve as it is.
    private let curve: Group
    /// The curve with the key's point for its base point.
    private let keyCurve: Group
    private let idle = Mutex<[Workspace]>([])

    /// Workspaces kept; more are freed after use.
    private static let idleLimit = 64

    /// Works the multiples out; nil when libcrypto cannot.
    init?(publicKey key: OpaquePointer) {
        guard let curve = Group(), let keyCurve = Group() else { return nil }
        guard let scratch = unsafe BN_CTX_new() else { return nil }
        defer {
            unsafe BN_CTX_free(scratch)
            ERR_clear_error()
        }
        var (octets, count) = ([UInt8](repeating: 0, count: 65), 0)
        let isRead = unsafe octets.withUnsafeMutableBufferPointer { buffer in
            unsafe EVP_PKEY_get_octet_string_param(
                key, "pub", buffer.baseAddress, buffer.count, &count)
        }
        guard isRead == 1, let point = unsafe EC_POINT_new(curve.pointer) else { return nil }
        defer { unsafe EC_POINT_free(point) }
        // Refuses what is no point of the curve.
        guard unsafe EC_POINT_oct2point(curve.pointer, point, octets, count, scratch) == 1,
            let order = unsafe EC_GROUP_get0_order(curve.pointer),
            unsafe EC_GROUP_set_generator(keyCurve.pointer, point, order, BN_value_one()) == 1,
            unsafe till_ec_group_precompute(keyCurve.pointer, scratch) == 1
        else { return nil }
        self.curve = curve
        self.keyCurve = keyCurve
    }

    /// Whether the 64 bytes r and s are the key's signature of a SHA-256 digest; nil when that could not be
    /// computed.
    func isValid(rawSignature: Span<UInt8>, ofDigest digest: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard rawSignature.count == 64, digest.count == 32 else { return nil }
        let s = OrderScalar(bigEndian: rawSignature.extracting(32..<64))
        guard OrderScalar(bigEndian: rawSignature.extracting(0..<32)).isInRange, s.isInRange,
            let inverse = s.inverse
        else { return false }
        let pooled = idle.withLock { $0.popLast() }
        guard let workspace = pooled ?? Workspace(curve) else { return nil }
        let answer = unsafe rawSignature.withUnsafeBufferPointer { signature in
            unsafe isValid(signature, digest, inverse, workspace)
        }
        ERR_clear_error()
        let kept = idle.withLock { pool in
            guard pool.count < Self.idleLimit else { return false }
            pool.append(workspace)
            return true
        }
        if !kept { workspace.free() }
        return answer
    }

    private func isValid(
        _ signature: UnsafeBufferPointer<UInt8>, _ digest: UnsafeBufferPointer<UInt8>,
        _ inverseOfS: OrderScalar, _ workspace: Workspace
    ) -> Bool? {
        let numbers = unsafe workspace.numbers
        unsafe BN_CTX_start(numbers)
        defer { unsafe BN_CTX_end(numbers) }
        guard let order = unsafe EC_GROUP_get0_order(curve.pointer),
            let r = unsafe BN_CTX_get(numbers), let s = unsafe BN_CTX_get(numbers),
            let e = unsafe BN_CTX_get(numbers), let w = unsafe BN_CTX_get(numbers),
            let u1 = unsafe BN_CTX_get(numbers), let u2 = unsafe BN_CTX_get(numbers),
            let x = unsafe BN_CTX_get(numbers), let signed = signature.baseAddress,
            unsafe BN_bin2bn(signed, 32, r) != nil, unsafe BN_bin2bn(signed + 32, 32, s) != nil,
            unsafe BN_bin2bn(digest.baseAddress, 32, e) != nil,
            unsafe BN_bin2bn(inverseOfS.bigEndian, 32, w) != nil,
            // What was inverted here is held against libcrypto's arithmetic.
            unsafe BN_mod_mul(x, s, w, order, numbers) == 1, unsafe BN_is_one(x) == 1,
            unsafe BN_mod_mul(u1, e, w, order, numbers) == 1,
            unsafe BN_mod_mul(u2, r, w, order, numbers) == 1,
            unsafe EC_POINT_mul(curve.pointer, workspace.left, u1, nil, nil, numbers) == 1,
            unsafe EC_POINT_mul(keyCurve.pointer, workspace.right, u2, nil, nil, numbers) == 1,
            unsafe EC_POINT_add(
                curve.pointer, workspace.left, workspace.left, workspace.right, numbers) == 1
        else { return nil }
        guard unsafe EC_POINT_is_at_infinity(curve.pointer, workspace.left) == 0 else {
            return false
        }
        guard
            unsafe EC_POINT_get_affine_coordinates(
                curve.pointer, workspace.left, x, nil, numbers) == 1,
            unsafe BN_nnmod(x, x, order, numbers) == 1
        else { return nil }
        return unsafe BN_cmp(x, r) == 0
    }

    deinit {
        idle.withLock { pool in
            for workspace in pool { workspace.free() }
            pool = []
        }
    }

    /// The owner of a group with the parameters of P-256.
    @safe private final class Group {
        let pointer: OpaquePointer

        init?() {
            guard let pointer = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
                ERR_clear_error()
                return nil
            }
            unsafe self.pointer = pointer
        }

        deinit { unsafe EC_GROUP_free(pointer) }
    }

    /// What one check at a time computes in; whoever took it out of the pool is its only user.
    @safe private struct Workspace: @unchecked Sendable {
        let numbers: OpaquePointer
        let left: OpaquePointer
        let right: OpaquePointer

        init?(_ curve: Group) {
            let numbers = unsafe BN_CTX_new()
            let left = unsafe EC_POINT_new(curve.pointer)
            let right = unsafe EC_POINT_new(curve.pointer)
            guard let numbers = unsafe numbers, let left = unsafe left, let right = unsafe right
            else {
                unsafe BN_CTX_free(numbers)
                unsafe EC_POINT_free(left)
                unsafe EC_POINT_free(right)
                return nil
            }
            unsafe (self.numbers, self.left, self.right) = (numbers, left, right)
        }

        func free() {
            unsafe BN_CTX_free(numbers)
            unsafe EC_POINT_free(left)
            unsafe EC_POINT_free(right)
        }
    }
}
