import AppStoreModel
import HTTPMessage
import HTTPServer
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TillService {
    /// `POST /v1/purchases`.
    ///
    /// Proofs that are believed are recorded, the others are reported beside them; only when none is
    /// believed is the whole request a problem. Nothing is acknowledged before it is committed.
    func recordPurchases(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws -> HTTPResponse {
        let now = clock()
        let customer = try callers.customer(of: request, now: now)
        let (body, named) = try proofRequest(request)
        let idempotency = try idempotency(of: request, customer: customer)
        let nonce = try Self.nonce(of: request)
        let reading = proofs.read(body)
        await noteSignals(
            of: customer, refused: reading.refused, isRestore: body.isRestore, request, now: now)
        if !reading.refused.isEmpty { note(reading.refused, by: customer, context) }
        guard !reading.believed.isEmpty else {
            throw ProblemDocument(refusing: reading.refused)
        }
        let submission = PurchaseSubmission(
            customer: customer, bundleID: named, proofs: reading.believed,
            orderID: body.orderID.flatMap { OrderID(rawValue: $0.uuidString) },
            transactionIDs: body.transactionIDs, isRestore: body.isRestore,
            track: try Self.track(body.track))
        let (answer, holdings) = try await ledger.record(
            submission, thenHoldingsOf: customer, idempotency: idempotency, now: now)
        note(answer, by: customer, context)
        return try Answers.json(
            PurchaseResponse(
                results: answer.results.map { TransactionReport($0) },
                refusedProofs: reading.refused.isEmpty ? nil : reading.refused,
                absentTransactionIDs: answer.absent.isEmpty ? nil : answer.absent,
                customer: try document(
                    of: holdings, in: named, for: customer, nonce: nonce, now: now)))
    }

    /// A request that brings at least one proof, and the app that it names, if any.
    func proofRequest(
        _ request: HTTPRequest
    ) throws(ProblemDocument) -> (body: PurchaseRequest, app: BundleID?) {
        let keyedApp = try callers.app(of: request)
        let body = try RequestBody.decode(PurchaseRequest.self, from: request)
        let named = body.bundleID ?? keyedApp
        if let named { _ = try app(named: named) }
        guard body.receipt != nil || !body.signedTransactions.isEmpty else {
            throw ProblemDocument(.proofMissing)
        }
        return (body, named)
    }

    /// `track` as the JSON object that the ledger keeps.
    private static func track(_ values: [String: TrackValue]) throws -> String? {
        guard !values.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(values), as: UTF8.self)
    }

    /// Refusals are worth a line each: somebody tries, or something is configured wrongly.
    private func note(
        _ refused: [RefusedProof], by customer: CustomerID, _ context: RequestContext
    ) {
        for proof in refused { metrics.count(.refusedProofs, [proof.code.rawValue]) }
        for proof in refused.prefix(8) {
            log.write(
                .warning, "proofRefused",
                [
                    "requestId": .string(context.requestID),
                    "customer": .string(customer.rawValue), "proof": .string(proof.proof),
                    "code": .string(proof.code.rawValue),
                ])
        }
    }

    private func note(
        _ answer: PurchaseAnswer, by customer: CustomerID, _ context: RequestContext
    ) {
        tally(answer.results, by: "app")
        guard logsRequests else { return }
        var counts: [String: Int64] = [:]
        for result in answer.results { counts[result.outcome.code, default: 0] += 1 }
        func count(_ outcome: String) -> JSONValue { counts[outcome].map { .integer($0) } ?? .null }
        log.write(
            .info, "purchases",
            [
                "requestId": .string(context.requestID), "customer": .string(customer.rawValue),
                "granted": count("granted"), "alreadyGranted": count("alreadyGranted"),
                "pending": count("pending"), "refused": count("refused"),
            ])
    }
}

extension TransactionReport {
    /// The wire's form of what the ledger did.
    init(_ result: TransactionResult) {
        self.init(
            transactionID: result.transactionID,
            originalTransactionID: result.originalTransactionID, productID: result.productID,
            outcome: .init(rawValue: result.outcome.code),
            reason: result.outcome.reason?.rawValue, orderID: result.orderID.map { UUID($0) },
            mayFinish: result.mayFinish, environment: result.book.environment)
    }
}

extension ProblemDocument {
    /// The problem of a request none of whose proofs is believed: that of its first.
    ///
    /// The app may let go only when that is true of every one of them.
    init(refusing proofs: [RefusedProof]) {
        let first = proofs.first
        self.init(
            first?.code.kind ?? .unreadable, detail: first?.detail,
            mayFinish: proofs.allSatisfy(\.mayFinish),
            isRetryable: proofs.contains(where: \.isRetryable),
            refusedProofs: proofs.count > 1 ? proofs : nil)
    }
}
