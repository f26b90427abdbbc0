/// One row of the table of what clients send: how it is known, and how it is opened.
struct ProofForm: Sendable {
    enum Outcome {
        /// The proof itself.
        case proof(ClientProof.Content)
        /// Something inside, in one or more possible readings, the likeliest first.
        case wrapped(ClientProof.Wrapping, [[UInt8]])
        /// Several things inside.
        case list(ClientProof.Wrapping, [[UInt8]])
    }

    /// For readers of the table alone.
    let name: StaticString
    let matches: @Sendable ([UInt8]) -> Bool
    let open: @Sendable ([UInt8]) throws(SignedDataError) -> Outcome

    /// A form that is no proof.
    private static func refused(
        _ name: StaticString, _ code: SignedDataError.Code,
        _ matches: @escaping @Sendable ([UInt8]) -> Bool
    ) -> ProofForm {
        ProofForm(name: name, matches: matches) { _ throws(SignedDataError) in
            throw SignedDataError(code)
        }
    }

    /// The first row that matches decides, so the order is part of the table.
    static let table: [ProofForm] = [
        ProofForm(name: "app receipt", matches: { $0[0] == DERTag.sequence && !isText($0) }) {
            bytes throws(SignedDataError) in
            .proof(.receipt(try SignedReceipt(decoding: bytes)))
        },
        wideText,
        refused("bytes that are no text", .unrecognised) { !isText($0) },
        ProofForm(name: "space around", matches: hasSpaceAround) { bytes throws(SignedDataError) in
            let trimmed = Array(trim(bytes))
            guard !trimmed.isEmpty else { throw SignedDataError(.empty) }
            return .wrapped(.space, [trimmed])
        },
        refused("nothing, as a word", .nullText) { nullWords.contains(lowercased($0)) },
        refused("empty JSON", .empty) { emptyTexts.contains(String(decoding: $0, as: UTF8.self)) },
        describedData,
        ProofForm(name: "iOS 6 receipt", matches: isPropertyList) { bytes throws(SignedDataError) in
            .proof(.legacyReceipt(try LegacyTransactionReceipt(decoding: bytes)))
        },
        ProofForm(name: "JSON object", matches: { $0[0] == UInt8(ascii: "{") }, open: openObject),
        ProofForm(name: "JSON list", matches: { $0[0] == UInt8(ascii: "[") }, open: openList),
        copiedText,
        ProofForm(name: "quoted", matches: isQuoted, open: openQuotes),
        printedText,
        hexadecimal,
        refused("web page", .htmlPage) { begins($0, "<!doctype") || begins($0, "<html") },
        refused("XML", .xmlDocument) { $0[0] == UInt8(ascii: "<") },
        ProofForm(name: "PEM", matches: { begins($0, "-----begin") }, open: openPEM),
        ProofForm(name: "bearer token", matches: { begins($0, "bearer ") }) { bytes in
            .wrapped(.bearer, [Array(bytes.dropFirst(7))])
        },
        ProofForm(name: "data address", matches: { begins($0, "data:") }, open: openDataURL),
        refused("path of a receipt", .receiptPath) {
            begins($0, "file:") || ends($0, "/receipt") || ends($0, "/sandboxreceipt")
        },
        refused("a transaction's number", .transactionIDAlone) {
            $0.count <= 20 && $0.allSatisfy { (0x30...0x39).contains($0) }
        },
        jwsLines,
        ProofForm(name: "JWS", matches: isJWS) { bytes throws(SignedDataError) in
            .proof(.signedValue(try openJWS(bytes.filter { !isSpace($0) })))
        },
        markup,
        webForm,
        ProofForm(name: "percent encoding", matches: hasPercent, open: openPercent),
        ProofForm(name: "base64", matches: isBase64, open: openBase64),
        refused("broken base64", .malformedBase64) { looksLikeBase64($0) },
    ]

    private static let nullWords: Set<String> = [
        "null", "(null)", "<null>", "nil", "undefined", "none", "nan", "[object object]",
        "optional(nil)",
        "false", "true",
    ]
    private static let emptyTexts: Set<String> = ["\"\"", "''", "[]", "{}"]
}

// MARK: - How forms are known

/// Printable ASCII, white space and UTF-8 beyond ASCII; receipts have control bytes within 20 bytes.
private func isText(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(64).allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
}

func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
}

private func hasSpaceAround(_ bytes: [UInt8]) -> Bool {
    isSpace(bytes[0]) || isSpace(bytes[bytes.count - 1]) || bytes[bytes.count - 1] == 0
        || bytes.starts(with: [0xef, 0xbb, 0xbf])
}

/// Without white space at both ends, a byte order mark, and the NUL that ends text in C.
private func trim(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var slice = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    slice = slice.drop(while: isSpace)
    while let last = slice.last, isSpace(last) || last == 0 { slice.removeLast() }
    return slice
}

private func lowercased(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(64), as: UTF8.self).lowercased()
}

func begins(_ bytes: [UInt8], _ prefix: StaticString) -> Bool {
    lowercased(Array(bytes.prefix(16))).hasPrefix("\(prefix)")
}

private func ends(_ bytes: [UInt8], _ suffix: StaticString) -> Bool {
    lowercased(Array(bytes.suffix(32))).hasSuffix("\(suffix)")
}

private func isQuoted(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 2 && bytes[0] == bytes[bytes.count - 1]
        && (bytes[0] == UInt8(ascii: "\"") || bytes[0] == UInt8(ascii: "'"))
}

/// A brace, then a name that an equals sign follows, where JSON has a colon.
private func isPropertyList(_ bytes: [UInt8]) -> Bool {
    guard bytes[0] == UInt8(ascii: "{") else { return false }
    let signs = [UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ",")]
    return bytes.prefix(256).first { signs.contains($0) } == signs[0]
}

private func isJWS(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("ey".utf8)) && bytes.contains(UInt8(ascii: "."))
}

private func hasPercent(_ bytes: [UInt8]) -> Bool {
    guard let index = bytes.firstIndex(of: UInt8(ascii: "%")), index + 2 < bytes.count else {
        return false
    }
    return Hexadecimal.value(bytes[index + 1]) != nil && Hexadecimal.value(bytes[index + 2]) != nil
}

func isBase64Digit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
}

private func isBase64(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8
        && bytes.allSatisfy { isBase64Digit($0) || isSpace($0) || $0 == UInt8(ascii: "=") }
        || lineFeedWords(bytes) != nil
}

/// Most of it is base64: enough to say so, though some characters are not.
private func looksLikeBase64(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 64 && bytes.count(where: isBase64Digit) * 20 >= bytes.count * 19
}

/// Base64 with line ends spelled `\n` or `\r\n` and with `\/` or `\u002b`, as in text that was escaped and
/// never unescaped.
private func lineFeedWords(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 64, bytes.contains(UInt8(ascii: "\\")) else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        let byte = bytes[index]
        if byte == UInt8(ascii: "\\"), index + 1 < bytes.count,
            [UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "/")].contains(bytes[index + 1])
        {
            if bytes[index + 1] == UInt8(ascii: "/") { plain.append(UInt8(ascii: "/")) }
            index += 2
            continue
        }
        if byte == UInt8(ascii: "\\"), index + 5 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "u"), bytes[index + 2] == 0x30,
            bytes[index + 3] == 0x30, let high = Hexadecimal.value(bytes[index + 4]),
            let low = Hexadecimal.value(bytes[index + 5]),
            isBase64Digit(high << 4 | low) || high << 4 | low == UInt8(ascii: "=")
        {
            plain.append(high << 4 | low)
            index += 6
            continue
        }
        guard isBase64Digit(byte) || isSpace(byte) || byte == UInt8(ascii: "=") else { return nil }
        plain.append(byte)
        index += 1
    }
    return plain
}

// MARK: - How forms are opened

private func openQuotes(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    if bytes[0] == UInt8(ascii: "\""), let json = try? JSONText(reading: bytes),
        let text = json.string
    {
        return .wrapped(.quotes, [Array(text.utf8)])
    }
    return .wrapped(.quotes, [Array(bytes[1..<bytes.count - 1])])
}

private func openPEM(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    // "-----BEGIN LABEL-----", the body up to the next dash, whether in lines or not.
    let afterDashes = bytes.drop { $0 == UInt8(ascii: "-") }
    let label = afterDashes.prefix { $0 != UInt8(ascii: "-") }
    let word = lowercased(Array(label.prefix(64)))
    guard word.contains("pkcs7") || word.contains("cms") || word.contains("receipt") else {
        throw SignedDataError(.notAProofButPEM)
    }
    let body = afterDashes[label.endIndex...].drop { $0 == UInt8(ascii: "-") }
        .prefix { $0 != UInt8(ascii: "-") }
    return .wrapped(.pem, [Array(body)])
}

/// A JWS as it is, or else one whose parts were written in the other alphabet or with padding.
private func openJWS(_ bytes: [UInt8]) throws(SignedDataError) -> CompactJWS {
    if let jws = try? CompactJWS(decoding: bytes), jws.hasPlainHeader { return jws }
    let plain = bytes.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "="): nil
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
    }
    return try CompactJWS(decoding: plain)
}

private func openDataURL(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else {
        throw SignedDataError(.malformedBase64)
    }
    return .wrapped(.dataURL, [Array(bytes[(comma + 1)...])])
}

private func openPercent(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let high = Hexadecimal.value(bytes[index + 1]),
            let low = Hexadecimal.value(bytes[index + 2])
        {
            plain.append(high << 4 | low)
            index += 3
        } else {
            plain.append(bytes[index])
            index += 1
        }
    }
    return .wrapped(.percentEncoding, [plain])
}

private func openBase64(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    let text = lineFeedWords(bytes) ?? bytes
    var candidates: [[UInt8]] = []
    // A web form turns "+" into a space, so spaces inside are read as such first.
    if text.contains(0x20) {
        let restored = text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
        if let decoded = Base64.decodeLenient(restored[...]) { candidates.append(decoded) }
    }
    if let decoded = Base64.decodeLenient(text[...]) { candidates.append(decoded) }
    if candidates.isEmpty, let decoded = decodedInPieces(text) { candidates.append(decoded) }
    guard !candidates.isEmpty else { throw SignedDataError(.truncatedBase64) }
    return .wrapped(.base64, candidates)
}

/// What was encoded piece by piece, so that there is padding in the middle.
private func decodedInPieces(_ text: [UInt8]) -> [UInt8]? {
    let pieces = text.split(separator: UInt8(ascii: "="))
    guard pieces.count > 1 else { return nil }
    var bytes: [UInt8] = []
    for piece in pieces {
        guard let decoded = Base64.decodeLenient(piece) else { return nil }
        bytes += decoded
    }
    return bytes
}
