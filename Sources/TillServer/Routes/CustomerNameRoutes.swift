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
    /// `POST /v1/customers/{id}/merge`: for backends, and for a customer who has the tokens of both.
    func mergeCustomer(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let caller = try callers.caller(of: request, now: now)
        guard let into = CustomerID(rawValue: id) else { throw ProblemDocument(.invalidCustomer) }
        let nonce = try Self.nonce(of: request)
        let app = try appToTellOf(request)
        let body = try RequestBody.decode(MergeRequest.self, from: request)
        guard let from = CustomerID(rawValue: body.from) else {
            throw ProblemDocument(.invalidCustomer)
        }
        switch caller {
        case .customer(let own):
            // Who holds both tokens is both; one alone could take what is another's.
            guard own == into, let token = body.fromToken,
                try callers.customer(ofToken: token, now: now) == from
            else { throw ProblemDocument(.forbidden) }
        case .backend(let named):
            guard named == nil || named == into else { throw ProblemDocument(.forbidden) }
        }
        guard from != into else {
            throw ProblemDocument(.invalidRequest, detail: "from: the same customer")
        }
        switch try await ledger.merge(from, into: into, now: now) {
        case .merged:
            let snapshot = try await ledger.customer(into, now: now)
            return try Answers.json(
                document(of: snapshot.holdings, in: app, for: into, nonce: nonce, now: now))
        case .belongsToAnother:
            throw ProblemDocument(.mergeRefused, detail: "from: part of another customer already")
        case .reversed:
            throw ProblemDocument(
                .mergeRefused, detail: "from: the other is part of this one already")
        }
    }

    /// `DELETE /v1/customers/{id}`: takes the customer's names out of the records; for backends.
    func eraseCustomer(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try self.customer(id, of: request, now: now, byBackendOnly: true)
        _ = try await ledger.erase(customer, now: now)
        return HTTPResponse(status: .noContent, fields: ["Cache-Control": "no-store"])
    }

    /// `GET /v1/customers/{id}/signals`: what was noted about a customer, and the score; for backends.
    func showSignals(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try self.customer(id, of: request, now: now, byBackendOnly: true)
        return try Answers.json(
            SignalsDocument(try await ledger.signals(of: customer, now: now)))
    }

    /// `GET /v1/customers/{id}/offers`: the introductory offers that are used up.
    func showOffers(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let customer = try self.customer(id, of: request, now: clock())
        let uses = try await ledger.introductoryOffers(of: customer)
        return try Answers.json(
            OffersDocument(
                customerId: customer.rawValue,
                usedIntroductoryOffers: uses.map { OffersDocument.Use($0) }))
    }
}

/// `GET /v1/customers/{id}/signals`.
private struct SignalsDocument: Encodable {
    let customerId: String
    let score: Double
    let signals: [Entry]

    struct Entry: Encodable {
        let kind: SignalKind
        let subject: String
        let count: Int64
        let weight: Double
        let firstAt: Timestamp
        let lastAt: Timestamp
    }

    init(_ known: CustomerSignals) {
        customerId = known.customer.rawValue
        // Two digits are more than the weights are worth.
        score = (known.score * 100).rounded() / 100
        signals = known.signals.map {
            Entry(
                kind: $0.first.kind, subject: $0.first.subject, count: $0.count,
                weight: $0.first.kind.weight, firstAt: $0.first.at, lastAt: $0.last)
        }
    }
}

/// `GET /v1/customers/{id}/offers`.
private struct OffersDocument: Encodable {
    let customerId: String
    let usedIntroductoryOffers: [Use]

    struct Use: Encodable {
        let bundleId: BundleID
        let environment: AppStoreEnvironment
        let subscriptionGroupId: SubscriptionGroupID?
        let productId: ProductID
        let transactionId: TransactionID
        let originalTransactionId: TransactionID
        let usedAt: Timestamp

        init(_ use: IntroductoryOfferUse) {
            bundleId = use.book.bundleID
            environment = use.book.environment
            subscriptionGroupId = use.groupID
            productId = use.productID
            transactionId = use.transactionID
            originalTransactionId = use.originalID
            usedAt = use.purchaseDate
        }
    }
}
