/// The fields in which clients put proofs, in the order in which they are looked for.
let proofFields: [String] = [
    "signedTransactionInfo", "jwsRepresentation", "signedPayload", "signedTransaction",
    "signedRenewalInfo", "signedAppTransactionInfo", "jws", "signedTransactions",
    "receipt-data", "receiptData", "receipt_data", "receipt", "appReceipt", "app_receipt",
    "transactionReceipt", "transaction_receipt", "verificationResultIOS", "purchaseToken",
    "serverVerificationData", "localVerificationData", "latest_receipt", "latestReceipt",
    "unified_receipt", "proof", "proofs", "data", "Payload", "payload", "token", "transactions",
]

/// Opens a JSON object by the first field that can hold a proof.
func openObject(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    let json = try JSONText(reading: bytes)
    guard case .object(let members) = json else { throw SignedDataError(.malformedJSON) }
    // The first member of a name counts, as for the decoders that read the rest of a body.
    var found: [[UInt8]] = []
    for field in proofFields {
        guard let value = members.first(where: { $0.name == field })?.value else { continue }
        if let inside = proofText(value) { found.append(inside) }
    }
    if let whole = compactForm(json) { found.insert(whole, at: 0) }
    if let inside = numberedBytes(members) { found.append(inside) }
    // A wrapper that nobody has told of: whatever in it looks like a proof is tried.
    if found.isEmpty || !found.contains(where: looksLikeProof) {
        found += proofTexts(in: json).filter { !found.contains($0) }
    }
    guard found.isEmpty else { return .wrapped(.json, found) }
    throw SignedDataError(codeWithoutProof(json))
}

/// A JWS in its JSON form (RFC 7515 section 7.2), put together as a compact one.
private func compactForm(_ json: JSONText) -> [UInt8]? {
    guard let payload = json["payload"]?.string else { return nil }
    var signed = json
    if case .array(let signatures) = json["signatures"], signatures.count == 1 {
        signed = signatures[0]
    }
    guard let header = signed["protected"]?.string, let signature = signed["signature"]?.string
    else { return nil }
    return Array("\(header).\(payload).\(signature)".utf8)
}

/// Bytes that JavaScript wrote as an object: `{"0": 48, "1": 130, …}`.
private func numberedBytes(_ members: [JSONText.Member]) -> [UInt8]? {
    guard members.first?.name == "0",
        members.enumerated().allSatisfy({ $0.element.name == String($0.offset) })
    else { return nil }
    return byteArray(members.map(\.value))
}

/// How many texts of a wrapper that nobody has told of are tried, where one of them will do.
private let mostAlternatives = 16

/// The texts anywhere inside that look like a proof: one or the other, or, out of lists, all of them.
private func proofTexts(in json: JSONText) -> [[UInt8]] {
    let found = proofs(in: json)
    if found.areSeveral { return [JSONText.array(found.texts).encoded] }
    return found.texts.prefix(mostAlternatives).compactMap { $0.string.map { Array($0.utf8) } }
}

private func proofs(in value: JSONText) -> (texts: [JSONText], areSeveral: Bool) {
    switch value {
    case .string(let text): return (looksLikeProof(Array(text.utf8)) ? [value] : [], false)
    case .object(let members):
        let parts = members.map { proofs(in: $0.value) }
        let lists = parts.filter(\.areSeveral)
        guard lists.isEmpty else { return (lists.flatMap(\.texts), true) }
        return (parts.flatMap(\.texts), false)
    case .array(let list):
        let parts = list.map { proofs(in: $0) }
        let texts = parts.flatMap { $0.areSeveral ? $0.texts[...] : $0.texts.prefix(1) }
        return (texts, texts.count > 1)
    case .null, .bool, .number: return ([], false)
    }
}

/// Whether a text may be a signed value, or base64 of a receipt, by its beginning and its length.
private func looksLikeProof(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: Array("ey".utf8)) {
        return bytes.count(where: { $0 == UInt8(ascii: ".") }) == 2
    }
    // Sequences of DER begin with "MI" or "M" and more; iOS 6 receipts are braces, which are "ew".
    return bytes.count >= 128
        && (bytes[0] == UInt8(ascii: "M") || bytes.starts(with: Array("ew".utf8)))
}

/// Opens a JSON list: each member is a proof of its own.
func openList(_ bytes: [UInt8]) throws(SignedDataError) -> ProofForm.Outcome {
    guard case .array(let members) = try JSONText(reading: bytes) else {
        throw SignedDataError(.malformedJSON)
    }
    if case .number = members.first {
        guard let inside = byteArray(members) else { throw SignedDataError(.jsonWithoutProof) }
        return .wrapped(.list, [inside])
    }
    guard !members.isEmpty else { throw SignedDataError(.empty) }
    guard members.count <= ClientProof.maximumProofs else { throw SignedDataError(.tooMany) }
    var texts: [[UInt8]] = []
    for member in members {
        guard let text = proofText(member) else { throw SignedDataError(.jsonWithoutProof) }
        texts.append(text)
    }
    return .list(.list, texts)
}

/// What may hold a proof: text, a list of such or of bytes, or an object that is opened in turn.
private func proofText(_ value: JSONText) -> [UInt8]? {
    switch value {
    case .string(let text): return Array(text.utf8)
    case .object(let members): return members.isEmpty ? nil : value.encoded
    case .array(let list):
        if list.isEmpty { return nil }
        if case .number = list[0] { return byteArray(list) }
        return value.encoded
    case .null, .bool, .number: return nil
    }
}

/// Bytes that JavaScript or Dart wrote as a list of numbers.
private func byteArray(_ list: [JSONText]) -> [UInt8]? {
    var bytes: [UInt8] = []
    for element in list {
        guard case .number(let text) = element, let number = Int(text),
            (-128...255).contains(number)
        else { return nil }
        bytes.append(UInt8(truncatingIfNeeded: number))
    }
    return bytes
}

/// Says what a JSON object without a proof is.
private func codeWithoutProof(_ json: JSONText) -> SignedDataError.Code {
    if json["transactionId"] != nil, json["bundleId"] != nil || json["productId"] != nil {
        return .unsignedPayload
    }
    if json["notificationType"] != nil || json["notificationUUID"] != nil {
        return .unsignedPayload
    }
    if json["status"] != nil || json["receipt_type"] != nil || json["in_app"] != nil
        || json["latest_receipt_info"] != nil
    {
        return .verifyReceiptAnswer
    }
    return .jsonWithoutProof
}

extension JSONText {
    /// The value as JSON again.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += Array("null".utf8)
        case .bool(let flag): bytes += Array((flag ? "true" : "false").utf8)
        case .number(let text): bytes += Array(text.utf8)
        case .string(let text): Self.append(text, to: &bytes)
        case .array(let list):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in list.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8)
                bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
