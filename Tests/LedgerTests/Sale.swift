import AppStoreModel
import CryptoPrimitives

@testable import TillLedger

/// A purchase as Apple would sign it, one field at a time to be made wrong.
///
/// The rules see no signature: proofs are made here as the verifier's door makes them.
struct Sale: Sendable, Hashable {
    var id: TransactionID
    var original: TransactionID?
    var product: ProductID = Sale.coins600
    var quantity: Int64 = 1
    var purchased: Timestamp? = Sale.noon
    var item: WebOrderLineItemID?
    var expires: Timestamp?
    var revoked: Timestamp?
    var isUpgraded = false
    var token: String?
    var price: Int64?
    var currency: String?
    var ownership: OwnershipType?
    var group: SubscriptionGroupID?
    var offer: OfferType?
    var signed = Sale.noon.later(minutes: 1)
    var environment = AppStoreEnvironment.production
    var bundle = Sale.app
    var anchor: String?

    init(_ id: TransactionID, _ change: (inout Sale) -> Void = { _ in }) {
        self.id = id
        change(&self)
    }

    static let app: BundleID = "com.example.app"
    static let coins600: ProductID = "com.example.coins600"
    static let coins20: ProductID = "com.example.coins20"
    static let lifetime: ProductID = "com.example.lifetime"
    static let monthly: ProductID = "com.example.monthly"
    static let yearly: ProductID = "com.example.yearly"
    static let season: ProductID = "com.example.season"
    /// 2026-01-15T12:00:00Z.
    static let noon = Timestamp(seconds: 1_768_478_400)

    static let catalog = Catalog(apps: [
        app: AppRules(
            products: [
                coins600: ProductRule(kind: .consumable, credits: ["coins": 600]),
                coins20: ProductRule(kind: .consumable, credits: ["coins": 20]),
                lifetime: ProductRule(kind: .nonConsumable, entitlements: ["pro"]),
                monthly: ProductRule(
                    kind: .autoRenewable, credits: ["gems": 5], entitlements: ["pro"]),
                yearly: ProductRule(kind: .autoRenewable, entitlements: ["pro", "extra"]),
                season: ProductRule(
                    kind: .nonRenewing, entitlements: ["season"],
                    duration: ServicePeriod(days: 30)),
            ],
            environments: [.production, .sandbox])
    ])

    /// A period of the monthly subscription, from the month after noon on.
    static func month(_ number: Int, _ change: (inout Sale) -> Void = { _ in }) -> Sale {
        Sale(TransactionID("20000\(number)")) { sale in
            sale.original = "200000"
            sale.product = monthly
            sale.purchased = noon.later(days: 30 * number)
            sale.expires = noon.later(days: 30 * (number + 1))
            sale.item = WebOrderLineItemID("90000\(number)")
            sale.signed = noon.later(days: 30 * number, minutes: 1)
            change(&sale)
        }
    }

    /// The signed transaction.
    var proof: VerifiedProof { Sale.proof(.transaction, [self], signed: signed) }

    /// A receipt that lists purchases.
    static func receipt(_ sales: [Sale], created: Timestamp = noon.later(minutes: 2))
        -> VerifiedProof
    {
        proof(.receipt, sales, signed: created)
    }

    private static func proof(
        _ source: ProofSource, _ sales: [Sale], signed: Timestamp
    ) -> VerifiedProof {
        let bytes = Array("\(source) \(sales) \(signed)".utf8)
        guard let digest = ProofDigest(rawValue: SHA256.hash(bytes)) else {
            preconditionFailure("no digest")
        }
        return VerifiedProof(
            source: source, bytes: bytes, digest: digest,
            facts: sales.map { $0.fact(source, signed: signed, proof: digest) })
    }

    func fact(
        _ source: ProofSource, signed: Timestamp, proof: ProofDigest
    ) -> PurchaseFact {
        var fields = ObservedFields(source: source)
        fields.expiresDate = expires
        fields.revocationDate = revoked
        if source == .transaction {
            fields.isUpgraded = isUpgraded ? true : nil
            fields.ownership = ownership
            fields.subscriptionGroupID = group
            fields.offerType = offer
            fields.appAccountToken = token.map { AppAccountToken($0) }
            fields.price = price
            fields.currency = currency
            fields.ownership = ownership
            fields.subscriptionGroupID = group
            fields.offerType = offer
        }
        return PurchaseFact(
            book: Book(bundleID: bundle, environment: environment, anchor: anchor),
            signedID: id, signedOriginalID: original ?? id, productID: product,
            quantity: quantity, purchaseDate: purchased, webOrderLineItemID: item,
            signedAt: signed, fields: fields, proof: proof)
    }
}

extension Timestamp {
    func later(days: Int = 0, minutes: Int = 0) -> Timestamp {
        advanced(byMilliseconds: Int64(days) * 86_400_000 + Int64(minutes) * 60_000)
    }
}

extension ReceiptTests {
    static func digest(_ proof: VerifiedProof) -> ProofDigest? { proof.digest }
}
