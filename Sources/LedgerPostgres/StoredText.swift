import PostgresDriver

/// Texts as PostgreSQL can hold them.
///
/// It has no text with a NUL in it, though Apple's ids may bring one. U+0001 leads an escape: `0` behind it
/// stands for NUL, `1` for itself. Everything else is stored as it is.
enum StoredText {
    static func stored(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 2 }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte < 2 {
                bytes += [1, UInt8(ascii: "0") + byte]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func read(_ text: String) -> String {
        guard text.utf8.contains(1) else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "0") ? 0 : 1)
                isEscaped = false
            } else if byte == 1 {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PostgresValue {
    /// Any text.
    static func word(_ text: String?) -> PostgresValue { .text(text.map(StoredText.stored)) }

    /// Any texts.
    static func words(_ texts: [String]) -> PostgresValue { .texts(texts.map(StoredText.stored)) }
}
