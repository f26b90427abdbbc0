import AppStoreModel
import HTTPMessage
import HTTPServer

extension LocalStore {
    /// Whether a name is that of a customer's copy of the app, which some calls do not take.
    func isAppTransaction(_ id: String, in environment: AppStoreEnvironment) -> Bool {
        state.transaction(TransactionID(id), in: environment) == nil
            && state.customer(id, in: environment) != nil
    }

    /// A purchase's name for a call that does not take the app's.
    func requirePurchase(
        _ id: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> TransactionID {
        catchUp()
        guard !isAppTransaction(id, in: environment) else { throw .appTransactionNotSupported }
        return TransactionID(id)
    }
}

extension StoreRoutes {
    /// Transactions, histories, refunds, orders, the app's own purchase.
    mutating func addTransactionCalls(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.get, "/inApps/v1/transactions/:id", check, limiter, .usual) { call in
            let id = try await store.requirePurchase(call.id("id"), in: call.environment)
            var answer = TransactionInfoResponse()
            answer.signedTransactionInfo = try await store.transactionInfo(
                id, in: call.environment)
            return AppleAnswer.document(answer)
        }
        for (path, isFirst) in [
            ("/inApps/v2/history/:id", false), ("/inApps/v1/history/:id", true),
        ] {
            server(.get, path, check, limiter, .usual) { call in
                var query = try call.historyQuery()
                query.withFinishedConsumables = !isFirst
                let page = try await store.history(
                    of: call.id("id"), in: call.environment, query)
                let app = await store.identity(in: call.environment)
                var answer = HistoryResponse()
                answer.revision = page.revision
                answer.hasMore = page.hasMore
                answer.bundleID = app.bundleID
                answer.appAppleID = app.appleID
                answer.environment = call.environment
                answer.signedTransactions = page.signedTransactions
                return AppleAnswer.document(answer)
            }
        }
        server(.get, "/inApps/v1/transactions/appTransactions/:id", check, limiter, .usual) {
            call in
            var answer = AppTransactionInfoResponse()
            answer.signedAppTransactionInfo = try await store.appTransactionInfo(
                call.id("id"), in: call.environment)
            return AppleAnswer.document(answer)
        }
        server(.post, "/inApps/v1/transactions/:id/finish", check, limiter, .usual) { call in
            let id = try await store.requirePurchase(call.id("id"), in: call.environment)
            try await store.finish(id, in: call.environment)
            return HTTPResponse(status: .ok)
        }
        server(.put, "/inApps/v1/transactions/:id/appAccountToken", check, limiter, .writing) {
            call in
            let id = try await store.requirePurchase(call.id("id"), in: call.environment)
            guard let token = try call.body()["appAccountToken"]?.string, UUIDText.isValid(token)
            else { throw AppleErrorCode.invalidTokenUUID }
            try await store.setToken(AppAccountToken(token), of: id, in: call.environment)
            return HTTPResponse(status: .ok)
        }
        addLookups(check, limiter)
    }

    private mutating func addLookups(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.get, "/inApps/v2/refund/lookup/:id", check, limiter, .lookup) { call in
            let page = try await store.refundHistory(
                of: call.id("id"), in: call.environment, revision: call.value("revision"))
            var answer = RefundHistoryResponse()
            answer.revision = page.revision
            answer.hasMore = page.hasMore
            answer.signedTransactions = page.signedTransactions
            return AppleAnswer.document(answer)
        }
        server(.get, "/inApps/v1/refund/lookup/:id", check, limiter, .lookup) { call in
            let id = try call.id("id", orElse: .invalidOriginalTransactionID)
            var answer = RefundHistoryResponse()
            answer.signedTransactions = try await store.firstRefunds(of: id, in: call.environment)
            return AppleAnswer.document(answer)
        }
        // Apple's sandbox has no such call.
        guard environment == .production else { return }
        server(.get, "/inApps/v1/lookup/:order", check, limiter, .lookup) { call in
            let found = try await store.lookUp(
                order: call.context.parameter("order"), in: call.environment)
            var answer = OrderLookupResponse()
            answer.status = found == nil ? .invalid : .valid
            answer.signedTransactions = found ?? []
            return AppleAnswer.document(answer)
        }
    }
}

extension LocalStore {
    /// Get Refund History in its first version: at most fifty, by an original transaction.
    func firstRefunds(
        of id: String, in environment: AppStoreEnvironment
    ) throws(AppleErrorCode) -> [String] {
        catchUp()
        guard let row = state.transaction(TransactionID(id), in: environment),
            row.originalID.rawValue == id
        else { throw .originalNotFound }
        var all: [String] = []
        var revision: String?
        repeat {
            let page = try refundHistory(of: id, in: environment, revision: revision)
            all += page.signedTransactions
            guard page.hasMore else { break }
            revision = page.revision
        } while all.count < 50
        return Array(all.prefix(50))
    }
}

extension ServerCall {
    private static let productTypes: [String: ProductType] = [
        "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewing,
        "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
    ]

    /// The filters of Get Transaction History.
    func historyQuery() throws(AppleErrorCode) -> HistoryQuery {
        var query = HistoryQuery()
        query.revision = try value("revision")
        query.startDate = try moment("startDate", orElse: .invalidStartDate)
        query.endDate = try moment("endDate", orElse: .invalidEndDate)
        for text in try values("productId") {
            guard !text.isEmpty, text.utf8.count <= 255 else { throw .invalidProductID }
            query.productIDs.append(ProductID(text))
        }
        for text in try values("productType") {
            guard let type = Self.productTypes[text] else { throw .invalidProductType }
            query.productTypes.append(type)
        }
        for text in try values("subscriptionGroupIdentifier") {
            guard !text.isEmpty, text.utf8.count <= 255 else { throw .invalidGroup }
            query.groups.append(SubscriptionGroupID(text))
        }
        if let text = try value("inAppOwnershipType") {
            let ownership = OwnershipType(rawValue: text)
            guard ownership == .purchased || ownership == .familyShared else {
                throw .invalidOwnership
            }
            query.ownership = ownership
        }
        switch try value("sort") {
        case nil, "ASCENDING": break
        case "DESCENDING": query.isDescending = true
        default: throw .invalidSort
        }
        if try flag("excludeRevoked", orElse: .invalidExcludeRevoked) == true {
            query.revoked = false
        }
        query.revoked = try flag("revoked", orElse: .invalidRevoked) ?? query.revoked
        return query
    }
}
