/// A JWS in compact form taken apart (RFC 7515 section 7.1), and nothing believed.
///
/// The header is read on request, since a verifier that has seen the same header before need not.
public struct CompactJWS: Sendable, Hashable {
    /// The most bytes that are taken; Apple's are below 20,000.
    public static let maximumBytes = 1 << 20

    /// The text as it was received.
    public let bytes: [UInt8]
    /// Where the first dot stands.
    private let headerEnd: Int
    /// Where the second dot stands.
    private let payloadEnd: Int
    /// The payload, decoded.
    public let payload: [UInt8]
    /// The signature, decoded.
    public let signature: [UInt8]

    /// Takes text apart at its two dots; each part must be base64url without padding.
    public init(decoding bytes: [UInt8]) throws(SignedDataError) {
        guard !bytes.isEmpty else { throw SignedDataError(.empty) }
        guard bytes.count <= Self.maximumBytes else { throw SignedDataError(.tooLarge) }
        let dot = UInt8(ascii: ".")
        // From the front for the first and from the end for the last: the payload is not searched,
        // since a dot in it is no base64url anyway.
        guard let first = Self.firstDot(in: bytes), first > 0,
            let second = bytes.lastIndex(of: dot), second > first + 1,
            let payload = Base64.decodeURL(bytes, first + 1..<second),
            let signature = Base64.decodeURL(bytes, second + 1..<bytes.count)
        else { throw SignedDataError(.malformedJWS) }
        self.bytes = bytes
        headerEnd = first
        payloadEnd = second
        self.payload = payload
        self.signature = signature
    }

    /// Looks at eight bytes at a time: a header has thousands.
    private static func firstDot(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { raw in
            let low: UInt64 = 0x0101_0101_0101_0101
            let dots = low &* UInt64(UInt8(ascii: "."))
            var index = 0
            while index &+ 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ dots
                // A byte that became zero borrows into its high bit.
                if (word &- low) & ~word & (low &<< 7) != 0 { break }
                index &+= 8
            }
            return raw[index...].firstIndex(of: UInt8(ascii: "."))
        }
    }

    /// Takes text apart.
    public init(decoding text: String) throws(SignedDataError) {
        try self.init(decoding: Array(text.utf8))
    }

    /// Puts the parts together.
    public init(header: [UInt8], payload: [UInt8], signature: [UInt8]) {
        var text = Self.signingInput(header: header, payload: payload)
        payloadEnd = text.count
        text.append(UInt8(ascii: "."))
        text += Base64.encodeToBytes(signature, .url)
        headerEnd = text.firstIndex(of: UInt8(ascii: ".")) ?? 0
        bytes = text
        self.payload = payload
        self.signature = signature
    }

    /// What is signed, for a header and a payload that are about to be.
    public static func signingInput(header: [UInt8], payload: [UInt8]) -> [UInt8] {
        Base64.encodeToBytes(header, .url) + [UInt8(ascii: ".")]
            + Base64.encodeToBytes(payload, .url)
    }

    /// The text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The header as it was received, still in base64url; equal ones have equal certificates.
    public var headerSegment: ArraySlice<UInt8> { bytes[..<headerEnd] }
    /// What is signed: header, dot and payload as they were received.
    public var signingInput: ArraySlice<UInt8> { bytes[..<payloadEnd] }

    /// Whether nothing but base64url's own signs stands in the header.
    ///
    /// It is not decoded with the rest, so what happened to the header alone shows here.
    var hasPlainHeader: Bool { Base64.isURLText(bytes, 0..<headerEnd) }

    /// Reads the header.
    public func header() throws(SignedDataError) -> JWSHeader {
        guard let json = Base64.decodeURL(bytes, 0..<headerEnd) else {
            throw SignedDataError(.malformedJWSHeader)
        }
        return try JWSHeader(decoding: json)
    }
}

/// The header of a JWS, as far as the App Store uses one.
public struct JWSHeader: Sendable, Hashable {
    /// The most certificates that are taken; Apple sends three.
    public static let maximumCertificates = 8
    /// The most names that are taken; Apple sends two, and each is compared with those before it.
    public static let maximumNames = 32

    /// The algorithm that the message claims; not to be believed but compared.
    public var algorithm: String?
    /// The certificates in the message's order, each whole.
    public var certificates: [[UInt8]]?
    /// The name of the key.
    public var keyID: String?
    /// The kind of token.
    public var type: String?
    /// Whether `crit` names extensions that a reader must understand.
    public var hasCriticalExtensions = false

    /// A header with those fields.
    public init(
        algorithm: String?, certificates: [[UInt8]]? = nil, keyID: String? = nil,
        type: String? = nil
    ) {
        self.algorithm = algorithm
        self.certificates = certificates
        self.keyID = keyID
        self.type = type
    }

    /// Reads JSON; a name that is there twice is an error, since two readers may choose differently.
    public init(decoding json: [UInt8]) throws(SignedDataError) {
        let text: JSONText
        do { text = try JSONText(reading: json) } catch {
            throw SignedDataError(.malformedJWSHeader, at: error.offset)
        }
        guard case .object(let members) = text else { throw SignedDataError(.malformedJWSHeader) }
        guard members.count <= Self.maximumNames else { throw SignedDataError(.tooMany) }
        for (index, member) in members.enumerated() {
            guard !members[..<index].contains(where: { $0.name == member.name }) else {
                throw SignedDataError(.duplicateHeaderName, detail: "\(member.name.prefix(20))")
            }
            switch member.name {
            case "alg": algorithm = try Self.text(member.value)
            case "kid": keyID = try Self.text(member.value)
            case "typ": type = try Self.text(member.value)
            case "crit": hasCriticalExtensions = true
            case "x5c": certificates = try Self.certificates(member.value)
            default: break
            }
        }
    }

    private static func text(_ value: JSONText) throws(SignedDataError) -> String {
        guard let text = value.string else { throw SignedDataError(.malformedJWSHeader) }
        return text
    }

    private static func certificates(_ value: JSONText) throws(SignedDataError) -> [[UInt8]] {
        guard case .array(let list) = value else { throw SignedDataError(.malformedJWSHeader) }
        guard list.count <= maximumCertificates else { throw SignedDataError(.tooMany) }
        var certificates: [[UInt8]] = []
        for element in list {
            guard let text = element.string, let bytes = Base64.decodeStandard(Array(text.utf8))
            else { throw SignedDataError(.malformedJWSHeader, detail: "x5c") }
            certificates.append(bytes)
        }
        return certificates
    }

    /// The header as JSON, in Apple's order of names.
    public var encoded: [UInt8] {
        var members: [JSONText.Member] = []
        for (name, text) in [("alg", algorithm), ("kid", keyID), ("typ", type)] {
            if let text { members.append(.init(name: name, value: .string(text))) }
        }
        if let certificates {
            let list = certificates.map { JSONText.string(Base64.encode($0)) }
            members.append(.init(name: "x5c", value: .array(list)))
        }
        return JSONText.object(members).encoded
    }
}
