import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What Apple's Server API and `verifyReceipt` ask the store, signed and ready; who may ask and how the
/// answers are spelled is the HTTP side's matter.
extension LocalStore {
    private func signing<T>(
        _ make: () throws(StoreProblem) -> T
    ) throws(AppleErrorCode) -> T {
        do {
            return try make()
        } catch {
            throw .internalFault
        }
    }

    private func customer(
        _ id: String, _ environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> Account {
        catchUp()
        guard let account = state.customer(id, in: environment) else { throw .transactionNotFound }
        return account
    }

    /// Get Transaction Info.
    func transactionInfo(
        _ id: TransactionID, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> String {
        catchUp()
        guard let row = state.transaction(id, in: environment) else { throw .transactionNotFound }
        return try signing { () throws(StoreProblem) in
            try signed(state.payload(row, as: row.id == id ? nil : id))
        }
    }

    struct HistoryPage: Sendable {
        let signedTransactions: [String]
        let revision: String
        let hasMore: Bool
    }

    /// Get Transaction History: 20 a page, ordered by the last change.
    func history(
        of id: String, in environment: AppStoreEnvironment, _ query: HistoryQuery
    ) throws(AppleErrorCode) -> HistoryPage {
        let account = try customer(id, environment)
        var after = query.isDescending ? Int64.max : 0
        if let text = query.revision {
            guard let mark = PageMark(text), mark.fingerprint == query.fingerprint else {
                throw .invalidRevision
            }
            after = mark.position
        }
        let rows = state.history(of: account).filter {
            query.wants($0) && (query.isDescending ? $0.revision < after : $0.revision > after)
        }.sorted { query.isDescending ? $0.revision > $1.revision : $0.revision < $1.revision }
        let page = rows.prefix(HistoryQuery.pageSize)
        let end = page.last?.revision ?? after
        let signed = try signing { () throws(StoreProblem) in try signedAll(page) }
        return HistoryPage(
            signedTransactions: signed,
            revision: PageMark(position: end, fingerprint: query.fingerprint).text,
            hasMore: rows.count > page.count)
    }

    private func signedAll(
        _ rows: some Sequence<StoreTransaction>
    ) throws(StoreProblem) -> [String] {
        var all: [String] = []
        for row in rows { all.append(try signed(state.payload(row))) }
        return all
    }

    struct StatusItem: Sendable {
        let groupID: SubscriptionGroupID
        let status: SubscriptionStatus
        let originalTransactionID: TransactionID
        let signedTransactionInfo: String
        let signedRenewalInfo: String
    }

    /// Get All Subscription Statuses, one item for each subscription, groups in the order of their first.
    func statuses(
        of id: String, in environment: AppStoreEnvironment, _ wanted: Set<SubscriptionStatus> = []
    ) throws(AppleErrorCode) -> [StatusItem] {
        let account = try customer(id, environment)
        let rows = account.subscriptions.compactMap { state.subscriptions[$0] }
            .filter { wanted.isEmpty || wanted.contains($0.status) }
        return try signing { () throws(StoreProblem) in
            var items: [StatusItem] = []
            for row in rows {
                guard let current = state.transactions[row.current] else { continue }
                items.append(
                    StatusItem(
                        groupID: row.groupID, status: row.status, originalTransactionID: row.id,
                        signedTransactionInfo: try signed(state.payload(current)),
                        signedRenewalInfo: try signed(state.payload(row))))
            }
            return items
        }
    }

    /// Get Refund History: 20 a page, in the order of the refunds.
    func refundHistory(
        of id: String, in environment: AppStoreEnvironment, revision: String?
    ) throws(AppleErrorCode) -> HistoryPage {
        let account = try customer(id, environment)
        var after = 0
        if let revision {
            guard let mark = PageMark(revision), mark.fingerprint == 0 else {
                throw .invalidRevision
            }
            after = Int(clamping: mark.position)
        }
        let refunded = state.history(of: account).filter { $0.refund == .refunded }
            .sorted {
                ($0.revocation?.date ?? .zero, $0.revision) < (
                    $1.revocation?.date ?? .zero, $1.revision
                )
            }
        let page = refunded.dropFirst(max(0, after)).prefix(HistoryQuery.pageSize)
        let end = max(0, after) + page.count
        let signed = try signing { () throws(StoreProblem) in try signedAll(page) }
        return HistoryPage(
            signedTransactions: signed,
            revision: PageMark(position: Int64(end), fingerprint: 0).text,
            hasMore: refunded.count > end)
    }

    /// Look Up Order ID; nothing for an unknown order.
    func lookUp(
        order: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> [String]? {
        catchUp()
        let rows = (state.orders[order] ?? []).compactMap { state.transactions[$0] }
            .filter { $0.environment == environment }
        guard !rows.isEmpty else { return nil }
        return try signing { () throws(StoreProblem) in try signedAll(rows) }
    }

    /// Get App Transaction Info.
    func appTransactionInfo(
        _ id: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> String {
        let account = try customer(id, environment)
        return try signing { () throws(StoreProblem) in
            try signed(state.payload(account, device: nil))
        }
    }

    struct Extended: Sendable {
        let originalTransactionID: TransactionID
        let webOrderLineItemID: WebOrderLineItemID?
        let effectiveDate: Timestamp
    }

    /// Extend a Subscription Renewal Date.
    func extend(
        _ id: TransactionID, in environment: AppStoreEnvironment, days: Int
    ) throws(AppleErrorCode) -> Extended {
        catchUp()
        guard let row = state.subscriptions[id], row.environment == environment else {
            throw .originalNotFound
        }
        let outcome = try signing { () throws(StoreProblem) in try perform(.extend(id, days: days))
        }
        switch outcome {
        case .date(let date):
            return Extended(
                originalTransactionID: id,
                webOrderLineItemID: state.transactions[row.current]?.lineItemID,
                effectiveDate: date)
        case .refusedExtension(let refusal): throw AppleErrorCode(code: refusal.rawValue)
        default: throw .internalFault
        }
    }

    /// Extend for All Active Subscribers: taken now, carried out a minute later on the store's clock.
    func extendAll(
        _ product: ProductID, in environment: AppStoreEnvironment, days: Int,
        reason: ExtendReasonCode, requestID: String, storefronts: [String]?
    ) throws(AppleErrorCode) {
        let key = MassExtension.Key(environment: environment, requestID: requestID)
        _ = try signing { () throws(StoreProblem) in
            try perform(
                .massExtend(key, product, days: days, reason: reason, storefronts: storefronts))
        }
    }

    /// Get Status of Subscription Renewal Date Extensions.
    func massExtension(
        _ product: ProductID, requestID: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> MassExtension {
        catchUp()
        let key = MassExtension.Key(environment: environment, requestID: requestID)
        guard let request = state.massExtensions[key], request.productID == product else {
            throw .statusRequestNotFound
        }
        return request
    }

    /// Set App Account Token.
    func setToken(
        _ token: AppAccountToken, of id: TransactionID, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) {
        catchUp()
        guard let row = state.transaction(id, in: environment) else { throw .originalNotFound }
        guard !row.isFamilyShared else { throw .familyTransaction }
        guard row.originalID == id else { throw .notOriginal }
        _ = try signing { () throws(StoreProblem) in try perform(.setToken(id, token)) }
    }

    /// Finish Transaction.
    func finish(
        _ id: TransactionID, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) {
        catchUp()
        guard let row = state.transaction(id, in: environment) else { throw .transactionNotFound }
        _ = try signing { () throws(StoreProblem) in
            try perform(.actOnTransaction(row.id, TransactionAction(action: .finish)))
        }
    }

    /// Send Consumption Information: the wish is heard when the App Store decides on the refund.
    func takeConsumption(
        _ id: TransactionID, in environment: AppStoreEnvironment, preference: RefundPreference?
    ) throws(AppleErrorCode) {
        let row = try transactionRow(id, in: environment)
        _ = try signing { () throws(StoreProblem) in
            try perform(.consumption(row.id, preference))
        }
    }

    /// Whether a transaction can be asked about at all, and what it is.
    func transactionRow(
        _ id: TransactionID, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> StoreTransaction {
        catchUp()
        guard let row = state.transaction(id, in: environment) else { throw .transactionNotFound }
        return row
    }

    // MARK: Notifications

    /// Request a Test Notification; answers with its token.
    func requestTest(in environment: AppStoreEnvironment) throws(AppleErrorCode) -> String {
        do {
            return try perform(.testNotification(environment)).name
        } catch {
            throw .noNotificationURL
        }
    }

    struct HistoryNotification: Sendable {
        let signedPayload: String
        let attempts: [StoreNotification.Attempt]
    }

    /// Get Test Notification Status.
    func testNotification(
        _ token: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> HistoryNotification {
        catchUp()
        let oldest = state.now.addingMonths(-6)
        guard
            let row = state.notifications.rows.last(where: {
                $0.testToken == token && $0.environment == environment
            }), !row.attempts.isEmpty, row.date >= oldest
        else { throw .testNotFound }
        return HistoryNotification(
            signedPayload: try signing { () throws(StoreProblem) in try signedPayload(row) },
            attempts: row.attempts)
    }

    /// What Get Notification History asks for.
    struct NotificationQuery: Sendable {
        var startDate: Timestamp
        var endDate: Timestamp
        var type: NotificationType?
        var subtype: NotificationSubtype?
        var transactionID: String?
        var onlyFailures = false
        var paginationToken: String?

        /// Milliseconds for which a page's token leads to the next page: a day.
        ///
        /// Apple's expire too, and Apple does not say when.
        static let tokenLifetime: Int64 = 86_400_000

        /// A number for the filters that a token goes on under; the end may be the moment of asking.
        var fingerprint: UInt64 {
            PageMark.fingerprint(
                of: [
                    "\(startDate.milliseconds)", type?.rawValue ?? "", subtype?.rawValue ?? "",
                    transactionID ?? "", "\(onlyFailures)",
                ])
        }
    }

    struct NotificationPage: Sendable {
        let notifications: [HistoryNotification]
        let hasMore: Bool
        let paginationToken: String?
    }

    /// Get Notification History: version 2 notifications that were tried, 20 a page, oldest first.
    func notificationHistory(
        _ query: NotificationQuery, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> NotificationPage {
        catchUp()
        var skip = 0
        if let token = query.paginationToken {
            guard let mark = PageMark(token), mark.fingerprint == query.fingerprint,
                let made = mark.made, made <= state.now
            else { throw .invalidPaginationToken }
            guard state.now.milliseconds - made.milliseconds < NotificationQuery.tokenLifetime
            else { throw .paginationTokenExpired }
            skip = Int(clamping: max(0, mark.position))
        }
        var wantedAccount: AccountID?
        if let id = query.transactionID { wantedAccount = try customer(id, environment).id }
        let rows = state.notifications.rows.filter { row in
            row.environment == environment && row.version == 2 && !row.attempts.isEmpty
                && row.date >= query.startDate && row.date <= query.endDate
                && (query.type == nil || row.type == query.type)
                && (query.subtype == nil || row.subtype == query.subtype)
                && (wantedAccount == nil || row.account == wantedAccount)
                && (!query.onlyFailures || !row.attempts.contains { $0.result == .success })
        }
        let page = rows.dropFirst(skip).prefix(20)
        let found = try signing { () throws(StoreProblem) in
            var found: [HistoryNotification] = []
            for row in page {
                found.append(
                    HistoryNotification(
                        signedPayload: try signedPayload(row), attempts: row.attempts))
            }
            return found
        }
        let end = skip + page.count
        let hasMore = rows.count > end
        return NotificationPage(
            notifications: found, hasMore: hasMore,
            paginationToken: hasMore
                ? PageMark(
                    position: Int64(end), fingerprint: query.fingerprint, made: state.now
                ).text : nil)
    }

    // MARK: verifyReceipt

    /// How the subscriptions stand that a receipt is from, as `verifyReceipt` tells beside it.
    struct ReceiptStanding: Sendable {
        /// The newest receipt; nothing when the customer has no auto-renewable subscriptions.
        let latestReceipt: [UInt8]?
        /// All purchases but finished consumables, newest first.
        let latest: [StoreTransaction]
        /// The subscriptions.
        let pending: [Subscription]
    }

    /// What to add to a receipt's own content; the receipt is recognised by the transactions in it.
    func standing(
        of transactions: [TransactionID], in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> ReceiptStanding? {
        catchUp()
        guard
            let account = transactions.lazy.compactMap({
                self.state.transaction($0, in: environment)
            }).first.flatMap({ self.state.accounts[$0.account] })
        else { return nil }
        let rows = state.history(of: account).filter { !$0.isUsedUp }
            .sorted { ($0.purchaseDate, $0.revision) > ($1.purchaseDate, $1.revision) }
        let subscriptions = account.subscriptions.compactMap { state.subscriptions[$0] }
        let receipt =
            subscriptions.isEmpty
            ? nil
            : try signing { () throws(StoreProblem) in
                try signedReceipt(
                    account, device: state.devices.rows.first { $0.account == account.id })
            }
        return ReceiptStanding(latestReceipt: receipt, latest: rows, pending: subscriptions)
    }
}
