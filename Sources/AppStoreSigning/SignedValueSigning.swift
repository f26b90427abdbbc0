import AppStoreCoding
public import AppStoreModel
import CryptoPrimitives
import SignedDataCoding

extension SigningAuthority {
    /// Signs a transaction as StoreKit 2 and the Server API hand it out.
    public func sign(
        _ payload: TransactionPayload, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try sign(object: payload, at: payload.signedDate, fault: fault)
    }

    /// Signs a renewal info.
    public func sign(
        _ payload: RenewalPayload, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try sign(object: payload, at: payload.signedDate, fault: fault)
    }

    /// Signs an app transaction.
    public func sign(
        _ payload: AppTransactionPayload, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try sign(object: payload, at: payload.receiptCreationDate, fault: fault)
    }

    /// Signs a retention request.
    public func sign(
        _ payload: RealtimeRequestPayload, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try sign(object: payload, at: payload.signedDate, fault: fault)
    }

    /// Signs a version 2 notification whose inner values are signed already, or has none.
    public func sign(
        _ payload: NotificationPayload, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try sign(object: payload, at: payload.signedDate, fault: fault)
    }

    /// Signs a version 2 notification, and what is in it first.
    public func sign(
        _ payload: NotificationPayload, transaction: TransactionPayload?,
        renewal: RenewalPayload? = nil, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        var whole = payload
        var data = payload.data ?? NotificationData()
        if let transaction { data.signedTransactionInfo = try sign(transaction) }
        if let renewal { data.signedRenewalInfo = try sign(renewal) }
        whole.data = data
        return try sign(whole, fault: fault)
    }

    private func sign(
        object: some AppStoreObject, at moment: Timestamp?, fault: SigningFault?
    ) throws(SigningError) -> String {
        let json: [UInt8]
        do throws(SignedDataError) { json = try object.encodedJSON() } catch {
            throw SigningError(.payload, "\(error)")
        }
        return try sign(json: json, at: moment ?? Timestamp(milliseconds: 0), fault: fault)
    }

    /// Signs any JSON; the moment counts for certificates that are at fault.
    public func sign(
        json payload: [UInt8], at moment: Timestamp, fault: SigningFault? = nil
    ) throws(SigningError) -> String {
        try signing { () throws(CryptoError) in
            // An RSA signature needs a chain with an RSA leaf.
            let purpose: ChainPurpose = fault == .algorithmRS256 ? .receipt : .signedValue
            let material = try material(purpose, fault, at: moment)
            let certificates = material.certificates.map(\.der)
            let header = header(certificates, fault)
            let input = CompactJWS.signingInput(header: header, payload: payload)
            var signature = try signature(over: input, key: material.key, fault)
            if fault == .alteredSignature { signature[signature.count / 2] ^= 1 }
            return CompactJWS(
                header: header,
                payload: fault == .alteredContent ? Self.altered(payload) : payload,
                signature: signature
            ).text
        }
    }

    private func header(_ certificates: [[UInt8]], _ fault: SigningFault?) -> [UInt8] {
        let algorithm =
            switch fault {
            case .algorithmNone: "none"
            case .algorithmHS256: "HS256"
            case .algorithmRS256: "RS256"
            default: "ES256"
            }
        let header = JWSHeader(
            algorithm: algorithm, certificates: fault == .noCertificates ? nil : certificates
        ).encoded
        guard fault == .doubledAlgorithm else { return header }
        return Array(#"{"alg":"none","#.utf8) + header.dropFirst()
    }

    private func signature(
        over input: [UInt8], key: PrivateKey, _ fault: SigningFault?
    ) throws(CryptoError) -> [UInt8] {
        switch fault {
        case .algorithmNone: return []
        case .algorithmHS256:
            return HMACSHA256.authenticationCode(
                for: input, key: signedValueChain.leaf.publicKey.subjectPublicKeyInfo)
        case .algorithmRS256: return try key.sign(input, as: .rsaPKCS1(.sha256))
        case .signatureInDER: return try key.sign(input, as: .ecdsa(.sha256))
        case .wrongDigest:
            // 64 bytes as they should be, over another digest of the same text.
            return Self.raw(try key.sign(input, as: .ecdsa(.sha384)))
        default: return try key.signES256(input)
        }
    }

    /// The two numbers of an ECDSA signature in 32 bytes each; empty for what is none.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        var reader = DERReader(der)
        guard let sequence = try? reader.next(DERTag.sequence) else { return [] }
        var parts = reader.inside(sequence)
        var raw: [UInt8] = []
        while let integer = try? parts.next(DERTag.integer) {
            let number = parts.slice(integer.content).drop { $0 == 0 }
            raw += [UInt8](repeating: 0, count: max(0, 32 - number.count)) + number
        }
        return raw
    }
}
