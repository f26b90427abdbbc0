import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPServer
import LedgerMemory
import LedgerPostgres
import LedgerSQLite
import TillLedger
import TillServer

/// Why the server did not start.
struct ServerStartError: Error {
    enum Cause {
        case configuration, database, listener
    }

    let cause: Cause
    /// For people.
    let text: String
}

/// A server that takes requests: the listener, and the ledger behind it.
struct RunningServer: Sendable {
    /// Where it listens, the port as it really is.
    let url: String
    private let listener: HTTPListener
    private let worker: Worker
    private let store: any LedgerStore

    /// Opens the database and listens; takes requests when this returns.
    static func start(
        _ configuration: ServerConfiguration, log: ServerLog
    ) async throws(ServerStartError) -> RunningServer {
        let store: any LedgerStore
        do throws(LedgerError) {
            store = try await open(configuration.database)
        } catch {
            throw ServerStartError(
                cause: .database,
                text: "cannot open \(configuration.database.text): \(error.description)")
        }
        do throws(ServerStartError) {
            let ledger = Ledger(
                store: store, catalog: configuration.catalog, newOrderID: randomOrderID)
            let sender = WebhookSender(
                publicFetcher: CurlFetcher(CurlFetcherConfiguration(allowedAddresses: .publicOnly)),
                privateFetcher: CurlFetcher())
            let report = Report(log: log)
            let reconciler = try await reconciler(configuration, ledger: ledger, report)
            let worker = worker(
                configuration, ledger: ledger, sender: sender, handlers: reconciler.handlers,
                report)
            let service = try service(
                configuration, ledger: ledger, sender: sender, worker: worker, report)
            let listener = try listen(configuration, router: service.router, report)
            worker.start()
            let url = "http://\(configuration.listen.urlHost):\(listener.port)"
            return RunningServer(url: url, listener: listener, worker: worker, store: store)
        } catch {
            await store.close()
            throw error
        }
    }

    /// Where everything that the server does is told.
    private struct Report {
        let log: ServerLog
        let metrics = Metrics(version: Version.text)
    }

    private init(
        url: String, listener: HTTPListener, worker: Worker, store: any LedgerStore
    ) {
        self.url = url
        self.listener = listener
        self.worker = worker
        self.store = store
    }

    /// Finishes running requests and what the worker has under way, and closes the database.
    func stop() async {
        await listener.stop()
        await worker.stop()
        await store.close()
    }

    static func open(
        _ location: DatabaseLocation
    ) async throws(LedgerError) -> any LedgerStore {
        switch location {
        case .memory: MemoryLedgerStore()
        case .sqlite(let path): try await SQLiteLedgerStore.open(path: path)
        case .postgres(let address):
            try await PostgresLedgerStore.open(address: address.text)
        }
    }

    /// What keeps the ledger true without any app; what recurs is scheduled.
    private static func reconciler(
        _ configuration: ServerConfiguration, ledger: Ledger, _ report: Report
    ) async throws(ServerStartError) -> Reconciler {
        let reconciler: Reconciler
        do throws(ConfigurationError) {
            reconciler = try Reconciler(
                configuration, ledger: ledger, fetcher: CurlFetcher(), log: report.log,
                metrics: report.metrics)
        } catch {
            throw ServerStartError(cause: .configuration, text: error.description)
        }
        do throws(LedgerError) {
            try await ledger.schedule(reconciler.tasks(at: SystemClock.now()))
        } catch {
            throw ServerStartError(cause: .database, text: error.description)
        }
        return reconciler
    }

    private static func worker(
        _ configuration: ServerConfiguration, ledger: Ledger, sender: WebhookSender,
        handlers: [TaskHandler], _ report: Report
    ) -> Worker {
        let name = secureRandomBytes(8).map { String($0, radix: 16) }.joined(separator: "-")
        return Worker(
            configuration, ledger: ledger, sender: sender, handlers: handlers, owner: name,
            clock: SystemClock.now,
            sleep: { try? await Task.sleep(for: .milliseconds($0)) }, log: report.log,
            metrics: report.metrics)
    }

    private static func service(
        _ configuration: ServerConfiguration, ledger: Ledger, sender: WebhookSender,
        worker: Worker, _ report: Report
    ) throws(ServerStartError) -> TillService {
        do throws(ConfigurationError) {
            return try TillService(
                configuration: configuration, ledger: ledger, clock: SystemClock.now,
                log: report.log, metrics: report.metrics, sender: sender, nudge: { worker.nudge() })
        } catch {
            throw ServerStartError(cause: .configuration, text: error.description)
        }
    }

    private static func listen(
        _ configuration: ServerConfiguration, router: Router, _ report: Report
    ) throws(ServerStartError) -> HTTPListener {
        let listen = configuration.listen
        do throws(HTTPListenerError) {
            let metrics = report.metrics
            let listener = try HTTPListener(
                HTTPListenerConfiguration(
                    host: listen.host, port: listen.port,
                    // One processor is left to the one who writes: more threads than there are
                    // processors only wait for one another.
                    threads: max(1, ProcessInfo.processInfo.activeProcessorCount - 1),
                    accessLog: { metrics.answered(status: $0.status) }),
                router: router)
            metrics.watch { [weak listener] in listener?.connectionCount ?? 0 }
            return listener
        } catch {
            let reason =
                switch error.code {
                case .addressInUse: "somebody else listens there"
                case .unknownHost: "the host is no address of this machine"
                case .addressNotAllowed: "the address or port is not allowed here"
                case .noResources: "the system has no resources left"
                }
            throw ServerStartError(
                cause: .listener,
                text: "cannot listen on \(listen.urlHost):\(listen.port): \(reason)")
        }
    }

    @Sendable static func randomOrderID() -> OrderID {
        guard let id = OrderID(randomBytes: secureRandomBytes(10), at: SystemClock.now()) else {
            preconditionFailure("ten bytes make an order id")
        }
        return id
    }
}
