internal import COpenSSL

/// A hash function that Apple uses somewhere.
public enum DigestAlgorithm: Int, Sendable, Hashable, CaseIterable {
    /// SHA-1: receipts until 2023, the device hash, iOS 6 receipts.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384: certificates under Root CA G3.
    case sha384

    /// Bytes in a digest.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        }
    }

    /// The digest of the bytes.
    public func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    /// The digest of the bytes.
    public func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            unsafe hash(bytes, into: buffer)
            count = byteCount
        }
    }

    /// Writes the digest to the front of `buffer`, which holds `byteCount` bytes at least.
    func hash(_ bytes: Span<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        precondition(buffer.count >= byteCount)
        let done = unsafe bytes.withUnsafeBytes {
            unsafe EVP_Digest(
                $0.baseAddress, $0.count, buffer.baseAddress, nil, fetched.pointer, nil)
        }
        precondition(done == 1, "libcrypto could not hash")
    }

    /// Looked up in the provider once: every implicit fetch costs as much as hashing 32 bytes.
    var fetched: FetchedDigest {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        }
    }
}

/// libcrypto's method for a digest, kept for the life of the process.
///
/// Sendable because an `EVP_MD` never changes once fetched and counts its references atomically.
@safe struct FetchedDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    static let sha1 = FetchedDigest("SHA1")
    static let sha256 = FetchedDigest("SHA256")
    static let sha384 = FetchedDigest("SHA384")

    private init(_ name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            fatalError("libcrypto has no \(name)")
        }
        unsafe self.pointer = pointer
    }
}

/// SHA-1, for what Apple signed with it and for nothing new.
public enum SHA1 {
    /// The 20 bytes of the digest.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha1.hash(bytes) }
}

/// SHA-256.
public enum SHA256 {
    /// The 32 bytes of the digest.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha256.hash(bytes) }
    /// The 32 bytes of the digest.
    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] { DigestAlgorithm.sha256.hash(bytes) }
}

/// SHA-384.
public enum SHA384 {
    /// The 48 bytes of the digest.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha384.hash(bytes) }
}
