import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import TestKit

/// One authority for all tests, since RSA keys take their time.
let authority: Result<SigningAuthority, SigningError> = Result { () throws(SigningError) in
    try SigningAuthority.make()
}

let moment = Timestamp(milliseconds: 1_700_000_000_000)
let app: BundleID = "com.example.app"

var sampleReceipt: AppReceipt {
    var receipt = AppReceipt(
        bundleID: app, creationDate: moment, receiptType: .productionSandbox)
    receipt.appItemID = 0
    receipt.applicationVersion = "7"
    receipt.originalApplicationVersion = "1.0"
    receipt.originalPurchaseDate = moment
    var purchase = InAppPurchase(productID: "coins600", transactionID: "2000000000000001")
    purchase.quantity = 1
    purchase.purchaseDate = moment
    purchase.originalPurchaseDate = moment
    receipt.inApp = [purchase]
    return receipt
}

var sampleTransaction: TransactionPayload {
    var payload = TransactionPayload(
        transactionID: "2000000000000002", bundleID: app, productID: "pro")
    payload.environment = .sandbox
    payload.signedDate = moment
    payload.purchaseDate = moment
    payload.type = .autoRenewable
    payload.price = 9_990
    payload.currency = "USD"
    return payload
}

var sampleRenewal: RenewalPayload {
    var payload = RenewalPayload(originalTransactionID: "2000000000000002")
    payload.autoRenewStatus = .on
    payload.autoRenewProductID = "pro"
    payload.productID = "pro"
    payload.environment = .sandbox
    payload.signedDate = moment
    return payload
}

/// A verifier that trusts the authority's root for the sample app's sandbox, and nothing else.
func verifier(_ authority: SigningAuthority) throws -> ProofVerifier {
    ProofVerifier(
        configuration: try TrustConfiguration(
            apps: [
                TrustedApp(
                    bundleID: app, appAppleID: 42, environments: [.sandbox],
                    extraRoots: [ExtraRoot(name: "local", certificate: authority.root)])
            ], legacyCertificates: authority.legacyCertificates))
}
