public import AppStoreModel
import HTTPMessage

extension AppStoreClient {
    /// A page of the notifications that Apple sent or tried to send (Get Notification History).
    ///
    /// - Parameters:
    ///   - request: Start and end are needed; `onlyFailures` leaves those that did not arrive. The same
    ///     for every page.
    ///   - paginationToken: What the page before gave out; it ends after a while (4000017), and then one
    ///     begins again.
    ///   - environment: Whose notifications.
    /// - Returns: The page, unverified.
    /// - Throws: ``AppStoreClientError``.
    public func notificationHistory(
        _ request: NotificationHistoryRequest, after paginationToken: String? = nil,
        in environment: AppStoreEnvironment
    ) async throws(AppStoreClientError) -> AppStoreAnswer<UnverifiedNotificationPage> {
        guard let start = request.startDate, let end = request.endDate, start < end else {
            throw Self.invalidRequest("the history needs a start before its end")
        }
        guard request.transactionID == nil || request.notificationType == nil else {
            throw Self.invalidRequest("a transaction or a type, but not both")
        }
        var call = Call("Get Notification History", .post, "/inApps/v1/notifications/history")
        if let paginationToken { call.query.append("paginationToken", paginationToken) }
        call.body = try Self.body(request)
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(NotificationHistoryResponse.self, response)
            var notifications: [UnverifiedNotification] = []
            for item in document.notificationHistory ?? [] {
                guard let text = item.signedPayload else {
                    throw Self.unreadable(response, "signedPayload is missing")
                }
                notifications.append(
                    UnverifiedNotification(
                        signed: UnverifiedSigned(text), attempts: item.sendAttempts ?? []))
            }
            return UnverifiedNotificationPage(
                notifications: notifications, next: document.paginationToken,
                hasMore: document.hasMore ?? false)
        }
    }

    /// Lets Apple send a test notification, and gives its token (Request a Test Notification).
    ///
    /// It is not tried again where it may have been done already.
    public func requestTestNotification(
        in environment: AppStoreEnvironment
    ) async throws(AppStoreClientError) -> TestNotificationToken {
        var call = Call("Request a Test Notification", .post, "/inApps/v1/notifications/test")
        call.group = .rare
        call.isHarmlessTwice = false
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(SendTestNotificationResponse.self, response)
            guard let token = document.testNotificationToken else {
                throw Self.unreadable(response, "testNotificationToken is missing")
            }
            return TestNotificationToken(token)
        }.content
    }

    /// How a test notification fared (Get Test Notification Status).
    ///
    /// Right after the request Apple may not know it yet: that is `notFound` with the remedy to try again.
    public func testNotification(
        _ token: TestNotificationToken, in environment: AppStoreEnvironment
    ) async throws(AppStoreClientError) -> UnverifiedNotification {
        guard (1...200).contains(token.rawValue.utf8.count) else {
            throw Self.invalidRequest("no token of a test notification")
        }
        var call = Call(
            "Get Test Notification Status", .get,
            "/inApps/v1/notifications/test/\(PercentCoding.encoded(token.rawValue))")
        call.group = .rare
        return try await ask(call, in: environment) { response, _ throws(CallFailure) in
            let document = try Self.document(CheckTestNotificationResponse.self, response)
            guard let text = document.signedPayload else {
                throw Self.unreadable(response, "signedPayload is missing")
            }
            return UnverifiedNotification(
                signed: UnverifiedSigned(text), attempts: document.sendAttempts ?? [])
        }.content
    }
}

/// Apple's name of a test notification; not to be taken apart.
public struct TestNotificationToken: AppStoreIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}
