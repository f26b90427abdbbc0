internal import COpenSSL

/// Lends a memory BIO that reads the bytes.
func withReadableBIO<Result>(
    _ bytes: [UInt8], _ body: (OpaquePointer) -> Result?
) -> Result? {
    guard bytes.count <= Int(Int32.max) else { return nil }
    return unsafe bytes.withUnsafeBytes { buffer -> Result? in
        guard
            let bio = unsafe BIO_new_mem_buf(
                buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
                Int32(buffer.count))
        else { return nil }
        defer { unsafe BIO_free_all(bio) }
        return unsafe body(bio)
    }
}

/// What `body` wrote into a memory BIO, or nil when it did not answer 1.
func writtenBIO(_ body: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
    defer { unsafe BIO_free_all(bio) }
    guard unsafe body(bio) >= 1 else { return nil }
    var start: UnsafeMutablePointer<CChar>?
    let count = unsafe till_bio_bytes(bio, &start)
    guard count > 0, let start = unsafe start else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
}
