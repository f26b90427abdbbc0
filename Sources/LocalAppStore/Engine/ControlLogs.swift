import AppStoreModel
import StoreWire

/// Notifications, faults, simulated errors and logs of the control API.
extension LocalStore {
    func notificationsInfo(environment: AppStoreEnvironment?) -> NotificationsResponse {
        catchUp()
        return NotificationsResponse(
            notifications: state.notifications.rows.reversed()
                .filter { environment == nil || $0.environment == environment }
                .prefix(200).map { wire($0) })
    }

    func notificationInfo(_ id: String) throws(StoreProblem) -> NotificationInfo {
        catchUp()
        guard let row = state.notifications[id] else { throw StoreProblem(.notificationNotFound) }
        var info = wire(row)
        info.payload = try body(of: row)
        return info
    }

    private func wire(_ row: StoreNotification) -> NotificationInfo {
        NotificationInfo(
            notificationUUID: row.id, environment: row.environment,
            notificationType: row.versionOneType ?? row.type.rawValue,
            subtype: row.versionOneType == nil ? row.subtype?.rawValue : nil, version: row.version,
            date: row.date, transactionID: row.transaction?.transactionID,
            originalTransactionID: row.transaction?.originalTransactionID, accountID: row.account,
            attempts: row.attempts.map {
                NotificationAttempt(date: $0.date, result: $0.result.rawValue, status: $0.status)
            }, nextAttempt: row.nextAttempt)
    }

    func resend(_ id: String) async throws(StoreProblem) -> NotificationInfo {
        try perform(.resend(id))
        await settle()
        return try notificationInfo(id)
    }

    func sendTest(
        in environment: AppStoreEnvironment
    ) throws(StoreProblem) -> TestNotificationResponse {
        TestNotificationResponse(
            testNotificationToken: try perform(.testNotification(environment)).name)
    }

    func faultsInfo() -> FaultsResponse {
        FaultsResponse(plan: state.faults.plan, struck: state.faults.struck.reversed())
    }

    func setFaults(_ plan: FaultPlan) throws(StoreProblem) -> FaultsResponse {
        try perform(.setFaults(plan))
        return faultsInfo()
    }

    func simulatedErrors() -> SimulatedErrorsInfo {
        SimulatedErrorsInfo(
            errors: state.errors.sorted { $0.key < $1.key }.map {
                SimulatedErrorInfo(api: SimulatedAPI(rawValue: $0.key), code: $0.value)
            })
    }

    func setSimulatedErrors(
        _ info: SimulatedErrorsInfo
    ) throws(StoreProblem) -> SimulatedErrorsInfo {
        guard info.errors.count <= 50 else { throw StoreProblem(.limitReached) }
        try perform(
            .setErrors(
                Dictionary(info.errors.map { ($0.api.rawValue, $0.code) }) { _, last in last }))
        return simulatedErrors()
    }

    func callsPage(after cursor: Int64, wait: Double) async throws(StoreProblem) -> CallsResponse {
        try await poll(
            wait: wait,
            { () throws(StoreProblem) in
                let found = Array(self.calls.lazy.filter { $0.sequence > cursor }.prefix(500))
                return CallsResponse(calls: found, cursor: found.last?.sequence ?? max(0, cursor))
            }, isEmpty: { $0.calls.isEmpty })
    }

    func eventsPage(
        after cursor: Int64, wait: Double
    ) async throws(StoreProblem) -> StoreEventsResponse {
        try await poll(
            wait: wait,
            { () throws(StoreProblem) in
                let found = Array(self.state.log.lazy.filter { $0.sequence > cursor }.prefix(500))
                return StoreEventsResponse(
                    events: found, cursor: found.last?.sequence ?? max(0, cursor))
            }, isEmpty: { $0.events.isEmpty })
    }

    func reset() throws(StoreProblem) -> StoreInfo {
        try perform(.reset)
        return try info()
    }
}
