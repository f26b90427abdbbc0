/// An app receipt as it came: PKCS#7 signed data taken apart, and nothing believed.
///
/// Everything is a slice of the received bytes, so that a signature can be checked over exactly those.
public struct SignedReceipt: Sendable, Hashable {
    /// The most bytes that are taken; 10,000 purchases need about 4 MB.
    public static let maximumBytes = 16 << 20
    /// The most certificates that are taken; Apple sends three.
    public static let maximumCertificates = 8

    /// The one who signed.
    public struct Signer: Sendable, Hashable {
        /// The version of the structure; 1 in Apple's receipts.
        public let version: Int64
        /// The issuer of the signer's certificate, a DER name.
        public let issuer: ArraySlice<UInt8>
        /// The serial number of the signer's certificate, big-endian.
        public let serialNumber: ArraySlice<UInt8>
        /// The digest that the signer names.
        public let digestAlgorithm: OID
        /// The signature algorithm that the signer names.
        public let signatureAlgorithm: OID
        /// Signed attributes as they stand, tag and length included; Apple's receipts have none.
        public let signedAttributes: ArraySlice<UInt8>?
        /// Whether unsigned attributes follow.
        public let hasUnsignedAttributes: Bool
        /// The signature.
        public let signature: ArraySlice<UInt8>

        /// Takes the parts as they stand in the message.
        public init(
            version: Int64 = 1, issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>,
            digestAlgorithm: OID, signatureAlgorithm: OID,
            signedAttributes: ArraySlice<UInt8>? = nil, hasUnsignedAttributes: Bool = false,
            signature: ArraySlice<UInt8>
        ) {
            self.version = version
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.digestAlgorithm = digestAlgorithm
            self.signatureAlgorithm = signatureAlgorithm
            self.signedAttributes = signedAttributes
            self.hasUnsignedAttributes = hasUnsignedAttributes
            self.signature = signature
        }
    }

    /// The receipt as it was received.
    public let bytes: [UInt8]
    /// The version of the structure; 1 in Apple's receipts.
    public let version: Int64
    /// The digests that the message names at its beginning.
    public let digestAlgorithms: [OID]
    /// What was signed: the list of attributes.
    public let content: ArraySlice<UInt8>
    /// The certificates in the message's order, each whole.
    public let certificates: [ArraySlice<UInt8>]
    /// The one who signed.
    public let signer: Signer
    /// Whether any length is indefinite, as Xcode writes them.
    public let isIndefinite: Bool

    /// The attributes in the message's order.
    public func attributes() throws(SignedDataError) -> [ReceiptAttribute] {
        try ReceiptAttribute.decodeList(content)
    }
}

extension SignedReceipt {
    /// Takes PKCS#7 signed data apart; refuses other structures, several signers and bytes after the end.
    public init(
        decoding bytes: [UInt8], rules: DERReader.Rules = .basic
    ) throws(SignedDataError) {
        guard !bytes.isEmpty else { throw SignedDataError(.empty) }
        guard bytes.count <= Self.maximumBytes else { throw SignedDataError(.tooLarge) }
        var outer = DERReader(bytes, rules: rules)
        guard outer.nextTag == DERTag.sequence else { throw SignedDataError(.notSignedData, at: 0) }
        let message = try outer.next()
        try outer.finish()
        var info = outer.inside(message)
        guard info.nextTag == DERTag.objectIdentifier,
            try info.objectIdentifier(try info.next()) == .signedData,
            let wrapped = try info.nextIfPresent(DERTag.context(0))
        else { throw SignedDataError(.notSignedData, at: message.content.lowerBound) }
        try info.finish()
        var explicit = info.inside(wrapped)
        let signedData = try explicit.next(DERTag.sequence)
        try explicit.finish()
        try self.init(signedData, of: explicit)
    }

    private init(_ element: DERElement, of reader: DERReader) throws(SignedDataError) {
        var parts = reader.inside(element)
        version = try parts.integer(try parts.next())
        var digests: [OID] = []
        var algorithms = parts.inside(try parts.next(DERTag.set))
        while !algorithms.isAtEnd {
            guard digests.count < Self.maximumCertificates else {
                throw SignedDataError(.tooMany, at: algorithms.position)
            }
            digests.append(try algorithms.algorithm())
        }
        digestAlgorithms = digests
        content = try parts.encapsulatedContent()
        certificates = try parts.certificates(limit: Self.maximumCertificates)
        _ = try parts.nextIfPresent(DERTag.context(1))
        let signers = try parts.next(DERTag.set)
        try parts.finish()
        var infos = parts.inside(signers)
        guard !infos.isAtEnd else { throw SignedDataError(.signerCount, at: infos.position) }
        signer = try infos.signer()
        guard infos.isAtEnd else { throw SignedDataError(.signerCount, at: infos.position) }
        bytes = reader.bytes
        isIndefinite = reader.bytes[1] == 0x80
    }
}

extension DERReader {
    /// An AlgorithmIdentifier, whose parameters are absent or NULL in everything that Apple signs.
    ///
    /// Those of an algorithm that Apple does not use say nothing here: its name is enough to refuse it.
    fileprivate mutating func algorithm() throws(SignedDataError) -> OID {
        let element = try next(DERTag.sequence)
        var parts = inside(element)
        let identifier = try parts.objectIdentifier(try parts.next())
        if !parts.isAtEnd {
            let parameters = try parts.next()
            let isNull = parameters.tag == DERTag.null && parameters.content.isEmpty
            guard isNull || !OID.algorithmsOfReceipts.contains(identifier) else {
                throw SignedDataError(.malformedDER, at: parameters.whole.lowerBound)
            }
        }
        try parts.finish()
        return identifier
    }

    fileprivate mutating func encapsulatedContent() throws(SignedDataError) -> ArraySlice<UInt8> {
        let element = try next(DERTag.sequence)
        var parts = inside(element)
        let type = try parts.objectIdentifier(try parts.next())
        guard type == .data, let wrapped = try parts.nextIfPresent(DERTag.context(0)) else {
            throw SignedDataError(.notSignedData, at: element.whole.lowerBound)
        }
        try parts.finish()
        var explicit = parts.inside(wrapped)
        let octets = try explicit.nextOctets()
        try explicit.finish()
        return octets
    }

    /// The bytes of the next value, an OCTET STRING in one piece or in segments.
    private mutating func nextOctets() throws(SignedDataError) -> ArraySlice<UInt8> {
        let octets = try next()
        guard octets.tag != DERTag.octetString else { return bytes[octets.content] }
        var joined: [UInt8] = []
        try joinOctets(octets, into: &joined)
        return joined[...]
    }

    fileprivate mutating func certificates(
        limit: Int
    ) throws(SignedDataError) -> [ArraySlice<UInt8>] {
        guard let element = try nextIfPresent(DERTag.context(0)) else { return [] }
        var found: [ArraySlice<UInt8>] = []
        var parts = inside(element)
        while !parts.isAtEnd {
            guard found.count < limit else { throw SignedDataError(.tooMany, at: parts.position) }
            found.append(bytes[try parts.next(DERTag.sequence).whole])
        }
        return found
    }

    /// Issuer and serial number of the signer's certificate; both empty where its key is named instead, which
    /// version 3 of the structure allows (RFC 5652 section 5.3) and Apple does not do.
    private mutating func signerName() throws(SignedDataError) -> (
        issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>
    ) {
        guard try nextIfPresent(DERTag.keyIdentifier) == nil else { return ([], []) }
        var name = inside(try next(DERTag.sequence))
        let issuer = try name.next(DERTag.sequence)
        let serialNumber = try name.next(DERTag.integer)
        try name.finish()
        return (bytes[issuer.whole], bytes[serialNumber.content])
    }

    fileprivate mutating func signer() throws(SignedDataError) -> SignedReceipt.Signer {
        var parts = inside(try next(DERTag.sequence))
        let version = try parts.integer(try parts.next())
        let (issuer, serialNumber) = try parts.signerName()
        let digest = try parts.algorithm()
        let signed = try parts.nextIfPresent(DERTag.context(0))
        let algorithm = try parts.algorithm()
        let signature = try parts.nextOctets()
        let unsigned = try parts.nextIfPresent(DERTag.context(1))
        try parts.finish()
        return SignedReceipt.Signer(
            version: version, issuer: issuer, serialNumber: serialNumber, digestAlgorithm: digest,
            signatureAlgorithm: algorithm,
            signedAttributes: signed.map { bytes[$0.whole] },
            hasUnsignedAttributes: unsigned != nil, signature: signature)
    }
}
