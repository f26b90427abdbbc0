import AppStoreModel
import HTTPMessage
import HTTPServer
import TillAPI
import TillLedger

extension TillService {
    /// `POST /v1/apps/{app}/notifications`, for the App Store.
    ///
    /// Nobody else says who it is here but Apple's signature. A success is answered after the commit
    /// alone, and 5xx where sending it again can help.
    func recordNotification(
        _ named: String, _ request: HTTPRequest, _ context: RequestContext
    ) async throws -> HTTPResponse {
        guard let app = configuration.app(BundleID(named)) else {
            noteRefusal(ProblemDocument(.unknownApp), named, context)
            throw ProblemDocument(.unknownApp)
        }
        let submission: NotificationSubmission
        do throws(ProblemDocument) {
            submission = try notifications.read(request.body, for: app.bundleID)
        } catch {
            noteRefusal(error, named, context)
            throw error
        }
        let answer = try await ledger.record(submission, now: clock())
        let recorded = answer.notification
        metrics.count(
            .notifications,
            [
                app.bundleID.rawValue, recorded.type.rawValue, recorded.effect.rawValue,
                String(answer.isRepeated),
            ])
        tally(answer.results, by: "notification")
        if logsRequests {
            log.write(
                .info, "notification",
                [
                    "requestId": .string(context.requestID), "app": .string(named),
                    "notification": .string(recorded.id.rawValue),
                    "type": .string(recorded.type.rawValue),
                    "subtype": recorded.subtype.map { .string($0.rawValue) } ?? .null,
                    "effect": .string(recorded.effect.rawValue),
                    "repeated": .bool(answer.isRepeated),
                ])
        }
        return try Answers.json(
            NotificationResponse(
                notificationUUID: recorded.id.rawValue, effect: recorded.effect.rawValue,
                isRepeated: answer.isRepeated))
    }

    /// A refusal is worth a line: somebody tries, or an address or a secret is configured wrongly.
    private func noteRefusal(
        _ problem: ProblemDocument, _ named: String, _ context: RequestContext
    ) {
        metrics.count(.refusedNotifications, [problem.code.rawValue])
        log.write(
            .warning, "notificationRefused",
            [
                "requestId": .string(context.requestID), "app": .string(String(named.prefix(100))),
                "code": .string(problem.code.rawValue),
            ])
    }
}
