import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import Foundation

/// A few proofs signed on the spot, where there are none of Apple's.
enum ThrowawayProofs {
    private static let bundleID: BundleID = "com.example.app"

    /// Signs them under a new root, which is written into `home`.
    static func make(in home: String) throws -> (proofs: [DemoProof], rootFile: String) {
        let authority = try SigningAuthority.make(named: "Till Demonstration Root")
        let rootFile = "demo-root.der"
        try Data(authority.root.der).write(to: URL(fileURLWithPath: "\(home)/\(rootFile)"))
        let verifier = ProofVerifier(
            configuration: try TrustConfiguration.unsafeAnyApp(
                extraRoots: [ExtraRoot(name: "demonstration", certificate: authority.root)]))
        let stranger = try SigningAuthority.make(named: "Somebody's Root")
        let now = SystemClock.now()
        let signed: [(String, [UInt8])] = [
            ("receipt-coins-and-pro.der", try authority.sign(receipt(at: now))),
            ("transaction-coins.jws", jws(try authority.sign(coins("2000000000000003", at: now)))),
            ("transaction-monthly.jws", jws(try authority.sign(monthly(at: now)))),
            ("receipt-by-a-stranger.der", try stranger.sign(receipt(at: now))),
            ("transaction-by-a-stranger.jws", jws(try stranger.sign(coins("9", at: now)))),
        ]
        let proofs = signed.compactMap { DemoProof(name: $0.0, bytes: $0.1, verifier: verifier) }
        return (proofs, rootFile)
    }

    private static func jws(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func receipt(at now: Timestamp) -> AppReceipt {
        var receipt = AppReceipt(
            bundleID: bundleID, creationDate: now, receiptType: .productionSandbox)
        receipt.applicationVersion = "1"
        receipt.inApp = [
            purchase("2000000000000001", "com.example.coins600", .consumable, at: now),
            purchase("2000000000000002", "com.example.pro", .nonConsumable, at: now),
        ]
        return receipt
    }

    private static func purchase(
        _ id: TransactionID, _ product: ProductID, _ type: InAppProductType, at now: Timestamp
    ) -> InAppPurchase {
        var purchase = InAppPurchase(productID: product, transactionID: id)
        purchase.quantity = 1
        purchase.productType = type
        purchase.purchaseDate = now
        purchase.originalPurchaseDate = now
        return purchase
    }

    private static func coins(_ id: TransactionID, at now: Timestamp) -> TransactionPayload {
        var transaction = TransactionPayload(
            transactionID: id, bundleID: bundleID, productID: "com.example.coins600")
        transaction.type = .consumable
        fill(&transaction, at: now)
        return transaction
    }

    private static func monthly(at now: Timestamp) -> TransactionPayload {
        var transaction = TransactionPayload(
            transactionID: "2000000000000004", bundleID: bundleID,
            productID: "com.example.plus.monthly")
        transaction.type = .autoRenewable
        transaction.webOrderLineItemID = "2000000000000005"
        transaction.expiresDate = now.advanced(byMilliseconds: 30 * 86_400_000)
        fill(&transaction, at: now)
        return transaction
    }

    private static func fill(_ transaction: inout TransactionPayload, at now: Timestamp) {
        transaction.quantity = 1
        transaction.purchaseDate = now
        transaction.originalPurchaseDate = now
        transaction.signedDate = now
        transaction.environment = .sandbox
        transaction.inAppOwnershipType = .purchased
    }
}
