import AppStoreCoding
import AppStoreModel
import CryptoPrimitives
import SignedDataCoding

/// Proofs in Apple's form and of Apple's size, signed on the spot under a root of the benchmark's own.
struct ProofSamples {
    static let bundleID: BundleID = "com.example.app"
    static let start: Int64 = 1_600_000_000
    static let end: Int64 = 1_900_000_000

    /// A chain of certificates with the key at its front.
    struct Chain {
        let certificates: [Certificate]
        let leafKey: PrivateKey
        var der: [[UInt8]] { certificates.map(\.der) }
    }

    let receiptRoot: Certificate
    let receiptChain: Chain
    let valueRoot: Certificate
    let valueRootKey: PrivateKey
    let valueChain: Chain

    init() throws {
        (receiptRoot, receiptChain) = try Self.receiptAuthority()
        (valueRoot, valueRootKey) = try Self.root(.p384, .sha384)
        valueChain = try Self.chain(under: valueRoot, valueRootKey, .p384, .p256, .sha384)
    }

    private static func receiptAuthority() throws -> (Certificate, Chain) {
        let (root, key) = try root(.rsa(bits: 2_048), .sha256)
        let kind = KeyKind.rsa(bits: 2_048)
        return (root, try chain(under: root, key, kind, kind, .sha256))
    }

    static func root(
        _ kind: KeyKind, _ digest: DigestAlgorithm
    ) throws -> (Certificate, PrivateKey) {
        let key = try PrivateKey.generate(kind)
        let builder = CertificateBuilder(
            subject: DistinguishedName(
                commonName: "Benchmark Root CA - G3",
                organizationalUnit: "Benchmark Certification Authority", organization: "Till",
                country: "US"),
            subjectKey: key.publicKey, notBefore: start - 1_000, notAfter: end + 1_000,
            basicConstraints: BasicConstraints(isAuthority: true),
            keyUsage: [.keyCertSign, .crlSign])
        return (try builder.selfSigned(with: key, digest: digest), key)
    }

    static func chain(
        under root: Certificate, _ rootKey: PrivateKey, _ middleKind: KeyKind, _ leafKind: KeyKind,
        _ digest: DigestAlgorithm
    ) throws -> Chain {
        let middleKey = try PrivateKey.generate(middleKind)
        // Apple's certificates name a policy and addresses, which make up half of their size.
        let padding = CertificateExtension(
            identifier: "1.3.6.1.4.1.99999.1",
            value: [0x04, 0x81, 200] + [UInt8](repeating: 7, count: 200))
        let intermediate = try CertificateBuilder(
            subject: DistinguishedName(
                commonName: "Benchmark Developer Relations Certification Authority",
                organizationalUnit: "G6", organization: "Till", country: "US"),
            subjectKey: middleKey.publicKey, serialNumber: [2], notBefore: start, notAfter: end,
            basicConstraints: BasicConstraints(isAuthority: true, pathLength: 0),
            keyUsage: [.keyCertSign, .crlSign],
            extensions: [.marker("1.2.840.113635.100.6.2.1"), padding]
        ).signed(by: root, key: rootKey, digest: digest)
        let leafKey = try PrivateKey.generate(leafKind)
        let leaf = try CertificateBuilder(
            subject: DistinguishedName(
                commonName: "Benchmark Receipt Signing",
                organizationalUnit: "Benchmark Developer Relations", organization: "Till",
                country: "US"),
            subjectKey: leafKey.publicKey, serialNumber: [3], notBefore: start, notAfter: end,
            basicConstraints: BasicConstraints(isAuthority: false), keyUsage: .digitalSignature,
            extensions: [.marker("1.2.840.113635.100.6.11.1"), padding]
        ).signed(by: intermediate, key: middleKey, digest: digest)
        return Chain(certificates: [leaf, intermediate, root], leafKey: leafKey)
    }

    /// A transaction of some 1,000 bytes, as real ones of a subscription are.
    static func transaction(_ number: Int) -> [UInt8] {
        let id = 2_000_000_000_000_000 + number
        return Array(
            """
            {"transactionId":"\(id)","originalTransactionId":"2000000000000000",\
            "webOrderLineItemId":"\(id + 7)","bundleId":"\(bundleID)",\
            "productId":"com.example.pro.monthly","subscriptionGroupIdentifier":"21024612",\
            "purchaseDate":1666615873000,"originalPurchaseDate":1666615875000,\
            "expiresDate":1669294273000,"quantity":1,"type":"Auto-Renewable Subscription",\
            "appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138",\
            "inAppOwnershipType":"PURCHASED","signedDate":1700000000000,"offerType":1,\
            "environment":"Sandbox","transactionReason":"PURCHASE","storefront":"USA",\
            "storefrontId":"143441","price":9990,"currency":"USD",\
            "appTransactionId":"704346128375263741"}
            """.utf8)
    }

    func jws(_ payload: [UInt8], _ chain: Chain) throws -> String {
        let header = JWSHeader(algorithm: "ES256", certificates: chain.der).encoded
        let input = CompactJWS.signingInput(header: header, payload: payload)
        return CompactJWS(
            header: header, payload: payload, signature: try chain.leafKey.signES256(input)
        ).text
    }

    /// A receipt with so many purchases, each with what a real one has.
    func receipt(purchases: Int) throws -> [UInt8] {
        var receipt = AppReceipt(
            bundleID: Self.bundleID, creationDate: Timestamp(seconds: 1_700_000_000),
            receiptType: .productionSandbox)
        receipt.applicationVersion = "32"
        receipt.appItemID = 0
        receipt.originalApplicationVersion = "1.0"
        receipt.originalPurchaseDate = Timestamp(seconds: 1_375_340_400)
        receipt.device = DeviceBinding(
            opaqueValue: [UInt8](repeating: 4, count: 16), hash: [UInt8](repeating: 5, count: 20))
        receipt.inApp = (0..<purchases).map { index in
            let bought = 1_588_770_000 + Int64(index) * 300
            var purchase = InAppPurchase(
                productID: "com.example.pro.monthly",
                transactionID: TransactionID("\(1_000_000_600_000_000 + index)"),
                originalTransactionID: "1000000600000000")
            purchase.quantity = 1
            purchase.productType = .autoRenewable
            purchase.purchaseDate = Timestamp(seconds: bought)
            purchase.originalPurchaseDate = Timestamp(seconds: 1_588_770_001)
            purchase.expiresDate = Timestamp(seconds: bought + 300)
            purchase.webOrderLineItemID = WebOrderLineItemID("\(1_000_000_052_000_000 + index)")
            purchase.inAppItemID = 0
            purchase.isTrialPeriod = false
            purchase.isInIntroOfferPeriod = false
            return purchase
        }
        let content = receipt.encodedContent()
        let leaf = receiptChain.certificates[0]
        return SignedReceipt.encode(
            content: content, certificates: receiptChain.der, digestAlgorithm: .sha256,
            signer: SignedReceipt.Signer(
                issuer: leaf.issuerDER[...], serialNumber: leaf.serialNumber[...],
                digestAlgorithm: .sha256, signatureAlgorithm: .rsaEncryption,
                signature: try receiptChain.leafKey.sign(content, as: .rsaPKCS1(.sha256))[...]))
    }
}
