import AppStoreModel
import HTTPMessage
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TillService {
    /// Tasks that failed and are told at the most.
    private static let mostFailingTasks = 1_000

    /// `GET /metrics`, for a secret key: how much is sold and what fails is nobody else's business.
    func showMetrics(_ request: HTTPRequest) async throws -> HTTPResponse {
        try callers.backend(of: request, now: clock())
        let text = MetricsText.text(metrics.samples(with: await standing()))
        return HTTPResponse(
            status: .ok,
            fields: ["Content-Type": MetricsText.mediaType, "Cache-Control": "no-store"],
            body: Data(text.utf8))
    }

    /// What the database knows; only that it does not answer where it does not.
    private func standing() async -> [MetricSample] {
        do throws(LedgerError) {
            try await readinessCheck.run()
            return [MetricSample(.isReady, 1)] + (try await failingTasks())
                + (try await waitingDeliveries())
        } catch {
            metrics.count(.ledgerErrors, [error.code.rawValue])
            return [MetricSample(.isReady, 0)]
        }
    }

    private func failingTasks() async throws(LedgerError) -> [MetricSample] {
        var filter = TaskFilter()
        filter.failedAlone = true
        let tasks = try await ledger.work.tasks(
            filter, after: nil, limit: Self.mostFailingTasks)
        return Dictionary(grouping: tasks, by: \.key.kind).map { kind, tasks in
            MetricSample(.failingTasks, Double(tasks.count), of: [kind.rawValue])
        }
    }

    private func waitingDeliveries() async throws(LedgerError) -> [MetricSample] {
        var samples: [MetricSample] = []
        let now = clock()
        for app in configuration.apps {
            for state in try await ledger.work.endpoints(of: app.bundleID) {
                let labels = [app.bundleID.rawValue, state.place.name.rawValue]
                let age = state.oldestWaiting.map { now.milliseconds - $0.milliseconds } ?? 0
                samples += [
                    MetricSample(.waitingDeliveries, Double(state.waiting), of: labels),
                    MetricSample(.oldestDelivery, Double(max(0, age)) / 1_000, of: labels),
                    MetricSample(.deadDeliveries, Double(state.dead), of: labels),
                    MetricSample(.disabledEndpoint, state.disabledAt == nil ? 0 : 1, of: labels),
                ]
            }
        }
        return samples
    }
}
