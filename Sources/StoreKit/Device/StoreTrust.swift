import Foundation
import StoreWire

/// What this device believes of signed values: the store's root, this app, this device.
struct StoreTrust: Sendable {
    init(info: StoreInfo, device: DeviceSession) {}

    func transaction(_ compact: String) -> VerificationResult<Transaction>? {
        Transaction(SignedText(compact: compact)).map { .verified($0) }
    }
    func appTransaction(_ compact: String) -> VerificationResult<AppTransaction>? {
        AppTransaction(SignedText(compact: compact)).map { .verified($0) }
    }
    func status(_ wire: WireSubscriptionStatus) -> Product.SubscriptionInfo.Status? {
        guard let transaction = transaction(wire.transaction.signedTransactionInfo),
            let renewal = Product.SubscriptionInfo.RenewalInfo(
                SignedText(compact: wire.signedRenewalInfo))
        else { return nil }
        return .init(
            state: .init(rawValue: wire.status), transaction: transaction,
            renewalInfo: .verified(renewal))
    }
}
