import SignedDataCoding

/// The parts of a token, whatever its signature is.
struct CompactJWSBytes {
    let signature: [UInt8]
    init(_ token: String) throws { signature = try CompactJWS(decoding: token).signature }
}
