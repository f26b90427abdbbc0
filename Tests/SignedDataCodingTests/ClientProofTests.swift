import SignedDataCoding
import Testing

/// A receipt in the right shape, signed by nobody.
private let receipt = SignedReceipt.encode(
    content: ReceiptAttribute.encodeList([
        // Bytes that become both "+" and "/" in base64.
        ReceiptAttribute(type: 6, value: [0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff, 0xfb, 0xef, 0xbe])
    ]),
    certificates: [[0x30, 0]], digestAlgorithm: .sha256,
    signer: .init(
        issuer: [0x30, 0], serialNumber: [1], digestAlgorithm: .sha256,
        signatureAlgorithm: .rsaEncryption, signature: [1, 2, 3]))
private let base64 = Base64.encode(receipt)
private let jws = CompactJWS(
    header: Array(#"{"alg":"ES256"}"#.utf8), payload: Array("{}".utf8), signature: [1, 2, 3]
).text
private let parts = jws.split(separator: ".").map { String($0) }

/// The parts as an encoder for standard base64 writes them.
private func padded(_ jws: String) -> String {
    jws.split(separator: ".").map { part in
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }.joined(separator: ".")
}

private let legacy = LegacyTransactionReceipt.encode(
    purchaseInfo: Array("{a = b;}".utf8), signature: [UInt8](repeating: 1, count: 128),
    certificate: [0x30, 0], environment: nil)

private func lines(_ text: String, _ end: String) -> String {
    stride(from: 0, to: text.utf8.count, by: 64).map { start in
        String(text.dropFirst(start).prefix(64))
    }.joined(separator: end)
}

private func percentEncoded(_ text: String) -> String {
    text.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
}

private let hexadecimal = receipt.map { byte in
    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
}.joined()

/// Groups of eight digits.
private func words(_ text: String) -> String {
    stride(from: 0, to: text.utf8.count, by: 8).map { start in
        String(text.dropFirst(start).prefix(8))
    }.joined(separator: " ")
}

/// Encoded so many bytes at a time, none of them a multiple of three.
private func pieces(base64Pieces size: Int) -> String {
    stride(from: 0, to: receipt.count, by: size + 1).map { start in
        Base64.encode(receipt[start..<min(start + size + 1, receipt.count)])
    }.joined()
}

/// What JavaScript makes of a byte array: an object with a number for each name.
private func numbered(_ bytes: [UInt8]) -> String {
    "{\(bytes.enumerated().map { "\"\($0.offset)\":\($0.element)" }.joined(separator: ","))}"
}

private let url = Base64.encode(receipt, .url)

struct `Whatever a client sent` {
    private static let receipts: [(String, String)] = [
        ("base64", base64),
        ("base64 with white space around", "\n  \(base64)\r\n"),
        ("base64 with a byte order mark", "\u{feff}\(base64)"),
        ("base64 with the NUL of C", "\(base64)\0"),
        ("base64url", url),
        ("base64 without padding", base64.replacing("=", with: "")),
        ("lines ended by LF", lines(base64, "\n")),
        ("lines ended by CRLF", lines(base64, "\r\n")),
        ("lines ended by spelled LF", lines(base64, #"\n"#)),
        ("lines ended by spelled CRLF", lines(base64, #"\r\n"#)),
        ("lines of a web form", lines(base64, "%0D%0A")),
        ("spaces between", lines(base64, "\t ")),
        ("plus turned into space", base64.replacing("+", with: " ")),
        ("slashes escaped", base64.replacing("/", with: #"\/"#)),
        ("percent encoding", percentEncoded(base64)),
        ("percent encoding twice", percentEncoded(base64).replacing("%", with: "%25")),
        ("a data address", "data:application/octet-stream;base64,\(base64)"),
        ("double quotes", "\"\(base64)\""),
        ("single quotes", "'\(base64)'"),
        ("quoted twice", "\"\\\"\(base64)\\\"\""),
        ("base64 twice", Base64.encode(Array(base64.utf8))),
        ("base64 three times", Base64.encode(Array(Base64.encode(Array(base64.utf8)).utf8))),
        ("PEM", "-----BEGIN PKCS7-----\n\(lines(base64, "\n"))\n-----END PKCS7-----\n"),
        ("verifyReceipt's request", #"{"receipt-data":"\#(base64)","password":"x"}"#),
        ("a body in base64", Base64.encode(Array(#"{"receipt-data":"\#(base64)"}"#.utf8))),
        ("receipt", #"{"receipt":"\#(base64)"}"#),
        ("transactionReceipt", #"{"productId":"a","transactionReceipt":"\#(base64)"}"#),
        ("escaped slashes in JSON", #"{"receipt":"\#(base64.replacing("/", with: #"\/"#))"}"#),
        (
            "verifyReceipt's answer",
            #"{"status":0,"receipt":{"in_app":[]},"latest_receipt":"\#(base64)"}"#
        ),
        ("a V1 notification", #"{"unified_receipt":{"latest_receipt":"\#(base64)"}}"#),
        ("Unity", #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"\#(base64)"}"#),
        ("a list of one", #"["\#(base64)"]"#),
        ("JSON in a string", "\"{\\\"receipt\\\":\\\"\(base64)\\\"}\""),
        ("plus and equals escaped", base64.replacing("+", with: #"\u002b"#)),
        ("more padding than needed", base64.replacing("=", with: "") + "==="),
        ("pieces with padding each", pieces(base64Pieces: 99)),
        ("PEM in one line", "-----BEGIN PKCS7-----\(base64)-----END PKCS7-----"),
        ("hexadecimal", hexadecimal), ("hexadecimal in capitals", hexadecimal.uppercased()),
        ("hexadecimal with its mark", "0x\(hexadecimal)"),
        ("the description of data in Objective-C", "<\(words(hexadecimal))>"),
        ("an optional of Swift", "Optional(\"\(base64)\")"), ("bytes of Python", "b'\(base64)'"),
        ("typographic quotation marks", "\u{201c}\(base64)\u{201d}"),
        ("spaces that do not break", "\u{a0}\(base64)\u{a0}"),
        ("a space of no width", "\(base64.prefix(70))\u{200b}\(base64.dropFirst(70))"),
        ("markup", base64.replacing("+", with: "&#43;").replacing("/", with: "&#x2F;")),
        ("a web form", "password=x&receipt-data=\(percentEncoded(base64))"),
        ("a web form that forgot to escape", "receipt=\(base64)"),
        ("bytes by their numbers", numbered(receipt)),
        ("an unknown field", #"{"id":"1","appStoreReceipt":"\#(base64)"}"#),
        ("unknown fields inside", #"{"a":{"b":[{"c":1},{"c":"\#(base64)"}]}}"#),
        ("a list of numbers", "[\(receipt.map { String($0) }.joined(separator: ", "))]"),
        (
            "a list of signed numbers",
            #"{"data":[\#(receipt.map { String(Int8(bitPattern: $0)) }.joined(separator: ","))]}"#
        ),
    ]

    @Test(arguments: receipts)
    func `an app receipt is found in`(_ form: String, _ text: String) throws {
        guard case .receipt(let found) = try ClientProof(decoding: text).content else {
            Issue.record("\(form) is something else")
            return
        }
        #expect(found.bytes == receipt)
    }

    @Test func `an app receipt is found in its own bytes`() throws {
        let proof = try ClientProof(decoding: receipt)
        #expect(proof.content == .receipt(try SignedReceipt(decoding: receipt)))
        #expect(proof.wrappings == [])
    }

    @Test(arguments: [
        ("bare", jws), ("quoted", "\"\(jws)\""), ("with white space", " \(jws)\n"),
        ("in lines", lines(jws, "\r\n")), ("as a bearer token", "Bearer \(jws)"),
        ("as a bearer token in small letters", "bearer \(jws)"),
        ("in base64", Base64.encode(Array(jws.utf8))),
        ("signedPayload", #"{"signedPayload":"\#(jws)"}"#),
        ("signedTransactionInfo", #"{"signedTransactionInfo":"\#(jws)"}"#),
        ("jwsRepresentation", #"{"jwsRepresentation":"\#(jws)","productId":"a"}"#),
        ("a notification's data", #"{"data":{"signedTransactionInfo":"\#(jws)"}}"#),
        ("in the other alphabet, with padding", padded(jws)),
        ("as an optional of Swift", "Optional(\"\(jws)\")"),
        ("a web form", "signedPayload=\(jws)"),
        (
            "its JSON form",
            #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
        ),
        (
            "its general JSON form",
            #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
        ),
        (
            "Flutter",
            #"{"verificationData":{"localVerificationData":"{}","serverVerificationData":"\#(jws)"}}"#
        ),
        ("purchaseToken", #"{"purchaseToken":"\#(jws)","transactionId":"1","productId":"a"}"#),
    ])
    func `a signed value is found`(_ form: String, _ text: String) throws {
        #expect(
            try ClientProof(decoding: text).content
                == .signedValue(try CompactJWS(decoding: jws)), "\(form)")
    }

    @Test(arguments: [
        ("raw", legacy), ("in base64", Array(Base64.encode(legacy).utf8)),
        ("with white space", [10] + legacy + [10]),
        ("in JSON", Array(#"{"receipt-data":"\#(Base64.encode(legacy))"}"#.utf8)),
    ])
    func `a receipt of iOS 6 is found`(_ form: String, _ bytes: [UInt8]) throws {
        #expect(
            try ClientProof(decoding: bytes).content
                == .legacyReceipt(try LegacyTransactionReceipt(decoding: legacy)), "\(form)")
    }

    private static let refused: [(String, SignedDataError.Code)] = [
        ("", .empty), ("  \r\n", .empty), ("\"\"", .empty), ("{}", .empty), ("[]", .empty),
        ("null", .nullText), ("(null)", .nullText), ("nil", .nullText), ("undefined", .nullText),
        ("None", .nullText), ("[object Object]", .nullText), ("\"null\"", .nullText),
        (#"{"receipt":"null"}"#, .nullText),
        ("<!DOCTYPE html><html></html>", .htmlPage), ("<html><body>502</body></html>", .htmlPage),
        ("\n<HTML>", .htmlPage), ("<?xml version=\"1.0\"?><plist/>", .xmlDocument),
        ("file:///var/mobile/StoreKit/receipt", .receiptPath),
        ("/private/var/mobile/Containers/Data/StoreKit/sandboxReceipt", .receiptPath),
        ("2000000123456789", .transactionIDAlone), ("0", .transactionIDAlone),
        (#"{"transactionId":"1","bundleId":"a","productId":"b"}"#, .unsignedPayload),
        (#"{"notificationType":"TEST","notificationUUID":"a"}"#, .unsignedPayload),
        (#"{"status":21003}"#, .verifyReceiptAnswer),
        (
            #"{"status":0,"receipt":{"bundle_id":"a","in_app":[{"product_id":"b"}]}}"#,
            .verifyReceiptAnswer
        ),
        (#"{"hello":"world"}"#, .jsonWithoutProof), (#"{"receipt":null}"#, .jsonWithoutProof),
        (#"{"receipt":17}"#, .jsonWithoutProof), ("[true]", .jsonWithoutProof),
        ("[1,2,300]", .jsonWithoutProof), (#"{"0":1,"1":300}"#, .jsonWithoutProof),
        ("{length = 5665, bytes = 0x30820f8d 06092a86 ... 1f2e3d4c }", .describedData),
        ("5665 bytes", .describedData), ("Optional(nil)", .nullText),
        ("receipt=", .unrecognised), ("password=\(base64)", .unrecognised),
        ("\(hexadecimal)0", .truncatedBase64), ("\u{a0}", .empty),
        (#"{"receipt-data":"MII"#, .malformedJSON), ("[\"a\"", .malformedJSON),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", .notAProofButPEM),
        ("-----BEGIN PRIVATE KEY-----", .notAProofButPEM),
        (String(base64.dropLast(base64.count - 33)), .truncatedBase64),
        (String(base64.prefix(64)), .truncatedDER),
        (Base64.encode(receipt + [0]), .trailingBytes),
        (Base64.encode([0x30, 3, 2, 1, 1] + [UInt8](repeating: 0, count: 4)), .trailingBytes),
        (Base64.encode([0x30, 5, 2, 3, 1, 2, 3]), .notSignedData),
        (String(base64.prefix(80)) + "!" + base64.dropFirst(80), .malformedBase64),
        ("eyJhbGciOiJFUzI1NiJ9.e30", .malformedJWS), ("ey.a.b", .malformedJWS),
        ("hello, world", .unrecognised), ("helloworldhelloworld", .unrecognised),
        ("{ \"a\" = \"b\"; }", .malformedLegacyReceipt),
        (String(repeating: "[", count: 100), .tooDeep),
    ]

    @Test(arguments: refused)
    func `what is no proof is refused by its own code`(
        _ text: String, _ expected: SignedDataError.Code
    ) {
        do {
            let proof = try ClientProof(decoding: text)
            Issue.record("\(text) was taken as \(proof.wrappings)")
        } catch { #expect(error.code == expected, "\(text.prefix(100))") }
    }

    @Test func `random bytes are refused`() {
        #expect(throws: SignedDataError(.unrecognised)) {
            try ClientProof(decoding: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        }
    }

    @Test func `several proofs in a list are found in their order`() throws {
        let text = #"{"signedTransactions":["\#(jws)","\#(base64)"]}"#
        let proofs = try ClientProof.decodeAll(Array(text.utf8))
        #expect(
            proofs.map(\.content) == [
                .signedValue(try CompactJWS(decoding: jws)),
                .receipt(try SignedReceipt(decoding: receipt)),
            ])
        #expect(proofs[0].wrappings == [.json, .list])
        #expect(throws: SignedDataError(.tooMany)) { try ClientProof(decoding: text) }
    }

    @Test(arguments: [true, false], [true, false])
    func `text in sixteen bits is read`(isLittle: Bool, hasMark: Bool) throws {
        let units = (hasMark ? [0xfeff] : []) + Array(base64.utf16)
        let bytes = units.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isLittle ? pair.reversed() : pair
        }
        let proof = try ClientProof(decoding: bytes)
        #expect(proof.content == .receipt(try SignedReceipt(decoding: receipt)))
        #expect(proof.wrappings == [.utf16, .base64])
    }

    @Test(
        arguments: [
            ("a line feed", "\n"), ("CRLF", "\r\n"), ("a space", " "),
            ("a zero-width space", "\u{200b}"), ("a soft hyphen", "\u{ad}"), ("padding", "="),
        ])
    func `what happened to the header of a signed value alone is undone`(
        _ name: String, _ accident: String
    ) throws {
        let marred = parts[0].prefix(12) + accident + jws.dropFirst(12)
        let proof = try ClientProof(decoding: String(marred))
        #expect(proof.content == .signedValue(try CompactJWS(decoding: jws)))
    }

    @Test func `a header in the other alphabet is read where the rest is the same`() throws {
        let header = Array(#"{"alg":"ES256","kid":"???>>>~~~"}"#.utf8)
        let plain = CompactJWS(header: header, payload: Array("{}".utf8), signature: [1, 2, 3])
        let other = plain.text.replacing("-", with: "+").replacing("_", with: "/")
        #expect(other != plain.text)
        #expect(try ClientProof(decoding: other).content == .signedValue(plain))
    }

    @Test func `lines of signed values, and the lists of an unknown wrapper, are several proofs`()
        throws
    {
        #expect(try ClientProof.decodeAll(Array("\(jws)\n\(jws)\r\n".utf8)).count == 2)
        let answer =
            #"{"data":[{"x":[{"signedTransactionInfo":"\#(jws)"},{"signedTransactionInfo":"\#(jws)"}]}]}"#
        let proofs = try ClientProof.decodeAll(Array(answer.utf8))
        #expect(
            proofs.map(\.content)
                == Array(repeating: .signedValue(try CompactJWS(decoding: jws)), count: 2))
    }

    @Test func `wrappings and proofs have limits`() {
        var text = base64
        for _ in 0..<8 { text = Base64.encode(Array(text.utf8)) }
        #expect(throws: SignedDataError(.tooDeep)) { try ClientProof(decoding: text) }
        let many = Array(repeating: "\"\(jws)\"", count: 1_001).joined(separator: ",")
        #expect(throws: SignedDataError(.tooMany)) {
            try ClientProof.decodeAll(Array("[\(many)]".utf8))
        }
        #expect(throws: SignedDataError(.tooLarge)) {
            try ClientProof(
                decoding: [UInt8](repeating: 0x41, count: ClientProof.maximumBytes + 1))
        }
    }

    @Test func `every code has a sentence of its own`() {
        let sentences = SignedDataError.Code.allCases.map(\.sentence)
        #expect(Set(sentences).count == sentences.count)
        for sentence in sentences { #expect(sentence.hasSuffix(".")) }
    }
}
