import AppStoreModel
import HTTPMessage
import HTTPServer

extension StoreRoutes {
    /// Statuses and extensions.
    mutating func addSubscriptionCalls(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.get, "/inApps/v1/subscriptions/:id", check, limiter, .usual) { call in
            let wanted = try call.wantedStatuses()
            let items = try await store.statuses(of: call.id("id"), in: call.environment, wanted)
            let app = await store.identity(in: call.environment)
            var answer = StatusResponse()
            answer.environment = call.environment
            answer.bundleID = app.bundleID
            answer.appAppleID = app.appleID
            answer.data = Self.grouped(items)
            return AppleAnswer.document(answer)
        }
        server(.put, "/inApps/v1/subscriptions/extend/:id", check, limiter, .writing) { call in
            let id = try call.id("id", orElse: .invalidOriginalTransactionID)
            let wish = try ExtensionWish(call.body())
            let done = try await store.extend(
                TransactionID(id), in: call.environment, days: wish.days)
            var answer = ExtendRenewalDateResponse()
            answer.originalTransactionID = done.originalTransactionID
            answer.webOrderLineItemID = done.webOrderLineItemID
            answer.success = true
            answer.effectiveDate = done.effectiveDate
            return AppleAnswer.document(answer)
        }
        addMassExtensions(check, limiter)
    }

    private mutating func addMassExtensions(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.post, "/inApps/v1/subscriptions/extend/mass", check, limiter, .rare) { call in
            let body = try call.body()
            let wish = try ExtensionWish(body)
            let storefronts = try Self.storefronts(body["storefrontCountryCodes"])
            guard let product = body["productId"]?.string,
                await store.isSubscription(ProductID(product))
            else { throw AppleErrorCode.invalidProductID }
            try await store.extendAll(
                ProductID(product), in: call.environment, days: wish.days, reason: wish.reason,
                requestID: wish.requestID, storefronts: storefronts)
            var answer = MassExtendRenewalDateResponse()
            answer.requestIdentifier = wish.requestID
            return AppleAnswer.document(answer)
        }
        server(
            .get, "/inApps/v1/subscriptions/extend/mass/:product/:request", check, limiter, nil
        ) { call in
            let found = try await store.massExtension(
                ProductID(call.context.parameter("product")),
                requestID: call.context.parameter("request"), in: call.environment)
            var answer = MassExtendRenewalDateStatusResponse()
            answer.requestIdentifier = found.id.requestID
            answer.complete = found.completed != nil
            if let date = found.completed {
                answer.completeDate = date
                answer.succeededCount = found.succeeded
                answer.failedCount = found.failed
            }
            return AppleAnswer.document(answer)
        }
    }

    private static func storefronts(_ value: JSONValue?) throws(AppleErrorCode) -> [String]? {
        guard let value else { return nil }
        guard case .array(let list) = value else { throw .invalidStorefront }
        guard !list.isEmpty else { throw .emptyStorefronts }
        var codes: [String] = []
        for item in list {
            guard let code = item.string, Storefront(countryCode: code) != nil else {
                throw .invalidStorefront
            }
            codes.append(code)
        }
        return codes
    }

    private static func grouped(_ items: [LocalStore.StatusItem]) -> [SubscriptionGroupStatus] {
        var groups: [SubscriptionGroupStatus] = []
        for item in items {
            var last = LastTransaction()
            last.status = item.status
            last.originalTransactionID = item.originalTransactionID
            last.signedTransactionInfo = item.signedTransactionInfo
            last.signedRenewalInfo = item.signedRenewalInfo
            let place = groups.firstIndex { $0.subscriptionGroupIdentifier == item.groupID }
            if let place {
                groups[place].lastTransactions?.append(last)
            } else {
                var group = SubscriptionGroupStatus()
                group.subscriptionGroupIdentifier = item.groupID
                group.lastTransactions = [last]
                groups.append(group)
            }
        }
        return groups
    }
}

extension LocalStore {
    func isSubscription(_ product: ProductID) -> Bool {
        state.catalog.product(product)?.type == .autoRenewable
    }
}

extension ServerCall {
    /// `status`, repeated, 1 to 5.
    fileprivate func wantedStatuses() throws(AppleErrorCode) -> Set<SubscriptionStatus> {
        var wanted: Set<SubscriptionStatus> = []
        for text in try values("status") {
            guard let number = Int64(text), (1...5).contains(number) else { throw .invalidStatus }
            wanted.insert(SubscriptionStatus(rawValue: number))
        }
        return wanted
    }
}

/// What both kinds of extension ask for.
private struct ExtensionWish {
    let days: Int
    let reason: ExtendReasonCode
    let requestID: String

    init(_ body: [String: JSONValue]) throws(AppleErrorCode) {
        guard let days = body["extendByDays"]?.integer, (1...90).contains(days) else {
            throw .invalidExtendByDays
        }
        guard let reason = body["extendReasonCode"]?.integer, (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        guard let requestID = body["requestIdentifier"]?.string,
            (1...128).contains(requestID.count)
        else { throw .invalidRequestIdentifier }
        self.days = Int(days)
        self.reason = ExtendReasonCode(rawValue: reason)
        self.requestID = requestID
    }
}
