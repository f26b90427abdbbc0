import AppStoreCoding
public import AppStoreModel
public import CryptoPrimitives
public import SignedDataCoding

extension SigningAuthority {
    /// Signs an app receipt in the form of the App Store or of Xcode.
    ///
    /// Apple signed with SHA-1 until 2023 and signs with SHA-256 since.
    public func sign(
        _ receipt: AppReceipt, digest: DigestAlgorithm = .sha256,
        form: SignedReceipt.Form = .appStore, fault: SigningFault? = nil
    ) throws(SigningError) -> [UInt8] {
        try sign(
            receiptContent: receipt.encodedContent(form), at: receipt.creationDate,
            digest: digest, form: form, fault: fault)
    }

    /// Signs a receipt's content as it is; the moment counts for certificates that are at fault.
    public func sign(
        receiptContent content: [UInt8], at moment: Timestamp, digest: DigestAlgorithm = .sha256,
        form: SignedReceipt.Form = .appStore, fault: SigningFault? = nil
    ) throws(SigningError) -> [UInt8] {
        try signing { () throws(CryptoError) in
            let material = try material(.receipt, fault, at: moment)
            let named = digest
            let used: DigestAlgorithm =
                fault == .wrongDigest ? (digest == .sha1 ? .sha256 : .sha1) : digest
            var signature = try material.key.sign(content, as: .rsaPKCS1(used))
            if fault == .alteredSignature { signature[signature.count / 2] ^= 1 }
            let leaf = material.certificates.first ?? receiptChain.leaf
            let identifier: OID = named == .sha1 ? .sha1 : .sha256
            return SignedReceipt.encode(
                content: fault == .alteredContent ? Self.altered(content) : content,
                certificates: material.certificates.map(\.der), digestAlgorithm: identifier,
                signer: SignedReceipt.Signer(
                    issuer: leaf.issuerDER[...], serialNumber: Self.positive(leaf.serialNumber),
                    digestAlgorithm: identifier, signatureAlgorithm: .rsaEncryption,
                    signature: signature[...]),
                form: form)
        }
    }

    /// Signs a transaction receipt of iOS 6: its purchase info if it has one, else what its fields say.
    public func sign(
        _ receipt: LegacyReceipt, fault: SigningFault? = nil
    ) throws(SigningError) -> [UInt8] {
        let info = LegacyTransactionReceipt.encodePurchaseInfo(receipt.signedEntries)
        return try signing { () throws(CryptoError) in
            let moment = receipt.purchaseDate ?? Timestamp(seconds: 0)
            let material = try material(.legacyReceipt, fault, at: moment)
            var signature = try material.key.sign([2] + info, as: .rsaPKCS1(.sha1))
            if fault == .alteredSignature { signature[signature.count / 2] ^= 1 }
            let leaf = material.certificates.first ?? legacyChain.leaf
            let isProduction = receipt.environment == .production
            return LegacyTransactionReceipt.encode(
                purchaseInfo: fault == .alteredContent ? Self.altered(info) : info,
                signature: signature, certificate: leaf.der,
                environment: isProduction ? nil : receipt.environment.rawValue,
                pod: isProduction ? "17" : "100")
        }
    }

    /// A digit somewhere in the middle becomes another one, so that everything can still be read.
    static func altered(_ content: [UInt8]) -> [UInt8] {
        var altered = content
        let digits = content.indices.filter { (0x30...0x38).contains(content[$0]) }
        guard let place = digits.isEmpty ? nil : digits[digits.count / 2] else { return content }
        altered[place] += 1
        return altered
    }

    /// The serial number as the content of an INTEGER.
    private static func positive(_ serialNumber: [UInt8]) -> ArraySlice<UInt8> {
        let isNegative = serialNumber.first.map { $0 >= 0x80 } ?? true
        return (isNegative ? [0] + serialNumber : serialNumber)[...]
    }
}

extension LegacyReceipt {
    /// The names and texts that are signed, in a stable order.
    fileprivate var signedEntries: [(name: String, text: String)] {
        guard purchaseInfo.isEmpty else {
            return purchaseInfo.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        var entries: [(name: String, text: String)] = [
            ("original-transaction-id", originalTransactionID.rawValue),
            ("transaction-id", transactionID.rawValue), ("quantity", "\(quantity ?? 1)"),
            ("product-id", productID.rawValue), ("bid", bundleID.rawValue),
            ("bvrs", applicationVersion ?? "1.0"),
        ]
        for (name, date) in [
            ("purchase-date", purchaseDate), ("original-purchase-date", originalPurchaseDate),
        ] {
            guard let date else { continue }
            entries.append((name, date.gmtText))
            entries.append(("\(name)-ms", "\(date.milliseconds)"))
            entries.append(("\(name)-pst", date.losAngelesText))
        }
        if let expiresDate {
            entries.append(("expires-date", "\(expiresDate.milliseconds)"))
            entries.append(("expires-date-formatted", expiresDate.gmtText))
            entries.append(("expires-date-formatted-pst", expiresDate.losAngelesText))
        }
        if let webOrderLineItemID {
            entries.append(("web-order-line-item-id", webOrderLineItemID.rawValue))
        }
        return entries
    }
}

extension AppReceipt {
    /// Fills the four opaque attributes as Apple's receipts have them, out of the numbers given, and the
    /// hash that binds the receipt to a device: its vendor identifier's 16 bytes, or a Mac's address.
    public mutating func fillOpaqueAttributes(
        deviceIdentifier: [UInt8], using random: inout some RandomNumberGenerator
    ) {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var header = DERWriter()
        header.add(DERTag.utf8String, Array(bundleID.rawValue.utf8))
        device.bundleIDAttribute = header.bytes
        device.opaqueValue = bytes(16)
        device.hash = SHA1.hash(deviceIdentifier + device.opaqueValue + device.bundleIDAttribute)
        otherAttributes.removeAll { $0.type == 6 || $0.type == 7 }
        for type in [6, 7] as [Int64] {
            let count = Int.random(in: 54...84, using: &random)
            otherAttributes.append(OpaqueAttribute(type: type, version: 1, value: bytes(count)))
        }
    }
}
