import AppStoreModel
import HTTPMessage
import SignedDataCoding
import TillAPI
import TillLedger

extension TillService {
    /// `POST /v1/customers/{id}/spend`: by the customer or a backend; once for each name.
    func spend(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try customer(id, of: request, now: now)
        let body = try RequestBody.decode(SpendDocument.self, from: request)
        let place = try place(
            named: body.spendID, of: customer, bundleID: body.bundleID,
            environment: body.environment, request)
        guard
            let wish = SpendRequest(
                place: place, currency: WalletCurrency(body.currency), amount: body.amount,
                reason: body.reason)
        else { throw ProblemDocument(.invalidRequest, detail: "amount: outside its limits") }
        switch try await ledger.spend(wish, now: now) {
        case .spent(let movement, let balance):
            return try Answers.json(MovementDocument(movement, balance: balance))
        case .insufficient(let balance):
            throw ProblemDocument(
                .insufficientBalance,
                detail: "the wallet holds \(balance) \(body.currency) in \(place.book.environment)")
        case .nameTaken: throw ProblemDocument(.nameTaken)
        }
    }

    /// `POST /v1/customers/{id}/credits`: by a backend alone; once for each name.
    func credit(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try customer(id, of: request, now: now, byBackendOnly: true)
        let body = try RequestBody.decode(CreditDocument.self, from: request)
        let place = try place(
            named: body.creditID, of: customer, bundleID: body.bundleID,
            environment: body.environment, request)
        guard
            let wish = CreditRequest(
                place: place, currency: WalletCurrency(body.currency), amount: body.amount,
                reason: body.reason)
        else { throw ProblemDocument(.invalidRequest, detail: "amount: outside its limits") }
        switch try await ledger.credit(wish, now: now) {
        case .given(let movement, let balance):
            return try Answers.json(MovementDocument(movement, balance: balance))
        case .nameTaken: throw ProblemDocument(.nameTaken)
        }
    }

    /// `GET /v1/customers/{id}/wallet?after=…&limit=…`.
    func showWallet(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let customer = try customer(id, of: request, now: clock())
        let query = try Self.query(of: request)
        let limit = try Self.limit(of: query, usual: 50, most: Ledger.historyLimit)
        var place: StatementPlace?
        if let text = query["after"] {
            guard let known = StatementPlace(cursor: text) else {
                throw ProblemDocument(.invalidRequest, detail: "after: no place of a statement")
            }
            place = known
        }
        let entries = try await ledger.statement(of: customer, after: place, limit: limit)
        return try Answers.json(
            StatementDocument(
                entries: entries.map { StatementLine($0) },
                next: entries.count == limit ? entries.last?.place.cursor : nil))
    }

    /// `POST /v1/customers/{id}/promotions`: by a backend alone; once for each name.
    func promote(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try customer(id, of: request, now: now, byBackendOnly: true)
        let body = try RequestBody.decode(PromotionRequest.self, from: request)
        let place = try place(
            named: body.promotionID, of: customer, bundleID: body.bundleID,
            environment: body.environment, request)
        let promotion = Promotion(
            place: place, entitlement: EntitlementName(body.entitlement), at: now,
            endsAt: body.endsAt, reason: body.reason)
        switch try await ledger.promote(promotion) {
        case .given(let facts):
            return try Answers.json(PromotionDocument(facts), status: .created)
        case .nameTaken: throw ProblemDocument(.nameTaken)
        case .endsBeforeItBegins:
            throw ProblemDocument(.invalidRequest, detail: "endsAt: lies in the past")
        }
    }

    /// `DELETE /v1/customers/{id}/promotions/{name}?bundleId=…&environment=…`: by a backend alone.
    func endPromotion(
        _ id: String, _ name: String, _ request: HTTPRequest
    ) async throws -> HTTPResponse {
        let now = clock()
        let customer = try customer(id, of: request, now: now, byBackendOnly: true)
        let query = try Self.query(of: request)
        let place = try place(
            named: name, of: customer, bundleID: query["bundleId"].map { BundleID($0) },
            environment: query["environment"].map { AppStoreEnvironment(rawValue: $0) }, request)
        guard let facts = try await ledger.endPromotion(place, now: now) else {
            throw ProblemDocument(.promotionNotFound)
        }
        return try Answers.json(PromotionDocument(facts))
    }

    /// The book of a request, and the movement's name: the body's, else the `Idempotency-Key`.
    private func place(
        named name: String?, of customer: CustomerID, bundleID: BundleID?,
        environment: AppStoreEnvironment?, _ request: HTTPRequest
    ) throws(ProblemDocument) -> MovementPlace {
        let keyed = try callers.app(of: request)
        let app = try app(named: bundleID ?? keyed)
        let rules = configuration.app(app)
        guard let environment = environment ?? rules?.environments.first,
            rules?.grantingEnvironments.contains(environment) == true
        else {
            throw ProblemDocument(
                .invalidRequest, detail: "environment: the app does not admit it")
        }
        let key = try idempotency(of: request, customer: customer)?.key
        guard let name = name ?? key else { throw ProblemDocument(.nameMissing) }
        guard let id = MovementID(rawValue: name) else {
            throw ProblemDocument(.invalidRequest, detail: "the name has 1 to 255 bytes")
        }
        return MovementPlace(
            book: configuration.book(of: app, in: environment), customer: customer, id: id)
    }
}

extension MovementDocument {
    fileprivate init(_ movement: WalletMovement, balance: Int64) {
        self.init(
            id: movement.place.id.rawValue, currency: movement.currency.rawValue,
            amount: movement.amount, balance: balance,
            environment: movement.place.book.environment, at: movement.at)
    }
}

extension PromotionDocument {
    fileprivate init(_ facts: PromotionFacts) {
        let promotion = facts.promotion
        self.init(
            promotionID: promotion.place.id.rawValue,
            entitlement: promotion.entitlement.rawValue,
            environment: promotion.place.book.environment, at: promotion.at, endsAt: facts.end,
            reason: promotion.reason)
    }
}

extension StatementLine {
    fileprivate init(_ entry: StatementEntry) {
        let (account, cause) =
            switch entry.cause {
            case .purchase(let key, let turn): (turn == 0 ? "sales" : "refunds", key.rawValue)
            case .spend(let id): ("spent", id.rawValue)
            case .promotion(let id): ("promotions", id.rawValue)
            }
        self.init(
            bundleID: entry.book.bundleID, environment: entry.book.environment,
            currency: entry.currency.rawValue, amount: entry.amount,
            debt: entry.debt == 0 ? nil : entry.debt, account: account, cause: cause,
            reason: entry.reason, at: entry.at)
    }
}

extension StatementPlace {
    /// The place as it goes out and comes back: opaque to callers.
    fileprivate var cursor: String { Base64.encode("\(at.milliseconds):\(key)".utf8, .url) }

    fileprivate init?(cursor: String) {
        guard let bytes = Base64.decodeURL(Array(cursor.utf8)),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
        self.init(at: Timestamp(milliseconds: milliseconds), key: String(parts[1]))
    }
}
