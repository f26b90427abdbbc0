import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LocalStore {
    /// The most transactions in a `unified_receipt`.
    static let unifiedReceiptLimit = 100

    /// The body of a version 1 notification: unsigned, with the customer's newest receipt.
    func versionOneBody(_ notification: StoreNotification) throws(StoreProblem) -> String {
        var body = NotificationV1Body(
            NotificationV1Type(rawValue: notification.versionOneType ?? ""))
        body.password = keys.sharedSecret
        body.environment = notification.environment
        body.bundleID = state.app.bundleID
        body.applicationVersion = state.app.version
        if let renewal = notification.renewal {
            body.autoRenewProductID = renewal.autoRenewProductID
            body.autoRenewStatus = renewal.autoRenewStatus == .on
            body.expirationIntent = renewal.expirationIntent
            body.originalTransactionID = renewal.originalTransactionID
            body.autoRenewAdamID = renewal.autoRenewProductID
                .flatMap { state.catalog.product($0)?.appleID }.map { String($0) }
            body.autoRenewStatusChangeDate = DateTriplet(
                state.subscriptions[renewal.originalTransactionID]?.renewalChanged)
        }
        if let transaction = notification.transaction {
            body.webOrderLineItemID = transaction.webOrderLineItemID
            body.cancellationDate = DateTriplet(transaction.revocationDate)
        }
        if let account = notification.account.flatMap({ state.accounts[$0] }) {
            body.unifiedReceipt = try unifiedReceipt(account)
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(body), as: UTF8.self)
        } catch {
            throw StoreProblem(.internalFault, detail: "a notification cannot be written: \(error)")
        }
    }

    private func unifiedReceipt(_ account: Account) throws(StoreProblem) -> VerifyReceiptResponse {
        var unified = VerifyReceiptResponse(unfilled: ())
        unified.status = .valid
        unified.environment = account.environment
        let device = state.devices.rows.first { $0.account == account.id }
        unified.latestReceipt = Data(try signedReceipt(account, device: device))
            .base64EncodedString()
        unified.latestReceiptInfo = Array(
            state.history(of: account).filter { !$0.isUsedUp }
                .sorted { ($0.purchaseDate, $0.revision) > ($1.purchaseDate, $1.revision) }
                .prefix(Self.unifiedReceiptLimit).map { state.latestReceiptInfo($0) })
        unified.pendingRenewalInfo = account.subscriptions.compactMap { state.subscriptions[$0] }
            .map { state.pendingRenewalInfo($0) }
        return unified
    }
}
