import CryptoPrimitives
import Testing

@Suite struct KeyTests {
    static let kinds: [KeyKind] = [.p256, .p384, .rsa(bits: 2_048)]
    let message = Array("what is signed".utf8)

    private func algorithms(of kind: KeyKind) -> [SignatureAlgorithm] {
        DigestAlgorithm.allCases.map { kind.isRSA ? .rsaPKCS1($0) : .ecdsa($0) }
    }

    @Test(arguments: kinds)
    func `a signature is valid for its message, key and digest alone`(_ kind: KeyKind) throws {
        let key = try PrivateKey.generate(kind)
        let other = try PrivateKey.generate(kind)
        for algorithm in algorithms(of: kind) {
            let signature = try key.sign(message, as: algorithm)
            #expect(key.publicKey.isValid(signature, of: message, as: algorithm))
            #expect(!other.publicKey.isValid(signature, of: message, as: algorithm))
            #expect(!key.publicKey.isValid(signature, of: message + [0], as: algorithm))
            #expect(!key.publicKey.isValid([], of: message, as: algorithm))
            for wrong in algorithms(of: kind) where wrong != algorithm {
                #expect(!key.publicKey.isValid(signature, of: message, as: wrong))
            }
            for position in signature.indices {
                var changed = signature
                changed[position] ^= 1
                #expect(!key.publicKey.isValid(changed, of: message, as: algorithm))
            }
        }
    }

    @Test(arguments: kinds)
    func `a key survives PKCS 8 in DER and in PEM, and its public half survives alone`(
        _ kind: KeyKind
    ) throws {
        let key = try PrivateKey.generate(kind)
        let algorithm = algorithms(of: kind)[1]
        let signature = try key.sign(message, as: algorithm)
        for copy in [try PrivateKey(pkcs8: key.pkcs8), try PrivateKey(pem: key.pem)] {
            #expect(copy.kind == kind)
            #expect(copy.pkcs8 == key.pkcs8)
            #expect(copy.publicKey.isValid(signature, of: message, as: algorithm))
        }
        let alone = try PublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo)
        #expect(alone.kind == kind)
        #expect(alone.isValid(signature, of: message, as: algorithm))
    }

    @Test(arguments: kinds)
    func `a key with a byte too many or too few is refused`(_ kind: KeyKind) throws {
        let key = try PrivateKey.generate(kind)
        let spki = key.publicKey.subjectPublicKeyInfo
        for bad in [key.pkcs8 + [0], Array(key.pkcs8.dropLast()), [], [0x30], spki] {
            #expect(throws: CryptoError.self) { try PrivateKey(pkcs8: bad) }
        }
        for bad in [spki + [0], Array(spki.dropLast()), [], [0x30], key.pkcs8] {
            #expect(throws: CryptoError.self) { try PublicKey(subjectPublicKeyInfo: bad) }
        }
        let cut = String(key.pem.dropFirst(40))
        for bad in ["", "-----BEGIN PRIVATE KEY-----", cut] {
            #expect(throws: CryptoError.self) { try PrivateKey(pem: bad) }
        }
    }

    @Test func `a key that is locked with a password is refused without asking for it`() throws {
        let locked = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjTZqhbIy8xkQICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBYS7dyJzvXJkb4bCJf2fDAEgZA=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        #expect(throws: CryptoError.self) { try PrivateKey(pem: locked) }
    }

    @Test func `keys of kinds that Apple does not use are refused`() throws {
        // Ed25519, RFC 8410 section 10.3.
        let ed25519: [UInt8] = [
            0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22,
            0x04,
            0x20, 0xD4, 0xEE, 0x72, 0xDB, 0xF9, 0x13, 0x58, 0x4A, 0xD5, 0xB6, 0xD8, 0xF1, 0xF7,
            0x69,
            0xF8, 0xAD, 0x3A, 0xFE, 0x7C, 0x28, 0xCB, 0xF1, 0xD4, 0xFB, 0xE0, 0x97, 0xA8, 0x8F,
            0x44,
            0x75, 0x58, 0x42,
        ]
        let error = #expect(throws: CryptoError.self) { try PrivateKey(pkcs8: ed25519) }
        #expect(error?.code == .unreadableKey)
        #expect(throws: CryptoError.self) { try PrivateKey.generate(.rsa(bits: 512)) }
    }

    @Test func `a scheme that the key cannot do is refused, not tried`() throws {
        let elliptic = try PrivateKey.generate(.p256)
        let modular = try PrivateKey.generate(.rsa(bits: 1_024))
        let error = #expect(throws: CryptoError.self) {
            try elliptic.sign(message, as: .rsaPKCS1(.sha256))
        }
        #expect(error?.code == .wrongKey)
        #expect(throws: CryptoError.self) { try modular.sign(message, as: .ecdsa(.sha256)) }
        #expect(throws: CryptoError.self) { try modular.signES256(message) }
        let signature = try modular.sign(message, as: .rsaPKCS1(.sha1))
        #expect(signature.count == 128)
        #expect(!modular.publicKey.isValid(signature, of: message, as: .ecdsa(.sha1)))
        #expect(!elliptic.publicKey.isValid(signature, of: message, as: .rsaPKCS1(.sha1)))
    }

    @Test(arguments: [0, 1, 55, 63, 64, 65, 4_000])
    func `a beginning that was hashed before makes the same signature hold, and no other`(
        _ count: Int
    ) throws {
        let key = try PrivateKey.generate(.p256)
        let prefix = [UInt8](repeating: 7, count: count)
        let hashed = HashedPrefix(prefix.span)
        for rest in [[], [1], [UInt8](repeating: 9, count: 1_500)] as [[UInt8]] {
            let signature = try key.signES256(prefix + rest)
            func holds(_ rest: [UInt8]) -> Bool {
                key.publicKey.isValidES256(signature.span, of: hashed, followedBy: rest.span)
            }
            #expect(holds(rest))
            #expect(holds(rest))
            #expect(!holds(rest + [0]))
            let other = HashedPrefix((prefix + [0]).span)
            let isBelieved = key.publicKey.isValidES256(
                signature.span, of: other, followedBy: rest.span)
            #expect(!isBelieved)
        }
    }

    @Test func `one key serves many tasks at once`() async throws {
        let key = try PrivateKey.generate(.p256)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let message = Array("message \(number)".utf8)
                    guard let signature = try? key.signES256(message) else { return false }
                    let other = Array("message \(number + 1)".utf8)
                    return (0..<10).allSatisfy { _ in
                        key.publicKey.isValidES256(signature, of: message)
                            && !key.publicKey.isValidES256(signature, of: other)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 64)
        #expect(answers.allSatisfy { $0 })
    }
}
