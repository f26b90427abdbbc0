import HTTPMessage

/// What a response looks like on the wire.
struct ResponseBytes {
    /// How the end of the body is told.
    enum Framing {
        case length(Int)
        case chunked
        /// The connection's end is the body's: the only way for HTTP/1.0.
        case close
        /// Neither body nor length: 204 and 304.
        case none
    }

    private static let own = [
        "content-length", "transfer-encoding", "connection", "date", "keep-alive", "trailer",
        "upgrade", "x-request-id",
    ]

    /// Appends status line and fields; those that frame a message are the engine's alone.
    static func append(
        _ response: HTTPResponse, framing: Framing, date: String, requestID: String,
        connection: String?, to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(contentsOf: String(response.status.rawValue).utf8)
        bytes.append(HTTPByte.space)
        bytes.append(contentsOf: response.status.phrase.utf8)
        bytes.append(contentsOf: "\r\nDate: ".utf8)
        bytes.append(contentsOf: date.utf8)
        switch framing {
        case .length(let count):
            bytes.append(contentsOf: "\r\nContent-Length: ".utf8)
            bytes.append(contentsOf: String(count).utf8)
        case .chunked: bytes.append(contentsOf: "\r\nTransfer-Encoding: chunked".utf8)
        case .close, .none: break
        }
        if !requestID.isEmpty {
            bytes.append(contentsOf: "\r\nX-Request-ID: ".utf8)
            bytes.append(contentsOf: requestID.utf8)
        }
        if let connection {
            bytes.append(contentsOf: "\r\nConnection: ".utf8)
            bytes.append(contentsOf: connection.utf8)
        }
        for field in response.fields.all where !isOwn(field.name) {
            bytes.append(contentsOf: "\r\n".utf8)
            bytes.append(contentsOf: field.name.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: field.value.utf8)
        }
        bytes.append(contentsOf: "\r\n\r\n".utf8)
    }

    private static func isOwn(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4, 7, 10, 12, 14, 17: own.contains(name.lowercased())
        default: false
        }
    }
}
