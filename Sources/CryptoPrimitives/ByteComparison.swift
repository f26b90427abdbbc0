#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Whether both are the same bytes, as fast as the machine compares memory.
///
/// The time it takes tells where they differ, so this is for what is public: certificates, headers.
public func areSameBytes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            guard let start = left.baseAddress, let other = right.baseAddress else { return true }
            return unsafe memcmp(start, other, left.count) == 0
        }
    }
}
