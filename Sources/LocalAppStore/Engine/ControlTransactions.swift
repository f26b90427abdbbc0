import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the control API tells of transactions and subscriptions, and does to them.
extension LocalStore {
    func transactionsPage(
        account: AccountID?, product: ProductID?, environment: AppStoreEnvironment?,
        before: TransactionID?
    ) throws(StoreProblem) -> TransactionsPage {
        catchUp()
        var rows = state.transactions.rows.filter {
            (account == nil || $0.account == account) && (product == nil || $0.productID == product)
                && (environment == nil || $0.environment == environment)
        }
        let total = rows.count
        if let before {
            guard let place = rows.firstIndex(where: { $0.id == before }) else {
                throw StoreProblem(.transactionNotFound, detail: before.rawValue)
            }
            rows = Array(rows[..<place])
        }
        var records: [TransactionRecord] = []
        for row in rows.suffix(200).reversed() { records.append(try record(row)) }
        return TransactionsPage(transactions: records, total: total)
    }

    func transactionRecord(_ id: TransactionID) throws(StoreProblem) -> TransactionRecord {
        catchUp()
        guard let row = state.transaction(id) else {
            throw StoreProblem(.transactionNotFound, detail: id.rawValue)
        }
        return try record(row)
    }

    private func record(_ row: StoreTransaction) throws(StoreProblem) -> TransactionRecord {
        TransactionRecord(
            transaction: try signedTransaction(row), accountID: row.account,
            environment: row.environment, orderID: row.orderID, quantity: row.quantity,
            price: row.price, currency: row.currency, appAccountToken: row.token,
            webOrderLineItemID: row.lineItemID, offerID: row.offer?.id,
            offerKind: row.offer.map { offer in
                switch offer.kind {
                case .introductory: .introductory
                case .promotional: .promotional
                case .winBack: .winBack
                default: .code
                }
            }, isUpgraded: row.upgraded != nil, isFamilyShared: row.isFamilyShared,
            refund: row.refund)
    }

    func act(
        on id: TransactionID, _ action: TransactionAction
    ) throws(StoreProblem) -> TransactionRecord {
        try perform(.actOnTransaction(id, action))
        return try transactionRecord(id)
    }

    func subscriptionsInfo(
        account: AccountID?, environment: AppStoreEnvironment?
    ) -> SubscriptionsResponse {
        catchUp()
        return SubscriptionsResponse(
            subscriptions: state.subscriptions.rows.filter {
                (account == nil || $0.account == account)
                    && (environment == nil || $0.environment == environment)
            }.map(wire))
    }

    func subscriptionInfo(_ id: TransactionID) throws(StoreProblem) -> SubscriptionInfo {
        catchUp()
        guard let original = state.transaction(id)?.originalID,
            let row = state.subscriptions[original]
        else { throw StoreProblem(.subscriptionNotFound, detail: id.rawValue) }
        return wire(row)
    }

    private func wire(_ row: Subscription) -> SubscriptionInfo {
        let renewal = state.payload(row)
        return SubscriptionInfo(
            originalTransactionID: row.id, accountID: row.account, environment: row.environment,
            groupID: row.groupID, productID: row.productID, status: Int(row.status.rawValue),
            autoRenews: row.autoRenews, autoRenewProductID: row.nextProductID,
            expiresDate: row.expires, renewalDate: renewal.renewalDate,
            gracePeriodExpiresDate: renewal.gracePeriodExpiresDate,
            isInBillingRetry: renewal.isInBillingRetryPeriod == true,
            expirationIntent: renewal.expirationIntent.map { Int($0.rawValue) },
            priceIncreaseStatus: renewal.priceIncreaseStatus.map { Int($0.rawValue) },
            isFamilyShared: row.isFamilyShared, periods: row.periods)
    }

    func act(
        on id: TransactionID, _ action: SubscriptionAction
    ) throws(StoreProblem) -> SubscriptionInfo {
        let original = state.transaction(id)?.originalID ?? id
        try perform(.actOnSubscription(original, action))
        return try subscriptionInfo(original)
    }

    func receipt(of id: AccountID) throws(StoreProblem) -> ReceiptResponse {
        catchUp()
        guard let account = state.accounts[id] else {
            throw StoreProblem(.accountNotFound, detail: id.rawValue)
        }
        let device = state.devices.rows.first { $0.account == id }
        return ReceiptResponse(
            receipt: Data(try signedReceipt(account, device: device)).base64EncodedString())
    }
}
