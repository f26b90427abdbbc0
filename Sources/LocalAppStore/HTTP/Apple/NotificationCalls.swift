import AppStoreModel
import HTTPMessage
import HTTPServer
import StoreWire

extension StoreRoutes {
    /// Test notifications and the history of notifications.
    mutating func addNotificationCalls(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.post, "/inApps/v1/notifications/test", check, limiter, .rare) { call in
            var answer = SendTestNotificationResponse()
            answer.testNotificationToken = try await store.requestTest(in: call.environment)
            return AppleAnswer.document(answer)
        }
        server(.get, "/inApps/v1/notifications/test/:token", check, limiter, .rare) { call in
            let token = call.context.parameter("token")
            guard UUIDText.isValid(String(token.prefix(36))) else {
                throw AppleErrorCode.invalidTestToken
            }
            let found = try await store.testNotification(token, in: call.environment)
            var answer = CheckTestNotificationResponse()
            answer.signedPayload = found.signedPayload
            answer.sendAttempts = found.attempts.map(SendAttempt.init(attempt:))
            answer.firstSendAttemptResult = found.attempts.first?.result
            return AppleAnswer.document(answer)
        }
        server(.post, "/inApps/v1/notifications/history", check, limiter, .usual) { call in
            let query = try call.notificationQuery(now: await store.currentClock().now)
            let page = try await store.notificationHistory(query, in: call.environment)
            var answer = NotificationHistoryResponse()
            answer.hasMore = page.hasMore
            answer.paginationToken = page.paginationToken
            answer.notificationHistory = page.notifications.map { found in
                var item = NotificationHistoryItem()
                item.signedPayload = found.signedPayload
                item.sendAttempts = found.attempts.map(SendAttempt.init(attempt:))
                item.firstSendAttemptResult = found.attempts.first?.result
                return item
            }
            return AppleAnswer.document(answer)
        }
    }
}

extension SendAttempt {
    fileprivate init(attempt: StoreNotification.Attempt) {
        self.init()
        attemptDate = attempt.date
        sendAttemptResult = attempt.result
    }
}

extension LocalStore.NotificationQuery {
    /// A type alone stands for all of its subtypes; with a subtype it has to be a pair that Apple sends.
    fileprivate mutating func filter(
        by type: NotificationType, _ subtype: JSONValue?
    ) throws(AppleErrorCode) {
        self.type = type
        guard let subtype else {
            guard NotificationKind.isKnown(type) else { throw .invalidNotificationType }
            return
        }
        guard let text = subtype.string else { throw .invalidNotificationType }
        let named = NotificationSubtype(rawValue: text)
        guard NotificationKind.isKnown(type, named) else { throw .invalidNotificationType }
        self.subtype = named
    }
}

extension ServerCall {
    /// How far back the history goes, in days.
    private var historyDays: Int64 { environment == .sandbox ? 30 : 180 }

    /// The filters of Get Notification History.
    fileprivate func notificationQuery(
        now: Timestamp
    ) throws(AppleErrorCode) -> LocalStore.NotificationQuery {
        let body = try body()
        guard let start = body["startDate"]?.integer, start >= 0 else { throw .invalidStartDate }
        guard let end = body["endDate"]?.integer, end >= 0 else { throw .invalidEndDate }
        guard start >= now.milliseconds - historyDays * 86_400_000 else {
            throw .startDateTooFarInPast
        }
        guard start < end else { throw .startDateAfterEndDate }
        var query = LocalStore.NotificationQuery(
            startDate: Timestamp(milliseconds: start),
            endDate: Timestamp(milliseconds: min(end, now.milliseconds)))
        let type = body["notificationType"]?.string
        if body["notificationType"] != nil || body["notificationSubtype"] != nil {
            guard let type else { throw .invalidNotificationType }
            try query.filter(by: NotificationType(rawValue: type), body["notificationSubtype"])
        }
        if let value = body["transactionId"] {
            guard type == nil else { throw .multipleFilters }
            guard let id = value.string, Self.isID(id) else { throw .invalidTransactionID }
            query.transactionID = id
        }
        query.onlyFailures = body["onlyFailures"]?.bool ?? false
        query.paginationToken = try value("paginationToken")
        return query
    }
}
