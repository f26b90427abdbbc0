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
    /// `POST /v1/purchases/owner`: whose the purchases of a proof are; records nothing, names nobody.
    func askOwner(_ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try callers.customer(of: request, now: now)
        let (body, named) = try proofRequest(request)
        let reading = proofs.read(body)
        guard !reading.believed.isEmpty else { throw ProblemDocument(refusing: reading.refused) }
        let owned = try await ledger.owners(
            of: PurchaseSubmission(
                customer: customer, bundleID: named, proofs: reading.believed,
                transactionIDs: body.transactionIDs),
            now: now)
        return try Answers.json(
            OwnerResponse(
                owner: .init(rawValue: TillLedger.PurchaseOwner(owned).rawValue),
                transactions: owned.map { OwnedTransactionDocument($0) },
                refusedProofs: reading.refused.isEmpty ? nil : reading.refused))
    }

    /// `GET /v1/apps/{app}/unclaimed`: what was paid and nobody owns; for backends.
    func listUnclaimed(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        try callers.backend(of: request, now: clock())
        let app = BundleID(app)
        guard configuration.app(app) != nil else { throw ProblemDocument(.unknownApp) }
        let query = try Self.query(of: request)
        var place: TransactionReference?
        if let text = query["after"] {
            guard let read = UnclaimedPage.place(text, of: app) else {
                throw ProblemDocument(.invalidRequest, detail: "after: not a `next` of this list")
            }
            place = read
        }
        let limit = try Self.limit(
            of: query, usual: Ledger.unclaimedLimit, most: Ledger.unclaimedLimit)
        let found = try await ledger.unclaimed(of: app, after: place, limit: limit)
        return try Answers.json(UnclaimedPage(found, limit: limit))
    }

    /// `POST /v1/customers/{id}/claims`: a backend says whose an unclaimed transaction is.
    func claimPurchase(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try self.customer(id, of: request, now: now, byBackendOnly: true)
        let body = try RequestBody.decode(ClaimRequest.self, from: request)
        let app = try app(named: body.bundleID)
        let answer = try await ledger.claim(
            body.transactionID, in: books(of: app, in: body.environment), for: customer, now: now)
        switch answer {
        case .unknown: throw ProblemDocument(.transactionNotFound)
        case .belongsToAnother: throw ProblemDocument(.belongsToAnother)
        case .claimed(let result):
            tally([result], by: "claim")
            let snapshot = try await ledger.customer(customer, now: now)
            return try Answers.json(
                PurchaseResponse(
                    results: [TransactionReport(result)], refusedProofs: nil,
                    absentTransactionIDs: nil, customer: CustomerDocument(snapshot.holdings)))
        }
    }

    /// Every book of an app in which a transaction may stand, production first.
    private func books(of app: BundleID, in environment: AppStoreEnvironment?) -> [Book] {
        let all: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]
        return all.filter { environment == nil || $0 == environment }.flatMap { environment in
            [nil, ServerConfiguration.testStore].map {
                Book(bundleID: app, environment: environment, anchor: $0)
            }
        }
    }
}

/// `POST /v1/customers/{id}/claims`.
private struct ClaimRequest: Decodable {
    let transactionID: TransactionID
    let environment: AppStoreEnvironment?
    let bundleID: BundleID?

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case environment
        case bundleID = "bundleId"
    }
}

/// One piece of the list of unclaimed transactions.
private struct UnclaimedPage: Encodable {
    let transactions: [Entry]
    /// What `after` must be for the next piece; none at the end.
    let next: String?

    struct Entry: Encodable {
        let transactionId: TransactionID
        let originalTransactionId: TransactionID
        let productId: ProductID
        let quantity: Int64
        let environment: AppStoreEnvironment
        let purchaseDate: Timestamp
        let recordedAt: Timestamp
    }

    init(_ found: [UnclaimedTransaction], limit: Int) {
        transactions = found.map { found in
            let transaction = found.transaction
            return Entry(
                transactionId: transaction.id, originalTransactionId: transaction.originalID,
                productId: transaction.productID, quantity: transaction.quantity,
                environment: found.book.environment, purchaseDate: transaction.purchaseDate,
                recordedAt: transaction.recordedAt)
        }
        next = found.count < limit ? nil : found.last.map { Self.text($0.reference) }
    }

    private static func text(_ place: TransactionReference) -> String {
        "\(place.book.environment.rawValue)/\(place.book.anchor ?? "")/\(place.id)"
    }

    static func place(_ text: String, of app: BundleID) -> TransactionReference? {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let book = Book(
            bundleID: app, environment: AppStoreEnvironment(rawValue: String(parts[0])),
            anchor: parts[1].isEmpty ? nil : String(parts[1]))
        return TransactionReference(book: book, id: TransactionID(String(parts[2])))
    }
}

extension OwnedTransactionDocument {
    /// The wire's form of an answer.
    init(_ owned: OwnedTransaction) {
        self.init(
            transactionID: owned.transactionID,
            originalTransactionID: owned.originalTransactionID, productID: owned.productID,
            environment: owned.book.environment, expiresDate: owned.expiresDate,
            owner: .init(rawValue: owned.owner.rawValue))
    }
}
