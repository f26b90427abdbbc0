extension JSONValue {
    /// Appends the value as JSON (RFC 8259) on one line; the members of objects stand in the order of their names
    /// that `precedes` says, the alphabet's where nothing is given.
    ///
    /// What is no number in JSON is `null`.
    public func append(
        to bytes: inout [UInt8], namesBy precedes: (String, String) -> Bool = { $0 < $1 }
    ) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let whole): bytes.append(contentsOf: String(whole).utf8)
        case .number(let number) where number.isFinite:
            bytes.append(contentsOf: "\(number)".utf8)
        case .number: bytes.append(contentsOf: "null".utf8)
        case .string(let text): Self.append(quoted: text, to: &bytes)
        case .array(let list):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in list.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes, namesBy: precedes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let sorted = members.sorted { precedes($0.key, $1.key) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(quoted: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes, namesBy: precedes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends text as a string of JSON: in quotation marks, without control characters.
    public static func append(quoted text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20, 0x7F:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
