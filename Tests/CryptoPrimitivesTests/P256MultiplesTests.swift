import Testing

@testable import CryptoPrimitives

/// Checks with multiples worked out ahead, against libcrypto's own.
@Suite struct P256MultiplesTests {
    /// One signature over one digest, all in hexadecimal.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let isValid: Bool
        let point: (x: String, y: String)
        let digest: String
        let signature: (r: String, s: String)

        init(
            _ name: String, isValid: Bool, point: (String, String), digest: String,
            signature: (String, String)
        ) {
            self.name = name
            self.isValid = isValid
            self.point = point
            self.digest = digest
            self.signature = signature
        }

        var testDescription: String { name }
    }

    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    private static func bytes(_ text: String) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text[...])
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func key(_ point: (x: String, y: String)) throws -> PublicKey {
        let prefix = "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
        return try PublicKey(subjectPublicKeyInfo: bytes(prefix + point.x + point.y))
    }

    private static func multiples(_ key: PublicKey) throws -> P256Multiples {
        try #require(unsafe P256Multiples(publicKey: key.handle.pointer))
    }

    private static func byMultiples(
        _ multiples: P256Multiples, _ signature: [UInt8], _ digest: [UInt8]
    ) -> Bool? {
        digest.withUnsafeBufferPointer {
            multiples.isValid(rawSignature: signature.span, ofDigest: $0)
        }
    }

    private static func byLibcrypto(
        _ key: PublicKey, _ signature: [UInt8], _ digest: [UInt8]
    ) -> Bool {
        guard let der = ECDSASignature.der(rawP256: signature.span) else { return false }
        return key.isValid(der, ofDigest: digest, as: .ecdsa(.sha256))
    }

    @Test(arguments: vectors)
    func `what is at an edge is judged rightly by both`(_ vector: Vector) throws {
        let key = try Self.key(vector.point)
        let signature = Self.bytes(vector.signature.r + vector.signature.s)
        let digest = Self.bytes(vector.digest)
        let multiples = try Self.multiples(key)
        #expect(Self.byMultiples(multiples, signature, digest) == vector.isValid)
        #expect(Self.byLibcrypto(key, signature, digest) == vector.isValid)
    }

    @Test func `signatures and every change of them are judged as libcrypto judges`() throws {
        for _ in 0..<4 {
            let key = try PrivateKey.generate(.p256)
            let multiples = try Self.multiples(key.publicKey)
            for number in 0..<4 as Range<UInt8> {
                let message = [number]
                let digest = DigestAlgorithm.sha256.hash(message)
                let signature = try key.signES256(message)
                #expect(Self.byMultiples(multiples, signature, digest) == true)
                for place in 0..<(64 * 8) {
                    var changed = signature
                    changed[place / 8] ^= 1 << UInt8(place % 8)
                    #expect(
                        Self.byMultiples(multiples, changed, digest)
                            == Self.byLibcrypto(key.publicKey, changed, digest))
                }
                var other = digest
                other[Int(number)] ^= 1
                #expect(Self.byMultiples(multiples, signature, other) == false)
            }
        }
    }

    /// An inverse that were wrong would be noticed, and the answer be none.
    @Test func `every number in range has an inverse that holds`() throws {
        let key = try PrivateKey.generate(.p256)
        let multiples = try Self.multiples(key.publicKey)
        let digest = DigestAlgorithm.sha256.hash([])
        let r = try key.signES256([]).prefix(32)
        var numbers = (0..<256).map { bit in
            var number = [UInt8](repeating: 0, count: 32)
            number[31 - bit / 8] = 1 << UInt8(bit % 8)
            return number
        }
        let order = Self.bytes(Self.order)
        for less in 1...40 as ClosedRange<UInt8> {
            var number = order
            number[31] -= less
            numbers.append(number)
        }
        for number in 0..<400 as Range<UInt16> {
            numbers.append(
                DigestAlgorithm.sha256.hash([UInt8(number >> 8), UInt8(number & 0xFF)]))
        }
        for number in numbers where number.lexicographicallyPrecedes(order) {
            #expect(Self.byMultiples(multiples, r + number, digest) == false)
            #expect(OrderScalar(bigEndian: number.span).bigEndian == number)
        }
    }

    @Test func `a key of many signatures works its multiples out, and says what it said before`()
        async throws
    {
        let key = try PrivateKey.generate(.p256).publicKey
        let signer = try PrivateKey.generate(.p256)
        let message = Array("a message".utf8)
        let signature = try signer.signES256(message)
        for _ in 0..<(KeyHandle.checksBeforeMultiples - 1) {
            #expect(signer.publicKey.isValidES256(signature, of: message))
            #expect(!key.isValidES256(signature, of: message))
        }
        #expect(signer.publicKey.handle.multiplesForCheck() == nil)
        for _ in 0..<1_000 where signer.publicKey.handle.multiplesForCheck() == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(signer.publicKey.handle.multiplesForCheck() != nil)
        #expect(signer.publicKey.isValidES256(signature, of: message))
        #expect(!signer.publicKey.isValidES256(signature, of: message + [0]))
        #expect(!signer.publicKey.isValidES256(Array(signature.dropLast()), of: message))
        #expect(!signer.publicKey.isValidES256([], of: message))
    }

    @Test(arguments: [KeyKind.p384, .rsa(bits: 2_048)])
    func `no other key has multiples`(_ kind: KeyKind) throws {
        #expect(try !PrivateKey.generate(kind).publicKey.handle.workOutMultiples())
    }

    // Made by a program that knows the curve's equations alone.
    static let vectors = [
        Vector(
            "both points are one", isValid: true,
            point: (
                "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
                "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
            ),
            digest: "be9ee19f365fee9d27ac8858a18d4f7527419062e2324938af15e7d234fa23f6",
            signature: (
                "be9ee19f365fee9d27ac8858a18d4f7527419062e2324938af15e7d234fa23f6",
                "f629306f78470d0c0b848c57e0eda21a91523f45466e12ccb29abe2fd551f811"
            )),
        Vector(
            "both points are one, another digest", isValid: false,
            point: (
                "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
                "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
            ),
            digest: "be9ee19f365fee9d27ac8858a18d4f7527419062e2324938af15e7d234fa23f7",
            signature: (
                "be9ee19f365fee9d27ac8858a18d4f7527419062e2324938af15e7d234fa23f6",
                "f629306f78470d0c0b848c57e0eda21a91523f45466e12ccb29abe2fd551f811"
            )),
        Vector(
            "the sum is the point at infinity", isValid: false,
            point: (
                "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
                "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
            ),
            digest: "41611e5fc9a01163d85377a75e72b08a95a56a4ac4e5554c44a3e2f0c769015b",
            signature: (
                "be9ee19f365fee9d27ac8858a18d4f7527419062e2324938af15e7d234fa23f6",
                "043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89"
            )),
        Vector(
            "a point whose x is past the order", isValid: true,
            point: (
                "98a2958c3cc30a6ad870032178ce6b522b6972845a9e3220233936c48521da65",
                "944891511a5e8959e54abed3eb5d277dd8eedfde7e5519dabfa82c5da78617b9"
            ),
            digest: "cef7fc13a38180936ffa2635489088778e059f07a5d1beda53f1719d35577631",
            signature: (
                "0000000000000000000000000000000000000000000000000000000000000003",
                "41242b9fae56fad4e6e77dfe33cb18d1c3fc583f988cf25ef9f2d9be0d440bbb"
            )),
        Vector(
            "the same with r one more", isValid: false,
            point: (
                "98a2958c3cc30a6ad870032178ce6b522b6972845a9e3220233936c48521da65",
                "944891511a5e8959e54abed3eb5d277dd8eedfde7e5519dabfa82c5da78617b9"
            ),
            digest: "cef7fc13a38180936ffa2635489088778e059f07a5d1beda53f1719d35577631",
            signature: (
                "0000000000000000000000000000000000000000000000000000000000000004",
                "41242b9fae56fad4e6e77dfe33cb18d1c3fc583f988cf25ef9f2d9be0d440bbb"
            )),
        Vector(
            "a digest of nothing but ones", isValid: true,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "abfedf4f5c3a2492578c338bd2d7361e99bc0361f27936f61220b191e6b725b1"
            )),
        Vector(
            "a digest of zero", isValid: true,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "0000000000000000000000000000000000000000000000000000000000000000",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "f3d792e5caf3ebbad4e65e70efac3a5ab0710b06f19f6e437f00634ca59557c5"
            )),
        Vector(
            "a digest of the order", isValid: true,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "f3d792e5caf3ebbad4e65e70efac3a5ab0710b06f19f6e437f00634ca59557c5"
            )),
        Vector(
            "an ordinary one", isValid: true,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "5d5c715c7b0b3e38899e21cc02e58bb58408f7b47bfc35f6d395b5063217647a"
            )),
        Vector(
            "its mirror", isValid: true,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "a2a38ea284f4c1c87661de33fd1a744a38de02f92b1b688e202415bcca4bc0d7"
            )),
        Vector(
            "r of zero", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "0000000000000000000000000000000000000000000000000000000000000000",
                "5d5c715c7b0b3e38899e21cc02e58bb58408f7b47bfc35f6d395b5063217647a"
            )),
        Vector(
            "s of zero", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "0000000000000000000000000000000000000000000000000000000000000000"
            )),
        Vector(
            "r of the order", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
                "5d5c715c7b0b3e38899e21cc02e58bb58408f7b47bfc35f6d395b5063217647a"
            )),
        Vector(
            "s of the order", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
            )),
        Vector(
            "r and s as great as can be", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            )),
        Vector(
            "s less one", isValid: false,
            point: (
                "f15a7f9f58279004e3af49350e2ba8660caedf529064bcf32e775bc7378f0446",
                "f8e9cee1a0c489bdcdd6a0d4fe966cf9905aa4e48b2d3cfc63f3aa78cd961a8d"
            ),
            digest: "43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ec",
            signature: (
                "3a4c5ebf3d13b430708529b408a177fc2f9107d070b8a84a46f71c93994f92dd",
                "5d5c715c7b0b3e38899e21cc02e58bb58408f7b47bfc35f6d395b50632176479"
            )),
        Vector(
            "the key of the greatest number", isValid: true,
            point: (
                "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
                "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"
            ),
            digest: "f33422b95e3b98310adedc93655de579f6e311120ea0c27c3e2317b5116d6afb",
            signature: (
                "a5d9f99501d53e7899a1b62092d08f34376f63a900b4d3cce24956c2b50ff8d3",
                "35e8bf7dcd11fc390079b6860d673de9d241e3e1d6815a867d93d91d3edd19ad"
            )),
    ]
}
