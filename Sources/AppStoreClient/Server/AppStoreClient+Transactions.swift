public import AppStoreModel
import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppStoreClient {
    /// One transaction (Get Transaction Info).
    ///
    /// - Parameters:
    ///   - id: Any transaction, first or later.
    ///   - environment: Where it was made; `nil` where nobody knows.
    /// - Returns: The transaction, unverified.
    /// - Throws: ``AppStoreClientError``.
    public func transaction(
        _ id: TransactionID, in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<UnverifiedSigned<TransactionPayload>> {
        let call = Call(
            "Get Transaction Info", .get, "/inApps/v1/transactions/\(try Self.segment(id))")
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(TransactionInfoResponse.self, response)
            guard let text = document.signedTransactionInfo else {
                throw Self.unreadable(response, "signedTransactionInfo is missing")
            }
            return UnverifiedSigned(text)
        }
    }

    /// The customer's copy of the app (Get App Transaction Info).
    ///
    /// - Parameters:
    ///   - id: Any of the customer's transactions, or the name of the app transaction itself.
    ///   - environment: Where it was made; `nil` where nobody knows.
    /// - Returns: The app transaction, unverified.
    /// - Throws: ``AppStoreClientError``.
    public func appTransaction(
        _ id: TransactionID, in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<UnverifiedSigned<AppTransactionPayload>> {
        let call = Call(
            "Get App Transaction Info", .get,
            "/inApps/v1/transactions/appTransactions/\(try Self.segment(id))")
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(AppTransactionInfoResponse.self, response)
            guard let text = document.signedAppTransactionInfo else {
                throw Self.unreadable(response, "signedAppTransactionInfo is missing")
            }
            return UnverifiedSigned(text)
        }
    }

    /// A page of everything that a customer bought, finished consumables included
    /// (Get Transaction History V2).
    ///
    /// - Parameters:
    ///   - id: Any of the customer's transactions.
    ///   - filter: Which ones; the same for every page.
    ///   - revision: What the page before gave out, or one that was kept from another day.
    ///   - environment: Where they were made; `nil` where nobody knows.
    /// - Returns: The page, unverified.
    /// - Throws: ``AppStoreClientError``.
    public func transactionHistory(
        of id: TransactionID, _ filter: HistoryFilter = HistoryFilter(),
        after revision: String? = nil, in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<UnverifiedTransactionPage> {
        var call = Call(
            "Get Transaction History", .get, "/inApps/v2/history/\(try Self.segment(id))")
        filter.add(to: &call.query)
        if let revision { call.query.append("revision", revision) }
        return try await ask(call, in: environment) { response, asked throws(CallFailure) in
            let document = try Self.document(HistoryResponse.self, response)
            try check(bundleID: document.bundleID, claims: document.environment, asked: asked)
            return UnverifiedTransactionPage(
                transactions: (document.signedTransactions ?? []).map { UnverifiedSigned($0) },
                next: document.revision, hasMore: document.hasMore ?? false)
        }
    }

    /// A page of what was paid back to a customer (Get Refund History V2), oldest first.
    ///
    /// - Parameters:
    ///   - id: Any of the customer's transactions.
    ///   - revision: What the page before gave out.
    ///   - environment: Where they were made; `nil` where nobody knows.
    /// - Returns: The page, unverified.
    /// - Throws: ``AppStoreClientError``.
    public func refundHistory(
        of id: TransactionID, after revision: String? = nil,
        in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreAnswer<UnverifiedTransactionPage> {
        var call = Call(
            "Get Refund History", .get, "/inApps/v2/refund/lookup/\(try Self.segment(id))")
        call.group = .lookup
        if let revision { call.query.append("revision", revision) }
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(RefundHistoryResponse.self, response)
            return UnverifiedTransactionPage(
                transactions: (document.signedTransactions ?? []).map { UnverifiedSigned($0) },
                next: document.revision, hasMore: document.hasMore ?? false)
        }
    }

    /// The transactions of an order number out of a customer's mail (Look Up Order ID).
    ///
    /// Nothing where Apple knows no such order. Only production has the call.
    public func order(
        _ id: AppleOrderID
    ) async throws(AppStoreClientError) -> [UnverifiedSigned<TransactionPayload>]? {
        var call = Call("Look Up Order ID", .get, "/inApps/v1/lookup/\(try Self.segment(id))")
        call.group = .lookup
        return try await ask(call, in: .production) { response, _ throws(CallFailure) in
            let document = try Self.document(OrderLookupResponse.self, response)
            guard document.status == .valid else { return nil }
            return (document.signedTransactions ?? []).map { UnverifiedSigned($0) }
        }.content
    }

    /// Finishes a transaction in place of the app (Finish Transaction).
    ///
    /// Do it only when the purchase is durably recorded: afterwards no device shows it again.
    @discardableResult
    public func finish(
        _ id: TransactionID, in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreEnvironment {
        let call = Call(
            "Finish Transaction", .post, "/inApps/v1/transactions/\(try Self.segment(id))/finish")
        return try await ask(call, in: environment) { _, _ in }.environment
    }

    /// Sets the account token of a purchase and of those that follow it (Set App Account Token).
    ///
    /// - Parameters:
    ///   - token: A UUID.
    ///   - id: The buyer's original transaction.
    ///   - environment: Where it was made; `nil` where nobody knows.
    /// - Returns: Where the purchase was found.
    /// - Throws: ``AppStoreClientError``.
    @discardableResult
    public func setAppAccountToken(
        _ token: AppAccountToken, of id: TransactionID, in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreEnvironment {
        guard UUID(uuidString: token.rawValue) != nil else {
            throw Self.invalidRequest("an account token is a UUID")
        }
        var call = Call(
            "Set App Account Token", .put,
            "/inApps/v1/transactions/\(try Self.segment(id))/appAccountToken")
        call.group = .writing
        var request = UpdateAppAccountTokenRequest()
        request.appAccountToken = token.rawValue
        call.body = try Self.body(request)
        return try await ask(call, in: environment) { _, _ in }.environment
    }
}

/// The number of an order in a customer's mail from Apple.
public struct AppleOrderID: AppStoreIdentifier {
    /// Letters and digits.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}
