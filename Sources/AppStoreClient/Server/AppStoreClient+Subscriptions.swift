public import AppStoreModel
import HTTPMessage

extension AppStoreClient {
    /// How all of a customer's subscriptions stand (Get All Subscription Statuses).
    ///
    /// - Parameters:
    ///   - id: Any of the customer's transactions.
    ///   - statuses: Only those; all where there are none.
    ///   - environment: Where they were made; `nil` where nobody knows.
    /// - Returns: One element for each original transaction.
    /// - Throws: ``AppStoreClientError``.
    public func subscriptions(
        of id: TransactionID, with statuses: [SubscriptionStatus] = [],
        in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<[UnverifiedSubscription]> {
        var call = Call(
            "Get All Subscription Statuses", .get,
            "/inApps/v1/subscriptions/\(try Self.segment(id))"
        )
        for status in statuses { call.query.append("status", String(status.rawValue)) }
        return try await ask(call, in: environment) { response, asked throws(CallFailure) in
            let document = try Self.document(StatusResponse.self, response)
            try check(bundleID: document.bundleID, claims: document.environment, asked: asked)
            var subscriptions: [UnverifiedSubscription] = []
            for group in document.data ?? [] {
                for last in group.lastTransactions ?? [] {
                    guard let transaction = last.signedTransactionInfo else {
                        throw Self.unreadable(response, "signedTransactionInfo is missing")
                    }
                    subscriptions.append(
                        UnverifiedSubscription(
                            groupID: group.subscriptionGroupIdentifier,
                            claimedStatus: last.status,
                            claimedOriginalTransactionID: last.originalTransactionID,
                            transaction: UnverifiedSigned(transaction),
                            renewal: last.signedRenewalInfo.map { UnverifiedSigned($0) }))
                }
            }
            return subscriptions
        }
    }

    /// Gives a subscriber days for nothing (Extend a Subscription Renewal Date).
    ///
    /// It is not tried again where it may have been done already: ask for the status before you do.
    ///
    /// - Parameters:
    ///   - id: The original transaction of an active subscription.
    ///   - days: 1 to 90.
    ///   - reason: Why.
    ///   - requestID: Your own name of the request, at most 128 characters, never used before.
    ///   - environment: Where it was made; `nil` where nobody knows.
    /// - Returns: What became of it.
    /// - Throws: ``AppStoreClientError``.
    public func extendSubscription(
        _ id: TransactionID, byDays days: Int, reason: ExtendReasonCode, requestID: String,
        in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<SubscriptionExtension> {
        guard (1...90).contains(days) else {
            throw Self.invalidRequest("a subscription is extended by 1 to 90 days")
        }
        guard (1...128).contains(requestID.count) else {
            throw Self.invalidRequest("a request's name has 1 to 128 characters")
        }
        var call = Call(
            "Extend a Subscription Renewal Date", .put,
            "/inApps/v1/subscriptions/extend/\(try Self.segment(id))")
        call.group = .writing
        call.isHarmlessTwice = false
        var request = ExtendRenewalDateRequest()
        request.extendByDays = Int64(days)
        request.extendReasonCode = reason
        request.requestIdentifier = requestID
        call.body = try Self.body(request)
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(ExtendRenewalDateResponse.self, response)
            return SubscriptionExtension(
                isExtended: document.success ?? false, effectiveDate: document.effectiveDate,
                webOrderLineItemID: document.webOrderLineItemID)
        }
    }
}

/// What became of a request to extend a subscription.
public struct SubscriptionExtension: Sendable, Hashable {
    /// Whether Apple did it.
    public let isExtended: Bool
    /// The new end of the period.
    public let effectiveDate: Timestamp?
    /// The period.
    public let webOrderLineItemID: WebOrderLineItemID?
}
