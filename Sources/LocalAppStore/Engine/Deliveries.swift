import AppStoreModel
import HTTPMessage
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sending notifications, and letting the store live on by itself.
extension LocalStore {
    /// Starts the deliveries that are due, in the background, one after another.
    func kick() {
        guard fetcher != nil, !isDelivering, !state.dueNotifications.isEmpty else { return }
        isDelivering = true
        Task { await deliverAll() }
    }

    private func deliverAll() async {
        while let next = state.dueNotifications.first { await deliver(next) }
        isDelivering = false
        for settler in settlers { settler.resume() }
        settlers = []
    }

    /// Comes back when no delivery is due or under way.
    public func settle() async {
        kick()
        guard isDelivering else { return }
        await withCheckedContinuation { settlers.append($0) }
    }

    /// Moves the clock, doing and delivering on the way what falls due, each in its place.
    func run(until target: Timestamp) async throws(StoreProblem) {
        await settle()
        while true {
            let isThere = state.run(until: target, stopsForDeliveries: fetcher != nil)
            clock = StoreClock(base: state.now, wall: wall(), rate: clock.rate)
            try save(.init(at: state.now, clock: clock))
            wakeWaiters()
            await settle()
            if isThere, state.now >= target { return }
        }
    }

    /// Sends one notification and notes how it went.
    private func deliver(_ notification: StoreNotification) async {
        guard let fetcher, let url = state.settings[notification.environment]?.notificationURL
        else {
            note(notification.id, .init(date: state.now, result: .noResponse, status: nil))
            return
        }
        let rules = strike(.delivery(notification.type, notification.environment))
        guard var body = try? body(of: notification) else {
            note(notification.id, .init(date: state.now, result: .other, status: nil))
            return
        }
        if rules.contains(where: { $0.kind == .drop }) {
            note(notification.id, .init(date: state.now, result: .noResponse, status: nil))
            return
        }
        if let cut = rules.first(where: { $0.kind == .cut }) {
            body = String(body.prefix(cut.bytes ?? body.count - 40)) + "\"}"
        }
        if let delay = rules.first(where: { $0.kind == .delay })?.milliseconds {
            try? await Task.sleep(for: .milliseconds(min(delay, 60_000)))
        }
        var fields = HTTPFields()
        fields["Content-Type"] = "application/json"
        let request = HTTPRequest(
            method: .post, target: url, fields: fields, body: Data(body.utf8))
        let limits = HTTPFetchLimits(responseBytes: 1 << 20)
        var outcome = StoreNotification.Attempt(date: state.now, result: .other, status: nil)
        for _ in 0..<notification.copies {
            let began = ContinuousClock().now
            var status: Int?
            var result: SendAttemptResult
            do {
                let response = try await fetcher.fetch(request, limits: limits)
                status = response.status.rawValue
                result =
                    (200...206).contains(response.status.rawValue)
                    ? .success : .unsuccessfulStatus
            } catch {
                result = Self.result(of: error)
            }
            let took = ContinuousClock().now - began
            noteCall(
                CallRecord(
                    sequence: 0, date: state.now, environment: notification.environment,
                    isOutgoing: true, method: "POST", path: url, status: status,
                    milliseconds: took / .milliseconds(1), request: body,
                    response: result.rawValue, fault: rules.first?.kind.rawValue))
            outcome = .init(date: state.now, result: result, status: status)
        }
        note(notification.id, outcome)
    }

    private func note(_ id: String, _ attempt: StoreNotification.Attempt) {
        do {
            let outcome = try state.apply(.noteAttempt(id, attempt))
            _ = outcome
            try save(.init(at: state.now, command: .noteAttempt(id, attempt)))
        } catch {
            // A state that cannot be saved was reported to whoever changed it; deliveries go on.
            saveFailure = "\(error)"
        }
        wakeWaiters()
    }

    private static func result(of error: HTTPFetchError) -> SendAttemptResult {
        switch error.code {
        case .timedOut: .timedOut
        case .tls: .tlsIssue
        case .cannotConnect: .noResponse
        case .connectionLost: .prematureClose
        case .invalidResponse, .responseTooLarge: .invalidResponse
        case .invalidURL, .cancelled: .other
        }
    }

    /// The body of a notification: made and kept at the first attempt, and the same ever after.
    func body(of notification: StoreNotification) throws(StoreProblem) -> String {
        if let body = state.notifications[notification.id]?.body { return body }
        let body =
            notification.version == 1
            ? try versionOneBody(notification)
            : "{\"signedPayload\":\"\(try signedPayload(notification))\"}"
        _ = try state.apply(.keepBody(notification.id, body))
        try save(.init(at: state.now, command: .keepBody(notification.id, body)))
        return body
    }

    /// The signed payload of a version 2 notification, as its history gives it.
    func signedPayload(_ notification: StoreNotification) throws(StoreProblem) -> String {
        if let body = state.notifications[notification.id]?.body {
            return String(body.dropFirst("{\"signedPayload\":\"".count).dropLast(2))
        }
        var payload = NotificationPayload(
            notification.type, notification.subtype, notificationUUID: notification.id)
        payload.version = "2.0"
        payload.signedDate = notification.date
        if let summary = notification.summary {
            payload.summary = summary
            return try signed(payload)
        }
        var data = NotificationData()
        let isProduction = notification.environment == .production
        data.appAppleID = isProduction ? state.app.appleID : nil
        data.bundleID = state.app.bundleID
        data.environment = notification.environment
        if let transaction = notification.transaction {
            data.bundleVersion = state.app.version
            data.signedTransactionInfo = try signed(transaction)
        }
        if let renewal = notification.renewal { data.signedRenewalInfo = try signed(renewal) }
        data.status = notification.status
        if notification.type == .consumptionRequest {
            data.consumptionRequestReason = notification.reason
        }
        payload.data = data
        return try signed(payload)
    }

    // MARK: Living on

    /// Lets the store do what falls due while nobody asks, until the task is cancelled.
    ///
    /// Sleeps until the next thing that it knows of, a second at the most.
    public func live() async {
        while !Task.isCancelled {
            let before = state.lastLogged
            catchUp()
            if state.lastLogged != before {
                // What happened by itself is on file too, so that the clock does not fall back behind it.
                try? save(.init(at: state.now, command: .pass))
                wakeWaiters()
            }
            kick()
            var pause = 1_000.0
            if let due = state.nextDue, let moment = clock.wall(of: due) {
                pause = min(pause, max(1, Double(moment.milliseconds - wall().milliseconds)))
            }
            try? await Task.sleep(for: .milliseconds(pause))
        }
    }

    /// Keeps a line of the log of calls.
    func noteCall(_ call: CallRecord) {
        var call = call
        lastCall += 1
        call.sequence = lastCall
        call.request = call.request.map { String($0.prefix(4_096)) }
        call.response = call.response.map { String($0.prefix(4_096)) }
        calls.append(call)
        if calls.count > 2_000 { calls.removeFirst(500) }
        wakeWaiters()
    }
}
