internal import COpenSSL

/// Runs one of libcrypto's `d2i` functions over the bytes.
///
/// Those read a value from the front and say where it ended; whether that was the end of the bytes
/// is told here, because nothing may follow what is trusted.
func read<Pointer>(
    _ der: [UInt8],
    _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Pointer?
) -> (value: Pointer, isWhole: Bool)? {
    unsafe der.withUnsafeBufferPointer { bytes in
        var next = bytes.baseAddress
        guard let value = unsafe decode(&next, bytes.count) else { return nil }
        guard let start = bytes.baseAddress, let next = unsafe next else { return nil }
        return unsafe (value, next - start == bytes.count)
    }
}

/// Runs one of libcrypto's `i2d` functions twice: for the length, then for the bytes.
func derBytes(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) -> [UInt8]? {
    let count = Int(encode(nil))
    guard count > 0 else {
        ERR_clear_error()
        return nil
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        var next = buffer.baseAddress
        initialized = unsafe max(0, Int(encode(&next)))
    }
}
