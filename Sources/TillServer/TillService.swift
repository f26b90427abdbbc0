public import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import HTTPMessage
public import HTTPServer
import TillAPI
public import TillLedger

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The HTTP surface of Till over one ledger: routes in, documents out; it holds no rules and no state.
public struct TillService: Sendable {
    let configuration: ServerConfiguration
    let ledger: Ledger
    let callers: CallerCheck
    let proofs: ProofReader
    let receipts: ReceiptEndpoint
    let signer: EntitlementSigner?
    let notifications: NotificationReader
    let clock: @Sendable () -> Timestamp
    let log: ServerLog
    let logsRequests: Bool
    let metrics: Metrics
    let newNonce: @Sendable () -> UUID
    let sender: WebhookSender
    let nudge: @Sendable () -> Void
    let readinessCheck: ReadinessCheck

    /// Puts the surface on a ledger.
    ///
    /// - Parameters:
    ///   - configuration: What the server was told; see ``ServerConfiguration/read(contentsOf:environment:)``.
    ///   - ledger: A ledger over the configuration's catalog.
    ///   - clock: The server's time, in milliseconds.
    ///   - log: Where lines go.
    ///   - metrics: What is counted, told at `/metrics`.
    ///   - newNonce: Makes the one-time numbers of signed offers.
    ///   - sender: The way out to the apps' backends, for test messages.
    ///   - nudge: Told when something waits for the worker that need not wait for its next look.
    ///   - readinessLimit: How long the database may take to say that it can be read and written.
    /// - Throws: ``ConfigurationError`` where the verifier finds the configuration unsafe.
    public init(
        configuration: ServerConfiguration, ledger: Ledger,
        clock: @escaping @Sendable () -> Timestamp, log: ServerLog = .silent,
        metrics: Metrics = Metrics(), newNonce: @escaping @Sendable () -> UUID = { UUID() },
        sender: WebhookSender = .none, nudge: @escaping @Sendable () -> Void = {},
        readinessLimit: Duration = .seconds(2)
    ) throws(ConfigurationError) {
        self.configuration = configuration
        self.ledger = ledger
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.newNonce = newNonce
        self.sender = sender
        self.nudge = nudge
        readinessCheck = ReadinessCheck(ledger: ledger, limit: readinessLimit)
        logsRequests = configuration.logsRequests
        callers = CallerCheck(configuration)
        signer = configuration.entitlementSigning.flatMap { EntitlementSigner($0) }
        let verifier = ProofVerifier(configuration: try configuration.trust())
        proofs = ProofReader(verifier: verifier)
        // A receipt of an environment that is recorded and not granted never gets a 0.
        let listed = ProofVerifier(configuration: try configuration.trust(listedAlone: true))
        receipts = try ReceiptEndpoint(configuration, verifier: listed)
        notifications = try NotificationReader(configuration)
    }

    /// The routes, for a listener or to be asked without one.
    public var router: Router {
        var router = Router()
        for endpoint in Endpoint.allCases {
            if endpoint.isReceiptEndpoint, !configuration.verifyReceipt.isEnabled { continue }
            router.on(endpoint.method, endpoint.pattern, bodyLimit: endpoint.bodyLimit) {
                await respond(to: $0, at: endpoint, context: $1)
            }
            // Apple answers what is no POST with a status of its own.
            guard endpoint.isReceiptEndpoint else { continue }
            for method in [HTTPMethod.get, .put, .patch, .delete] {
                router.on(method, endpoint.pattern, bodyLimit: endpoint.bodyLimit) {
                    await respond(to: $0, at: endpoint, context: $1)
                }
            }
        }
        return router
    }

    /// Answers a request that was routed; whatever is thrown becomes a problem here.
    private func respond(
        to request: HTTPRequest, at endpoint: Endpoint, context: RequestContext
    ) async -> HTTPResponse {
        let start = ContinuousClock.now
        var code: String?
        var response: HTTPResponse
        do {
            response = try await answer(to: request, at: endpoint, context: context)
        } catch {
            let problem = problem(for: error, at: endpoint, context: context)
            code = problem.code.rawValue
            response = Answers.problem(problem, requestID: context.requestID)
        }
        let time = ContinuousClock.now - start
        let status = response.status.rawValue
        metrics.count(.requests, [endpoint.rawValue, String(status), code ?? ""])
        metrics.measure(time, of: endpoint.rawValue)
        if logsRequests {
            log.write(
                .info, "request",
                [
                    "requestId": .string(context.requestID), "route": .string(endpoint.rawValue),
                    "status": .integer(Int64(status)),
                    "code": code.map { .string($0) } ?? .null,
                    "milliseconds": .integer(Int64(time / .milliseconds(1))),
                ])
        }
        return response
    }

    private func answer(
        to request: HTTPRequest, at endpoint: Endpoint, context: RequestContext
    ) async throws -> HTTPResponse {
        switch endpoint {
        case .openOrder: try await openOrder(request)
        case .showOrder: try await showOrder(context.parameter("orderId"), request)
        case .deferOrder: try await deferOrder(context.parameter("orderId"), request)
        case .recordPurchases: try await recordPurchases(request, context)
        case .askOwner: try await askOwner(request)
        case .listUnclaimed: try await listUnclaimed(context.parameter("app"), request)
        case .claimPurchase: try await claimPurchase(context.parameter("customerId"), request)
        case .mergeCustomer: try await mergeCustomer(context.parameter("customerId"), request)
        case .eraseCustomer: try await eraseCustomer(context.parameter("customerId"), request)
        case .showSignals: try await showSignals(context.parameter("customerId"), request)
        case .showOffers: try await showOffers(context.parameter("customerId"), request)
        case .showCustomer: try await showCustomer(context.parameter("customerId"), request)
        case .listWebhooks: try await listWebhooks(context.parameter("app"), request)
        case .listDeadLetters: try await listDeadLetters(context.parameter("app"), request)
        case .replayWebhooks: try await replayWebhooks(context.parameter("app"), request)
        case .testWebhooks:
            try await testWebhooks(context.parameter("app"), request, context)
        case .enableWebhook: try await enableWebhook(context.parameter("app"), request)
        case .signOffer: try await signOffer(request)
        case .showSuspects: try await showSuspects(context.parameter("app"), request)
        case .spend: try await spend(context.parameter("customerId"), request)
        case .credit: try await credit(context.parameter("customerId"), request)
        case .showWallet: try await showWallet(context.parameter("customerId"), request)
        case .promote: try await promote(context.parameter("customerId"), request)
        case .endPromotion:
            try await endPromotion(
                context.parameter("customerId"), context.parameter("promotionId"), request)
        case .listTasks: try await listTasks(request)
        case .runTask: try await runTask(request)
        case .recordNotification:
            try await recordNotification(context.parameter("app"), request, context)
        case .verifyReceipt:
            try verifyReceipt(request, as: configuration.verifyReceipt.environment)
        case .verifySandboxReceipt: try verifyReceipt(request, as: .sandbox)
        case .signingKeys:
            try Answers.json(["keys": JSONValue.array(signer.map { [$0.publicKey] } ?? [])])
        case .health: try Answers.json(["status": "ok"])
        case .readiness: try await readiness()
        case .metrics: try await showMetrics(request)
        case .openAPI: try Answers.json(OpenAPIDocument.value)
        }
    }

    /// Whether the database can be read and written: a server that says no should get no purchases.
    private func readiness() async throws -> HTTPResponse {
        try await readinessCheck.run()
        return try Answers.json(["status": "ready"])
    }

    private func problem(
        for error: any Error, at endpoint: Endpoint, context: RequestContext
    ) -> ProblemDocument {
        if let problem = error as? ProblemDocument { return problem }
        if let error = error as? LedgerError {
            metrics.count(.ledgerErrors, [error.code.rawValue])
            log.write(
                .error, "ledger",
                [
                    "requestId": .string(context.requestID), "route": .string(endpoint.rawValue),
                    "code": .string(error.code.rawValue), "detail": .string(error.detail),
                ])
            return ProblemDocument(error)
        }
        log.write(
            .error, "mistake",
            [
                "requestId": .string(context.requestID), "route": .string(endpoint.rawValue),
                "type": .string(String(describing: type(of: error))),
            ])
        return ProblemDocument(.internalError)
    }
}

extension TillService {
    /// Counts what became of transactions, whoever brought them.
    func tally(_ results: [TransactionResult], by bringer: String) {
        for result in results {
            metrics.count(
                .transactions,
                [
                    result.book.bundleID.rawValue, result.book.environment.rawValue, bringer,
                    result.outcome.code, result.outcome.reason?.rawValue ?? "",
                ])
        }
    }
}

extension ProblemDocument {
    /// What a caller hears of a ledger that could not answer: nothing was recorded.
    init(_ error: LedgerError) {
        switch error.code {
        case .idempotencyKeyReused: self.init(.idempotencyKeyReused)
        case .tooManyTransactions: self.init(.tooManyTransactions)
        case .overloaded, .busy, .contended: self.init(.overloaded, retryAfter: 1)
        case .unreachable: self.init(.storageUnavailable, retryAfter: 5)
        case .full, .readOnly, .damaged, .foreign, .newer, .cannotOpen, .inputOutput, .closed,
            .unexpected:
            // Even what only an operator can mend may be mended: the app keeps its transaction.
            self.init(.storageUnavailable, retryAfter: 30)
        }
    }
}
