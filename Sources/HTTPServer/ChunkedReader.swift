/// Takes a chunked body apart (RFC 9112 section 7.1); extensions and trailers are checked and dropped.
struct ChunkedReader {
    private enum State {
        case size
        case `extension`
        case sizeEnd
        case data
        case dataEnd
        case dataLineEnd
        case trailerStart
        case trailer
        case trailerLineEnd
        case end
        case done
    }

    /// Bytes of all extensions and trailers together; over it the request is refused.
    static let overheadLimit = 8 << 10
    /// Digits of a chunk's size: 7 say up to 256 MiB.
    private static let digitLimit = 7

    private var state = State.size
    private var remaining = 0
    private var digits = 0
    private var overhead = 0
    private var sawColon = false

    /// Whether the last chunk and the trailers have come.
    var isDone: Bool { state == .done }

    /// Appends data to `body` and returns how many bytes of `bytes` were used.
    mutating func read(
        _ bytes: Span<UInt8>, into body: inout [UInt8], limit: Int
    ) throws(RequestRefusal) -> Int {
        var index = 0
        while index < bytes.count && state != .done {
            if state == .data {
                let count = min(remaining, bytes.count - index)
                bytes.append(index..<(index + count), to: &body)
                index += count
                remaining -= count
                if remaining == 0 { state = .dataEnd }
            } else {
                try step(bytes[index], bodyCount: body.count, limit: limit)
                index += 1
            }
        }
        return index
    }

    private mutating func step(
        _ byte: UInt8, bodyCount: Int, limit: Int
    ) throws(RequestRefusal) {
        switch state {
        case .size: try readSize(byte)
        case .extension:
            if byte == HTTPByte.cr { state = .sizeEnd } else { try passOver(byte) }
        case .sizeEnd:
            try expect(HTTPByte.lf, byte)
            guard remaining <= limit - bodyCount else { throw .contentTooLarge }
            state = remaining == 0 ? .trailerStart : .data
            digits = 0
        case .dataEnd:
            try expect(HTTPByte.cr, byte)
            state = .dataLineEnd
        case .dataLineEnd:
            try expect(HTTPByte.lf, byte)
            state = .size
        case .trailerStart:
            if byte == HTTPByte.cr {
                state = .end
            } else {
                // A trailer's name starts at once: no obs-fold, no empty name.
                guard byte != HTTPByte.space, byte != HTTPByte.tab, byte != HTTPByte.colon else {
                    throw .malformedRequest
                }
                try passOver(byte)
                sawColon = false
                state = .trailer
            }
        case .trailer:
            if byte == HTTPByte.cr {
                guard sawColon else { throw .malformedRequest }
                state = .trailerLineEnd
            } else {
                if byte == HTTPByte.colon { sawColon = true }
                try passOver(byte)
            }
        case .trailerLineEnd:
            try expect(HTTPByte.lf, byte)
            state = .trailerStart
        case .end:
            try expect(HTTPByte.lf, byte)
            state = .done
        case .data, .done: break
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(RequestRefusal) {
        let value: UInt8? =
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        if let value {
            guard digits < Self.digitLimit else { throw .contentTooLarge }
            remaining = remaining << 4 | Int(value)
            digits += 1
            return
        }
        guard digits > 0 else { throw .malformedRequest }
        switch byte {
        case HTTPByte.cr: state = .sizeEnd
        case UInt8(ascii: ";"): state = .extension
        default: throw .malformedRequest
        }
    }

    private mutating func passOver(_ byte: UInt8) throws(RequestRefusal) {
        guard byte == HTTPByte.tab || (byte >= 0x20 && byte != 0x7F) else {
            throw .malformedRequest
        }
        overhead += 1
        guard overhead <= Self.overheadLimit else { throw .headTooLarge }
    }

    private func expect(_ wanted: UInt8, _ byte: UInt8) throws(RequestRefusal) {
        guard byte == wanted else { throw .malformedRequest }
    }
}

extension Span<UInt8> {
    /// Appends a part of the bytes to an array.
    func append(_ range: Range<Int>, to array: inout [UInt8]) {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
    }
}
