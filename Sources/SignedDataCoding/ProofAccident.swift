/// Rows of the table for what happens to a proof on its way by accident: printed as a program prints it,
/// copied out of a page, put through another encoding.
extension ProofForm {
    /// Text in sixteen bits, as editors and shells of Windows save it.
    static let wideText = ProofForm(name: "UTF-16", matches: { isWideText($0) }) { bytes in
        .wrapped(.utf16, [narrowed(bytes)])
    }

    /// What a program prints instead of the data itself, with its middle left out or its content altogether:
    /// `{length = 5665, bytes = 0x3082…}` and `5665 bytes`.
    static let describedData = ProofForm(
        name: "data as it is described", matches: isDescribedData
    ) { _ throws(SignedDataError) in throw SignedDataError(.describedData) }

    /// Characters that nobody sees, and typographic quotation marks.
    static let copiedText = ProofForm(
        name: "copied out of a page", matches: { withoutInvisible($0) != nil }
    ) { bytes throws(SignedDataError) in
        guard let plain = withoutInvisible(bytes), !plain.isEmpty else {
            throw SignedDataError(.empty)
        }
        return .wrapped(.copied, [plain])
    }

    /// `Optional("MII…")` of Swift, `b'MII…'` of Python.
    static let printedText = ProofForm(
        name: "text as a program prints it", matches: { printedInside($0) != nil }
    ) { bytes throws(SignedDataError) in
        guard let inside = printedInside(bytes) else { throw SignedDataError(.unrecognised) }
        return .wrapped(.printed, [inside])
    }

    /// `3082…` or `<30820f8d 06092a86 …>`, as Objective-C described data until iOS 13.
    static let hexadecimal = ProofForm(
        name: "hexadecimal", matches: { bytesInHexadecimal($0) != nil }
    ) { bytes throws(SignedDataError) in
        guard let inside = bytesInHexadecimal(bytes) else { throw SignedDataError(.unrecognised) }
        return .wrapped(.hexadecimal, [inside])
    }

    /// `receipt-data=MII…&password=…`.
    static let webForm = ProofForm(
        name: "fields of a web form", matches: { formValues($0) != nil }
    ) { bytes throws(SignedDataError) in
        guard let values = formValues(bytes) else { throw SignedDataError(.unrecognised) }
        return .wrapped(.form, values)
    }

    /// `&#43;` for `+`, `&quot;` for a quotation mark.
    static let markup = ProofForm(
        name: "text escaped for a page", matches: { withoutEntities($0) != nil }
    ) { bytes throws(SignedDataError) in
        guard let plain = withoutEntities(bytes) else { throw SignedDataError(.unrecognised) }
        return .wrapped(.markup, [plain])
    }

    /// Lines of signed values, one each.
    static let jwsLines = ProofForm(
        name: "lines of signed values", matches: { linesOfJWS($0).count > 1 }
    ) { bytes in .list(.list, linesOfJWS(bytes)) }
}

// MARK: - Text in sixteen bits

/// Every second byte of the beginning is zero, or a mark says so.
private func isWideText(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 8, bytes.count % 2 == 0 else { return false }
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) { return true }
    let head = bytes.prefix(64)
    return [0, 1].contains { zeros in
        head.enumerated().allSatisfy { ($0.offset % 2 == zeros) == ($0.element == 0) }
    }
}

/// As UTF-8, in whichever order of bytes it is.
private func narrowed(_ bytes: [UInt8]) -> [UInt8] {
    let isLittle =
        bytes.starts(with: [0xff, 0xfe]) || (!bytes.starts(with: [0xfe, 0xff]) && bytes[1] == 0)
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        units.append(isLittle ? second << 8 | first : first << 8 | second)
    }
    let marked = units.first == 0xfeff
    return Array(String(decoding: marked ? units.dropFirst() : units[...], as: UTF16.self).utf8)
}

// MARK: - As programs print it

private func isDescribedData(_ bytes: [UInt8]) -> Bool {
    if bytes[0] == UInt8(ascii: "{") {
        let head = bytes.prefix(64).filter { !isSpace($0) }
        return head.starts(with: Array("{length=".utf8))
    }
    guard bytes.count <= 24, begins(bytes.reversed(), "setyb ") else { return false }
    return bytes.dropLast(6).allSatisfy { (0x30...0x39).contains($0) }
}

private func printedInside(_ bytes: [UInt8]) -> [UInt8]? {
    if begins(bytes, "optional("), bytes.last == UInt8(ascii: ")") {
        return Array(bytes[9..<bytes.count - 1])
    }
    guard bytes.count >= 3, bytes[0] == UInt8(ascii: "b"), bytes[1] == bytes[bytes.count - 1],
        bytes[1] == UInt8(ascii: "'") || bytes[1] == UInt8(ascii: "\"")
    else { return nil }
    return Array(bytes[2..<bytes.count - 1])
}

/// The bytes that pairs of hexadecimal digits name; nothing for anything else, and for what is too short to
/// be told from base64.
private func bytesInHexadecimal(_ text: [UInt8]) -> [UInt8]? {
    var digits = text[...]
    if digits.first == UInt8(ascii: "<"), digits.last == UInt8(ascii: ">") {
        digits = digits.dropFirst().dropLast()
    }
    if digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58]) {
        digits = digits.dropFirst(2)
    }
    guard digits.count >= 64 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits where !isSpace(digit) {
        guard let value = Hexadecimal.value(digit) else { return nil }
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return high == nil ? bytes : nil
}

// MARK: - Copied

/// Spaces that are none in ASCII, marks of direction and order, and typographic quotation marks.
private let invisible: [[UInt8]] = [
    [0xc2, 0xa0], [0xc2, 0xad], [0xc2, 0xab], [0xc2, 0xbb], [0xe3, 0x80, 0x80], [0xef, 0xbb, 0xbf],
    [0xe2, 0x81, 0xa0], [0xe2, 0x80, 0xa8], [0xe2, 0x80, 0xa9], [0xe2, 0x80, 0xaf],
]

/// The text without such characters; nothing where there is none.
private func withoutInvisible(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        let rest = bytes[index...]
        if let mark = invisible.first(where: { rest.starts(with: $0) }) {
            index += mark.count
        } else if rest.count >= 3, rest[index] == 0xe2, rest[index + 1] == 0x80,
            (0x80...0x8f).contains(rest[index + 2]) || (0x98...0x9f).contains(rest[index + 2])
        {
            index += 3
        } else {
            plain.append(bytes[index])
            index += 1
        }
    }
    return plain.count < bytes.count ? plain : nil
}

private struct Entity {
    let name: [UInt8]
    let character: UInt8

    init(_ name: String, _ character: Unicode.Scalar) {
        self.name = Array("&\(name);".utf8)
        self.character = UInt8(ascii: character)
    }
}

private let entities = [
    Entity("amp", "&"), Entity("quot", "\""), Entity("apos", "'"), Entity("plus", "+"),
    Entity("sol", "/"), Entity("equals", "="),
]

/// The text with characters in place of their names and numbers; nothing where there are none.
private func withoutEntities(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 8, bytes.contains(UInt8(ascii: "&")) else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        guard bytes[index] == UInt8(ascii: "&") else {
            plain.append(bytes[index])
            index += 1
            continue
        }
        let rest = bytes[index...].prefix(10)
        if let entity = entities.first(where: { rest.starts(with: $0.name) }) {
            plain.append(entity.character)
            index += entity.name.count
        } else if let end = rest.firstIndex(of: UInt8(ascii: ";")),
            let character = numbered(rest[index + 1..<end])
        {
            plain.append(character)
            index = end + 1
        } else {
            return nil
        }
    }
    return plain
}

/// The ASCII character of `#43` or `#x2B`.
private func numbered(_ text: ArraySlice<UInt8>) -> UInt8? {
    guard text.first == UInt8(ascii: "#") else { return nil }
    let digits = String(decoding: text.dropFirst(), as: UTF8.self).lowercased()
    let number =
        digits.hasPrefix("x") ? UInt8(digits.dropFirst(), radix: 16) : UInt8(digits, radix: 10)
    return number.flatMap { $0 < 0x80 ? $0 : nil }
}

// MARK: - Forms and lines

/// The values of the fields in which clients put proofs, as they stand: percent encoding is undone next.
private func formValues(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard let sign = bytes.prefix(64).firstIndex(of: UInt8(ascii: "=")),
        bytes[..<sign].allSatisfy({ isBase64Digit($0) || $0 == UInt8(ascii: "%") })
    else { return nil }
    var values: [String: [UInt8]] = [:]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
        guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = String(decoding: pair[..<sign], as: UTF8.self)
        if values[name] == nil { values[name] = Array(pair[(sign + 1)...]) }
    }
    let found = proofFields.compactMap { values[$0] }.filter { !$0.isEmpty }
    return found.isEmpty ? nil : found
}

private func linesOfJWS(_ bytes: [UInt8]) -> [[UInt8]] {
    let lines = bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d })
    let dot = UInt8(ascii: ".")
    guard
        lines.allSatisfy({ line in
            line.starts(with: Array("ey".utf8)) && line.count(where: { $0 == dot }) == 2
        })
    else { return [] }
    return lines.map { Array($0) }
}
