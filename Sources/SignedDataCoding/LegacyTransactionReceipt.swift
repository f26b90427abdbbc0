/// A transaction receipt of iOS 3 to 6 taken apart, and nothing believed.
///
/// A property list with a signature and the purchase info, both in base64; the latter is a property
/// list again, and the signature is over its decoded bytes.
public struct LegacyTransactionReceipt: Sendable, Hashable {
    /// The receipt as it was received.
    public let bytes: [UInt8]
    /// The purchase info as it was signed.
    public let purchaseInfoBytes: [UInt8]
    /// The names and texts of the purchase info.
    public let purchaseInfo: [String: String]
    /// The signature blob, whose layout its first byte tells.
    public let signatureBytes: [UInt8]
    /// Where it was bought, unsigned; absent in production.
    public let environment: String?
    /// The number of Apple's server, unsigned; "100" in the sandbox.
    public let pod: String?
    /// "0" in all receipts that have been seen; unsigned.
    public let signingStatus: String?

    /// The signature blob of version 2: everything that was ever seen.
    public struct Signature: Sendable, Hashable {
        /// 2, which is signed too, before the purchase info.
        public let version: UInt8
        /// RSA with PKCS#1 v1.5 over SHA-1; 128 bytes.
        public let signature: ArraySlice<UInt8>
        /// The signer's certificate, whole; its issuer is not in the receipt.
        public let certificate: ArraySlice<UInt8>
    }

    /// Takes the outer property list apart, and the purchase info in it.
    public init(decoding bytes: [UInt8]) throws(SignedDataError) {
        let outer = try PropertyListText(reading: bytes)
        guard let signature = outer["signature"].flatMap(Self.base64),
            let info = outer["purchase-info"].flatMap(Self.base64)
        else { throw SignedDataError(.malformedLegacyReceipt, detail: "no signature or no info") }
        let inner = try PropertyListText(reading: info)
        self.bytes = bytes
        signatureBytes = signature
        purchaseInfoBytes = info
        purchaseInfo = Dictionary(
            inner.entries.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        environment = outer["environment"]
        pod = outer["pod"]
        signingStatus = outer["signing-status"]
    }

    private static func base64(_ text: String) -> [UInt8]? {
        Base64.decodeLenient(Array(text.utf8)[...])
    }

    /// Takes the signature blob apart; versions other than 2 have no public layout.
    public func signature() throws(SignedDataError) -> Signature {
        guard let version = signatureBytes.first else {
            throw SignedDataError(.malformedLegacyReceipt, detail: "empty signature")
        }
        guard version == 2 else {
            throw SignedDataError(.unsupportedLegacySignature, detail: "version \(version)")
        }
        let lengthEnd = 1 + 128 + 4
        guard signatureBytes.count > lengthEnd else {
            throw SignedDataError(.malformedLegacyReceipt, detail: "short signature")
        }
        var length = 0
        for byte in signatureBytes[129..<lengthEnd] { length = length << 8 | Int(byte) }
        guard length == signatureBytes.count - lengthEnd else {
            throw SignedDataError(.malformedLegacyReceipt, detail: "certificate length")
        }
        return Signature(
            version: version, signature: signatureBytes[1..<129],
            certificate: signatureBytes[lengthEnd...])
    }

    /// What the signature of version 2 is over: its version, then the purchase info.
    public var signedBytes: [UInt8] { [signatureBytes.first ?? 0] + purchaseInfoBytes }

    /// Writes purchase info as Apple does, for it to be signed.
    public static func encodePurchaseInfo(
        _ entries: [(name: String, text: String)]
    ) -> [UInt8] {
        PropertyListText(entries.map { .init(name: $0.name, text: $0.text) }).encoded
    }

    /// Puts a receipt together out of purchase info and a signature of version 2 over it.
    public static func encode(
        purchaseInfo: [UInt8], signature: [UInt8], certificate: [UInt8], environment: String?,
        pod: String = "100"
    ) -> [UInt8] {
        let count = UInt32(certificate.count)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        let blob = [2] + signature + length + certificate
        var entries: [PropertyListText.Entry] = [
            .init(name: "signature", text: Base64.encode(blob)),
            .init(name: "purchase-info", text: Base64.encode(purchaseInfo)),
        ]
        if let environment { entries.append(.init(name: "environment", text: environment)) }
        entries.append(.init(name: "pod", text: pod))
        entries.append(.init(name: "signing-status", text: "0"))
        return PropertyListText(entries).encoded
    }
}
