#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// Checks signatures with CryptoKit.
    enum SignatureCheck {
        /// Whether 64 raw bytes are the ES256 signature of a message under the P-256 key with this point.
        static func isES256(_ signature: Data, of message: Data, x: Data, y: Data) -> Bool {
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        }
    }
#else
    import CryptoPrimitives

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Checks signatures with libcrypto, where there is no CryptoKit.
    enum SignatureCheck {
        /// What stands before the point in the DER form of a P-256 key (RFC 5480).
        private static let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
            0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]

        /// Whether 64 raw bytes are the ES256 signature of a message under the P-256 key with this point.
        static func isES256(_ signature: Data, of message: Data, x: Data, y: Data) -> Bool {
            guard x.count == 32, y.count == 32,
                let key = try? PublicKey(subjectPublicKeyInfo: head + Array(x) + Array(y))
            else { return false }
            return key.isValidES256(Array(signature), of: Array(message))
        }
    }
#endif
