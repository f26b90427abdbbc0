import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TillService {
    /// `POST /v1/orders`.
    func openOrder(_ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try callers.customer(of: request, now: now)
        let keyedApp = try callers.app(of: request)
        let body = try RequestBody.decode(TillAPI.OrderRequest.self, from: request)
        let app = try app(named: body.bundleID ?? keyedApp)
        if let environment = body.environment,
            configuration.app(app)?.verifiedEnvironments.contains(environment) != true
        {
            // Nothing could ever pay for it.
            throw ProblemDocument(
                .invalidRequest, detail: "environment: the app does not admit it")
        }
        let wish = TillLedger.OrderRequest(
            bundleID: app, customer: customer, productID: body.productID,
            quantity: Int64(body.quantity),
            terms: OrderTerms(
                price: body.price, currency: body.currency, environment: body.environment))
        let answer = try await ledger.openOrder(
            wish, idempotency: try idempotency(of: request, customer: customer), now: now)
        switch answer {
        case .opened(let order):
            return try Answers.json(OrderDocument(order, now: now), status: .created)
        case .refused(.appUnknown): throw ProblemDocument(.unknownApp)
        case .refused(.productUnknown): throw ProblemDocument(.unknownProduct)
        case .refused(.quantityInvalid):
            throw ProblemDocument(
                .invalidRequest,
                detail: "quantity: more than one unit is sold of consumables and non-renewing "
                    + "products alone")
        }
    }

    /// `GET /v1/orders/{id}`: a customer sees its own, a backend that names nobody sees all.
    func showOrder(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer: CustomerID? =
            switch try callers.caller(of: request, now: now) {
            case .customer(let id): id
            case .backend(let named): named
            }
        guard let orderID = OrderID(rawValue: id),
            let order = try await ledger.order(orderID, of: customer)
        else { throw ProblemDocument(.orderNotFound) }
        return try Answers.json(OrderDocument(order, now: now))
    }

    /// `POST /v1/orders/{id}/deferred`: the buyer waits for somebody's approval, such as a parent's.
    func deferOrder(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try callers.customer(of: request, now: now)
        guard let orderID = OrderID(rawValue: id),
            let order = try await ledger.deferOrder(orderID, of: customer, now: now)
        else { throw ProblemDocument(.orderNotFound) }
        return try Answers.json(OrderDocument(order, now: now))
    }

    /// `GET /v1/apps/{app}/orders/suspects`: for backends that name no customer.
    func showSuspects(_ app: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        guard case .backend = try callers.caller(of: request, now: now) else {
            throw ProblemDocument(.forbidden)
        }
        let app = try self.app(named: BundleID(app))
        var suspects: [LostOrderDocument] = []
        for suspect in try await ledger.lostOrderSuspects(of: app) {
            guard let order = try await ledger.order(suspect.order.id, of: nil) else { continue }
            suspects.append(
                LostOrderDocument(
                    order: OrderDocument(order, now: now),
                    customerID: suspect.order.customer.rawValue,
                    suspicion: suspect.suspicion.rawValue,
                    transactionID: suspect.transaction.id,
                    environment: suspect.transaction.book.environment))
        }
        return try Answers.json(LostOrderList(suspects: suspects))
    }

    /// The app that is named, or the only one.
    func app(named bundleID: BundleID?) throws(ProblemDocument) -> BundleID {
        if let bundleID {
            guard configuration.app(bundleID) != nil else { throw ProblemDocument(.unknownApp) }
            return bundleID
        }
        guard configuration.apps.count == 1, let app = configuration.apps.first else {
            throw ProblemDocument(.bundleRequired)
        }
        return app.bundleID
    }

    /// The request's `Idempotency-Key`, tied to the customer and to what is asked.
    func idempotency(
        of request: HTTPRequest, customer: CustomerID
    ) throws(ProblemDocument) -> IdempotencyKey? {
        let keys = request.fields.values(of: APIWire.idempotencyField)
        guard let key = keys.first else { return nil }
        guard keys.count == 1, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProblemDocument(.invalidIdempotencyKey)
        }
        let asked =
            Array("\(request.method.rawValue) \(request.target)\n".utf8)
            + Self.meaning(of: request.body)
        guard
            let idempotency = IdempotencyKey(
                caller: "customer:\(customer.rawValue)", key: key, input: SHA256.hash(asked))
        else { throw ProblemDocument(.invalidIdempotencyKey) }
        return idempotency
    }

    /// A body in one form, whatever the order of its names and its white space: an app that makes it anew for
    /// the second try asks for the same.
    private static func meaning(of body: Data) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: body),
            let canonical = try? encoder.encode(value)
        else { return body }
        return canonical
    }
}

extension OrderDocument {
    /// The wire's form of an order as it stands.
    init(_ facts: OrderFacts, now: Timestamp) {
        let order = facts.order
        self.init(
            orderID: UUID(order.id), status: .init(rawValue: facts.status(at: now).rawValue),
            bundleID: order.bundleID, productID: order.productID, quantity: Int(order.quantity),
            expiresAt: order.expiresAt, createdAt: order.openedAt,
            transactionID: facts.payment?.id,
            flags: facts.flags.isEmpty ? nil : facts.flags.map(\.kind.rawValue))
    }
}

extension UUID {
    /// The UUID of an order.
    init(_ order: OrderID) {
        // An OrderID is a UUID's text in lower case by construction, and needs no checking again.
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { bytes in
            var place = 0
            for letter in order.rawValue.utf8 where letter != UInt8(ascii: "-") {
                let isDigit = letter < UInt8(ascii: "a")
                let digit = letter &- (isDigit ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
                bytes[place / 2] = bytes[place / 2] << 4 | digit
                place += 1
            }
        }
        self.init(uuid: uuid)
    }
}
