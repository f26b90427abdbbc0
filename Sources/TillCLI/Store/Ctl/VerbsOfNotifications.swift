import AppStoreModel
import StoreWire

extension ControlVerb {
    /// Server notifications and the logs.
    static let aboutNotifications: [ControlVerb] = [
        ControlVerb("notifications", options: ["--environment"], "the notifications, newest first")
        {
            store, words in
            ControlReport(
                try await store.call(
                    .notifications, query: [("environment", words.value("--environment"))],
                    as: NotificationsResponse.self)
            ) {
                var table = TextTable(
                    "NOTIFICATION", "TYPE", "ENVIRONMENT", "DATE", "ATTEMPTS", "NEXT")
                for row in $0.notifications {
                    table.add(
                        row.notificationUUID, row.words, row.environment.rawValue, row.date.shown,
                        row.attempts.isEmpty
                            ? nil : row.attempts.map(\.result).joined(separator: ", "),
                        row.nextAttempt?.shown)
                }
                return table.text
            }
        },
        ControlVerb("notification", takes: "UUID", count: 1...1, "one notification with its body") {
            store, words in
            ControlReport(
                try await store.call(
                    .notification, ["notification": words[0]], as: NotificationInfo.self), \.shown)
        },
        ControlVerb("resend", takes: "UUID", count: 1...1, "send a notification again") {
            store, words in
            ControlReport(
                try await store.call(
                    .resend, ["notification": words[0]], as: NotificationInfo.self), \.shown)
        },
        ControlVerb("test-notification", options: ["--environment"], "send a test notification") {
            store, words in
            ControlReport(
                try await store.call(
                    .testNotification, query: [("environment", words.value("--environment"))],
                    as: TestNotificationResponse.self)
            ) { $0.testNotificationToken }
        },
        ControlVerb("calls", options: ["--after", "--wait"], "the calls that came in and went out")
        {
            store, words in
            ControlReport(
                try await store.call(.calls, query: log(words), as: CallsResponse.self)
            ) {
                var table = TextTable("N", "DATE", "", "CALL", "STATUS", "MS", "FAULT")
                for call in $0.calls {
                    table.add(
                        "\(call.sequence)", call.date.shown, call.isOutgoing ? "out" : "in",
                        "\(call.method) \(call.path)", call.status.map { "\($0)" },
                        "\((call.milliseconds * 10).rounded() / 10)", call.fault)
                }
                return table.text
            }
        },
        ControlVerb("events", options: ["--after", "--wait"], "what happened in the store") {
            store, words in
            ControlReport(
                try await store.call(.events, query: log(words), as: StoreEventsResponse.self)
            ) {
                var table = TextTable("N", "DATE", "EVENT", "ACCOUNT", "PRODUCT", "DETAIL")
                for event in $0.events {
                    table.add(
                        "\(event.sequence)", event.date.shown, event.kind,
                        event.accountID?.rawValue, event.productID?.rawValue, event.detail)
                }
                return table.text
            }
        },
    ]

    private static func log(_ words: VerbWords) -> [(String, String?)] {
        [("after", words.value("--after")), ("wait", words.value("--wait"))]
    }
}

extension NotificationInfo {
    fileprivate var words: String { notificationType + (subtype.map { "/\($0)" } ?? "") }

    fileprivate var shown: String {
        var facts = TextFacts()
        facts.add("notification", notificationUUID)
        facts.add("type", "\(words), version \(version), \(environment)")
        facts.add("date", date.shown)
        facts.add("transaction", transactionID?.rawValue)
        for attempt in attempts {
            facts.add(
                "attempt",
                "\(attempt.date.shown) \(attempt.result)"
                    + (attempt.status.map { " \($0)" } ?? ""))
        }
        facts.add("next attempt", nextAttempt?.shown)
        facts.add("body", payload)
        return facts.text
    }
}
