internal import COpenSSL

/// The beginning of many messages, taken into a SHA-256 digest once.
///
/// The header of a signed transaction is two thirds of what is signed, and the same for all of them.
///
/// Sendable because the context is never changed after `init`: each use works on a copy, and to copy
/// only reads it.
@safe public final class HashedPrefix: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Hashes the beginning.
    public init(_ prefix: Span<UInt8>) {
        guard let context = unsafe EVP_MD_CTX_new() else { fatalError("no memory to hash with") }
        let isBegun = unsafe EVP_DigestInit_ex(
            context, DigestAlgorithm.sha256.fetched.pointer, nil)
        let isTaken = unsafe prefix.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(isBegun == 1 && isTaken == 1, "libcrypto could not hash")
        unsafe pointer = context
    }

    deinit { unsafe EVP_MD_CTX_free(pointer) }

    /// Lends the 32 bytes of the digest of the beginning followed by the rest.
    func withDigest<Result>(
        followedBy rest: Span<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        guard let copy = unsafe EVP_MD_CTX_new() else { fatalError("no memory to hash with") }
        defer { unsafe EVP_MD_CTX_free(copy) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
            let isCopied = unsafe EVP_MD_CTX_copy_ex(copy, pointer)
            let isTaken = unsafe rest.withUnsafeBytes {
                unsafe EVP_DigestUpdate(copy, $0.baseAddress, $0.count)
            }
            let isDone = unsafe EVP_DigestFinal_ex(copy, buffer.baseAddress, nil)
            precondition(isCopied == 1 && isTaken == 1 && isDone == 1, "libcrypto could not hash")
            return unsafe body(UnsafeBufferPointer(buffer))
        }
    }
}

extension PublicKey {
    /// Whether the 64 raw bytes r and s are the ES256 signature of the beginning and the rest.
    public func isValidES256(
        _ signature: Span<UInt8>, of prefix: HashedPrefix, followedBy rest: Span<UInt8>
    ) -> Bool {
        unsafe prefix.withDigest(followedBy: rest) {
            unsafe isValidES256(signature, ofDigest: $0)
        }
    }
}
