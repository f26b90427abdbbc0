import HTTPMessage

/// Request line and fields, and what they say about the body and the connection.
struct RequestHead {
    var method: HTTPMethod
    var target: String
    var fields: HTTPFields
    var isHTTP10: Bool
    var contentLength = 0
    var isChunked = false
    var keepsAlive: Bool
    var expectsContinue = false

    var hasBody: Bool { isChunked || contentLength > 0 }
}

/// Finds the end of a head as its bytes come in, and refuses at the first byte that none can have.
///
/// A line ends with CR LF and nothing else, and no other control character but tab stands anywhere
/// (RFC 9112 section 2.2 lets a server be this strict): what two readers could split differently is
/// split by nobody.
struct HeadScanner {
    private var scanned = 0
    private var lineStart = 0
    private var lines = 0
    private var previous: UInt8 = 0

    /// The number of bytes up to and with the empty line, or `nil` as long as it has not come.
    mutating func end(
        in bytes: Span<UInt8>, limits: HTTPServerLimits
    ) throws(RequestRefusal) -> Int? {
        while scanned < bytes.count {
            let byte = bytes[scanned]
            if previous == HTTPByte.cr && byte != HTTPByte.lf { throw .malformedRequest }
            switch byte {
            case HTTPByte.lf:
                guard previous == HTTPByte.cr else { throw .malformedRequest }
                let isEmpty = scanned - lineStart == 1
                if isEmpty && lines > 0 { return scanned + 1 }
                // No empty line in front either: RFC 9112 section 2.2 asks only those to skip it who want to.
                if isEmpty { throw .malformedRequest }
                lines += 1
                lineStart = scanned + 1
                // The request line is no field.
                if lines - 1 > limits.fieldCount { throw .headTooLarge }
            case HTTPByte.cr, HTTPByte.tab: break
            default: if byte < 0x20 || byte == 0x7F { throw .malformedRequest }
            }
            previous = byte
            scanned += 1
            if lines == 0 && scanned > limits.requestLineBytes { throw .uriTooLong }
            if scanned > limits.headBytes { throw .headTooLarge }
        }
        return nil
    }
}

/// The bytes that HTTP/1.1 is cut by.
enum HTTPByte {
    static let tab: UInt8 = 0x09
    static let lf: UInt8 = 0x0A
    static let cr: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A
}

extension RequestHead {
    /// Reads a head that ``HeadScanner`` let through, with its empty line.
    init(parsing bytes: Span<UInt8>) throws(RequestRefusal) {
        guard let lineEnd = bytes.firstIndex(of: HTTPByte.lf, from: 0) else {
            throw .malformedRequest
        }
        try self.init(requestLine: bytes.extracting(0..<(lineEnd - 1)))
        var hosts = 0
        var lengths = 0
        var codings = 0
        var start = lineEnd + 1
        while start < bytes.count - 2, let end = bytes.firstIndex(of: HTTPByte.lf, from: start) {
            // A line that starts with white space continues the one before (obs-fold): a token has none,
            // so neither it nor `Name :` gets past `append`.
            guard let colon = bytes.firstIndex(of: HTTPByte.colon, from: start), colon < end else {
                throw .malformedRequest
            }
            let name = bytes.text(start..<colon)
            let value = bytes.text((colon + 1)..<(end - 1))
            guard fields.append(name, value) else { throw .malformedRequest }
            let trimmed = fields.all[fields.all.count - 1].value
            switch name.utf8.count {
            case 4 where name.lowercased() == "host":
                hosts += 1
                guard Self.isHost(trimmed) else { throw .malformedRequest }
            case 6 where name.lowercased() == "expect":
                guard trimmed.lowercased() == "100-continue" else { throw .expectationFailed }
                expectsContinue = !isHTTP10
            case 10 where name.lowercased() == "connection": readConnection(trimmed)
            case 14 where name.lowercased() == "content-length":
                lengths += 1
                contentLength = try Self.length(trimmed)
            case 17 where name.lowercased() == "transfer-encoding":
                codings += 1
                guard trimmed.lowercased() == "chunked" else { throw .unknownTransferCoding }
                isChunked = true
            default: break
            }
            start = end + 1
        }
        guard lengths + codings <= 1, !(isChunked && isHTTP10) else { throw .ambiguousLength }
        guard hosts == 1 || (hosts == 0 && isHTTP10) else {
            throw hosts == 0 ? .missingHost : .malformedRequest
        }
    }

    private init(requestLine line: Span<UInt8>) throws(RequestRefusal) {
        guard let first = line.firstIndex(of: HTTPByte.space, from: 0),
            let second = line.firstIndex(of: HTTPByte.space, from: first + 1),
            line.firstIndex(of: HTTPByte.space, from: second + 1) == nil
        else { throw .malformedRequest }
        let method = line.text(0..<first)
        guard HTTPFields.isToken(method) else { throw .malformedRequest }
        let version = line.text((second + 1)..<line.count)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            let isOther = version.utf8.count == 8 && version.hasPrefix("HTTP/")
            throw isOther ? .httpVersionNotSupported : .malformedRequest
        }
        for index in (first + 1)..<second where line[index] <= 0x20 || line[index] >= 0x7F {
            throw .malformedRequest
        }
        self.method = HTTPMethod(rawValue: method)
        target = try Self.originForm(line.text((first + 1)..<second), method: self.method)
        fields = HTTPFields()
        isHTTP10 = version == "HTTP/1.0"
        keepsAlive = !isHTTP10
    }

    /// Path and query of a target (RFC 9112 section 3.2); a proxy's form loses its authority, as `Host` has it.
    private static func originForm(
        _ target: String, method: HTTPMethod
    ) throws(RequestRefusal) -> String {
        guard !target.utf8.contains(UInt8(ascii: "#")) else { throw .malformedRequest }
        if target.utf8.first == UInt8(ascii: "/") { return target }
        if target == "*" && method == .options { return target }
        let lowered = target.prefix(8).lowercased()
        let scheme = lowered.hasPrefix("http://") ? 7 : lowered == "https://" ? 8 : 0
        let rest = target.utf8.dropFirst(scheme)
        guard scheme > 0, let first = rest.first, first != UInt8(ascii: "/"),
            first != UInt8(ascii: "?")
        else { throw .malformedRequest }
        guard
            let cut = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") })
        else { return "/" }
        let path = String(decoding: rest[cut...], as: UTF8.self)
        return path.hasPrefix("/") ? path : "/" + path
    }

    /// Digits alone (RFC 9110 section 8.6), no sign, no list, and few enough not to overflow.
    private static func length(_ text: String) throws(RequestRefusal) -> Int {
        let isNumber = text.utf8.allSatisfy {
            $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
        }
        guard isNumber, text.utf8.count <= 18, let length = Int(text) else {
            throw .ambiguousLength
        }
        return length
    }

    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~[]:%".utf8.contains(byte)
            }
        }
    }

    private mutating func readConnection(_ value: String) {
        for option in value.lowercased().split(separator: ",") {
            switch option.drop(while: { $0 == " " || $0 == "\t" }).prefix(while: { $0 != " " }) {
            case "close": keepsAlive = false
            case "keep-alive" where isHTTP10: keepsAlive = true
            default: break
            }
        }
    }
}

extension Span<UInt8> {
    /// Where `byte` is next, at `start` or after it.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// The bytes as text; what is not UTF-8 becomes U+FFFD, which is no control character.
    func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
}
