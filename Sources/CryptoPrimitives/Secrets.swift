internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// The 32 bytes of the authentication code.
    public static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var written: UInt32 = 0
            // An empty array may have no base address, and HMAC takes a null key for "the last one".
            let keyBytes = key.isEmpty ? [0] : key
            let done = unsafe keyBytes.withUnsafeBytes { key in
                unsafe message.withUnsafeBytes { message in
                    unsafe HMAC(
                        DigestAlgorithm.sha256.fetched.pointer, key.baseAddress,
                        Int32(clamping: key.count), message.baseAddress, message.count,
                        buffer.baseAddress, &written)
                }
            }
            unsafe precondition(done != nil && written == 32, "libcrypto could not authenticate")
            count = 32
        }
    }

    /// Whether the code belongs to the message; takes the same time wherever it differs.
    public static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
        constantTimeEquals(code, authenticationCode(for: message, key: key))
    }
}

/// Whether both are the same bytes, in a time that depends on their lengths alone.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe left.isEmpty
                || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// So many bytes that nobody can guess.
///
/// Ends the process when the system has no randomness to give: to go on would be worse.
public func secureRandomBytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= Int(Int32.max))
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let done = unsafe RAND_bytes(buffer.baseAddress, Int32(count))
        precondition(count == 0 || done == 1, "the system gives no randomness")
        initialized = count
    }
}
