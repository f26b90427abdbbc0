import AppStoreModel
import HTTPMessage
import TillAPI

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Till server without proof or database: it grants each transaction once, to one customer.
actor FakeServer {
    /// What happens to a request.
    enum Fault: Sendable {
        /// Nothing arrives.
        case lost
        /// It is carried out and the answer is lost.
        case answerLost
        case status(Int, String = "", retryAfter: Int? = nil)
        /// A problem document.
        case problem(ProblemDocument)
        /// 200, but the answer lists nothing.
        case listsNothing
        case none
    }

    struct Exchange: Sendable {
        var route: String
        var customer: String?
        var key: String?
        var purchase: PurchaseRequest?
        var status: Int
    }

    struct FakeOrder: Sendable {
        var customer: String
        var product: ProductID
        var quantity: Int
        var status = OrderStatus.open
    }

    var faults: [String: [Fault]] = [:]
    private(set) var exchanges: [Exchange] = []
    private(set) var orders: [UUID: FakeOrder] = [:]
    private(set) var owners: [String: String] = [:]
    private(set) var grants: [String: Int] = [:]
    private(set) var tracks: [[String: TrackValue]] = []
    private(set) var revoked: Set<String> = []
    private var ordersByKey: [String: UUID] = [:]
    private var nextOrder: UInt8 = 0
    /// Customers of tokens; a token that is not here is not taken.
    var tokens: [String: String] = [
        "token-alice": "alice", "token-bob": "bob",
    ]
    /// Subscriptions that are over.
    var expired: Set<ProductID> = []
    var entitlementEnd: Timestamp?
    /// What happens before a request on a route is answered, once.
    var interrupts: [String: @Sendable () async -> Void] = [:]
    /// What happens while the answer to a request is on its way back, once.
    var delays: [String: @Sendable () async -> Void] = [:]
    /// A signed transaction at which the server stumbles, whatever comes with it.
    var stumblingBlock: String?
    /// Customers who became part of others.
    var merged: [String: String] = [:]
    /// Signs what customers may use.
    var notary: FakeNotary?
    private var nonce: String?
    private var askedName = ""
    private(set) var merges: [MergeRequest] = []
    private(set) var bodies: [(route: String, text: String)] = []
    /// Whether nothing arrives at all.
    var isDown = false
    var date = "Fri, 17 Mar 2030 17:46:40 GMT"

    func plan(_ route: String, _ faults: Fault...) { self.faults[route, default: []] += faults }

    func change(_ change: @Sendable (isolated FakeServer) -> Void) { change(self) }

    func setStatus(_ status: OrderStatus, ofOrdersFor product: ProductID) {
        for (id, order) in orders where order.product == product { orders[id]?.status = status }
    }

    /// Grants without the app, as by a notification of the store.
    func grantByNotification(_ id: String, order: UUID?) {
        guard let order, let customer = orders[order]?.customer else { return }
        owners[id] = customer
        grants[id, default: 0] += 1
        orders[order]?.status = .fulfilled
    }

    func count(_ route: String) -> Int { exchanges.filter { $0.route == route }.count }

    var purchases: [PurchaseRequest] { exchanges.compactMap(\.purchase) }

    func interrupt(_ route: String) -> (@Sendable () async -> Void)? {
        interrupts.removeValue(forKey: route)
    }

    func delay(_ route: String) -> (@Sendable () async -> Void)? {
        delays.removeValue(forKey: route)
    }

    func respond(to request: HTTPRequest) throws(HTTPFetchError) -> HTTPResponse {
        let path = request.target.replacing("https://till.test", with: "")
        let shape =
            path.hasPrefix("/v1/customers/")
            ? path.hasSuffix("/merge") ? "/v1/merge" : "/v1/customers"
            : path.hasPrefix("/v1/orders/")
                ? path.hasSuffix("/deferred") ? "/v1/orders/id/deferred" : "/v1/orders/id" : path
        let route = "\(request.method.rawValue) \(shape)"
        let bearer = request.fields["Authorization"]?.replacing("Bearer ", with: "") ?? ""
        let fault = (faults[route]?.isEmpty == false ? faults[route]?.removeFirst() : nil) ?? .none
        if isDown { throw HTTPFetchError(.cannotConnect) }
        if case .lost = fault { throw HTTPFetchError(.cannotConnect) }
        let response: HTTPResponse
        switch (fault, tokens[bearer]) {
        case (.status(let status, let text, let retryAfter), _):
            response = plain(status, Data(text.utf8), retryAfter: retryAfter)
        case (.problem(let problem), _):
            response = plain(
                problem.status, (try? JSONEncoder().encode(problem)) ?? Data())
        case (_, nil) where path == APIWire.signingKeys:
            response = json(KeySetDocument(keys: (notary?.published).map { [$0] } ?? []))
        case (_, nil):
            response = problem(.invalidToken)
        case (_, let name?):
            nonce = request.fields[APIWire.nonceField]
            askedName = name
            let customer = canonical(name)
            bodies.append((route, String(decoding: request.body, as: UTF8.self)))
            response = carryOut(route, path, request, for: customer, fault)
        }
        exchanges.append(
            Exchange(
                route: route, customer: tokens[bearer], key: request.fields["Idempotency-Key"],
                purchase: shape == APIWire.purchases
                    ? try? JSONDecoder().decode(PurchaseRequest.self, from: request.body) : nil,
                status: response.status.rawValue))
        if case .answerLost = fault { throw HTTPFetchError(.connectionLost) }
        return response
    }

    private func carryOut(
        _ route: String, _ path: String, _ request: HTTPRequest, for customer: String,
        _ fault: Fault
    ) -> HTTPResponse {
        switch route {
        case "POST /v1/orders":
            guard let wish = try? JSONDecoder().decode(OrderRequest.self, from: request.body)
            else { return problem(.malformedJSON) }
            let key = request.fields["Idempotency-Key"] ?? ""
            let id = ordersByKey[key] ?? makeOrderID()
            ordersByKey[key] = id
            orders[id] = FakeOrder(
                customer: customer, product: wish.productID, quantity: wish.quantity)
            return json(document(id), 201)
        case "GET /v1/orders/id":
            guard let id = UUID(uuidString: String(path.dropFirst("/v1/orders/".count))),
                orders[id].map({ canonical($0.customer) }) == customer
            else { return problem(.orderNotFound) }
            return json(document(id))
        case "POST /v1/orders/id/deferred":
            guard let id = UUID(uuidString: String(path.split(separator: "/")[2])),
                orders[id].map({ canonical($0.customer) }) == customer
            else { return problem(.orderNotFound) }
            if orders[id]?.status == .open { orders[id]?.status = .deferred }
            return json(document(id))
        case "POST /v1/purchases":
            guard let purchase = try? JSONDecoder().decode(PurchaseRequest.self, from: request.body)
            else { return problem(.malformedJSON) }
            if let block = stumblingBlock,
                purchase.signedTransactions.contains(where: { FakeProof.read($0)?.id == block })
            {
                return problem(.invalidRequest)
            }
            return take(purchase, from: customer, listsNothing: fault.listsNothing)
        case "GET /v1/customers":
            return json(signed(describe(customer)))
        case "POST /v1/merge":
            guard let wish = try? JSONDecoder().decode(MergeRequest.self, from: request.body)
            else { return problem(.malformedJSON) }
            guard let token = wish.fromToken, let from = tokens[token] else {
                return problem(.invalidToken)
            }
            guard from == wish.from else { return problem(.forbidden) }
            merges.append(wish)
            merged[wish.from] = customer
            return json(signed(describe(customer)))
        case "POST /v1/purchases/owner":
            return tellOwners(request, to: customer)
        case "POST /v1/offers/signatures":
            return signOffer(request)
        default:
            return problem(.notFound)
        }
    }

    func canonical(_ name: String) -> String { merged[name].map { canonical($0) } ?? name }

    private func signed(_ document: CustomerDocument) -> CustomerDocument {
        var document = document
        document.signedEntitlements = notary?.sign(document, of: askedName, nonce: nonce)
        return document
    }

    /// What the request shows: of a receipt what it names, as the real server has it, or all of it.
    private func proofs(in purchase: PurchaseRequest) -> [FakeProof] {
        let signed = purchase.signedTransactions.compactMap(FakeProof.read)
        guard let receipt = purchase.receipt, let bytes = Data(base64Encoded: receipt),
            let listed = try? JSONDecoder().decode([FakeProof].self, from: bytes)
        else { return signed }
        let named = Set(purchase.transactionIDs.map(\.rawValue))
        guard !named.isEmpty else { return signed + listed }
        let exact = named.intersection(listed.map(\.id))
        let originals = purchase.isRestore ? named : named.subtracting(exact)
        return signed
            + listed.filter { exact.contains($0.id) || originals.contains($0.original) }
    }

    private func tellOwners(_ request: HTTPRequest, to customer: String) -> HTTPResponse {
        guard let purchase = try? JSONDecoder().decode(PurchaseRequest.self, from: request.body)
        else { return problem(.malformedJSON) }
        let owned = proofs(in: purchase).map { proof in
            let owner = (owners[proof.id] ?? owners[proof.original]).map { canonical($0) }
            return OwnedTransactionDocument(
                transactionID: TransactionID(proof.id),
                originalTransactionID: TransactionID(proof.original),
                productID: ProductID(proof.product), environment: .sandbox,
                owner: owner == nil ? .nobody : owner == customer ? .you : .another)
        }
        return json(OwnerResponse(owner: .nobody, transactions: owned))
    }

    /// Whether the introductory offer is signed as allowed.
    var allowsIntroductoryOffer = true
    /// Which forms of a promotional offer's signature the server knows.
    var signsOldForm = true
    var signsNewForm = false

    private func signOffer(_ request: HTTPRequest) -> HTTPResponse {
        guard let wish = try? JSONDecoder().decode(OfferSignatureRequest.self, from: request.body)
        else { return problem(.malformedJSON) }
        let isIntroductory = wish.kind == .introductoryEligibility
        return json(
            OfferSignatureDocument(
                keyID: "KEY", nonce: "00000000-0000-0000-0000-000000000001",
                timestamp: 1_900_000_000_000,
                signature: signsOldForm && !isIntroductory ? "c2lnbmF0dXJl" : nil,
                compactJWS: signsNewForm || isIntroductory ? "a.b.c" : nil,
                allowsIntroductoryOffer: isIntroductory ? allowsIntroductoryOffer : nil))
    }

    private func take(
        _ purchase: PurchaseRequest, from customer: String, listsNothing: Bool
    ) -> HTTPResponse {
        let proofs = proofs(in: purchase)
        let refused = purchase.signedTransactions.enumerated().compactMap { place, text in
            FakeProof.read(text)?.isForged == true
                ? RefusedProof(
                    proof: "signedTransactions[\(place)]", code: ProblemCode(.wrongSignature),
                    mayFinish: true, isRetryable: false) : nil
        }
        if listsNothing {
            return json(PurchaseResponse(results: [], customer: signed(describe(customer))))
        }
        let reports = proofs.filter { !$0.isForged }.map { report($0, purchase, from: customer) }
        if reports.isEmpty, !refused.isEmpty {
            return plain(
                422,
                (try? JSONEncoder().encode(
                    ProblemDocument(.wrongSignature, mayFinish: true, refusedProofs: refused)))
                    ?? Data())
        }
        return json(
            PurchaseResponse(
                results: reports, refusedProofs: refused.isEmpty ? nil : refused,
                customer: signed(describe(customer))))
    }

    private func report(
        _ proof: FakeProof, _ purchase: PurchaseRequest, from customer: String
    ) -> TransactionReport {
        let order = proof.token.flatMap(UUID.init(uuidString:)) ?? purchase.orderID
        let isMine = order.map { orders[$0]?.product.rawValue == proof.product } ?? false
        let owner =
            canonical(
                owners[proof.id] ?? owners[proof.original]
                    ?? (isMine ? order.flatMap { orders[$0]?.customer } : nil) ?? customer)
        let known =
            owners[proof.id] != nil || (proof.original != proof.id && owners[proof.original] != nil)
        if proof.revoked { revoked.insert(proof.id) }
        var outcome = TransactionOutcome.alreadyGranted
        if !known, !proof.revoked {
            grants[proof.id, default: 0] += 1
            outcome = .granted
            if !purchase.track.isEmpty { tracks.append(purchase.track) }
        }
        owners[proof.id] = owner
        if isMine, let order { orders[order]?.status = .fulfilled }
        let isTheirs = owner == customer
        return TransactionReport(
            transactionID: TransactionID(proof.id),
            originalTransactionID: TransactionID(proof.original),
            productID: ProductID(proof.product),
            outcome: isTheirs && !proof.revoked ? outcome : .refused,
            reason: !isTheirs ? "belongsToAnother" : proof.revoked ? "revoked" : nil,
            orderID: isMine ? order : nil,
            mayFinish: true)
    }

    func describe(_ customer: String) -> CustomerDocument {
        var entitlements: [EntitlementDocument] = []
        var coins: Int64 = 0
        for (id, owner) in owners.sorted(by: { $0.key < $1.key })
        where canonical(owner) == customer {
            guard let product = products[id] else { continue }
            if product.rawValue.hasPrefix("coins") {
                coins += Int64(product.rawValue.dropFirst(5)) ?? 0
            }
            if !product.rawValue.hasPrefix("coins") {
                entitlements.append(
                    EntitlementDocument(
                        entitlement: product.rawValue,
                        isActive: !revoked.contains(id) && !expired.contains(product),
                        expiresAt: entitlementEnd, productID: product, environment: .sandbox))
            }
        }
        return CustomerDocument(
            customerID: customer, entitlements: entitlements, balances: ["coins": coins],
            balancesByEnvironment: [:],
            transactions: owners.filter { canonical($0.value) == customer }.keys.sorted().compactMap
            { id in
                products[id].map {
                    TransactionDocument(
                        transactionID: TransactionID(id), originalTransactionID: TransactionID(id),
                        bundleID: "test", productID: $0, quantity: 1, environment: .sandbox,
                        outcome: .granted)
                }
            })
    }

    private var products: [String: ProductID] { known }
    private var known: [String: ProductID] = [:]

    /// Tells the server what the store knows, so that it can describe what it granted.
    func learn(_ proofs: [String: FakeProof]) {
        for (id, proof) in proofs { known[id] = ProductID(proof.product) }
    }

    private func makeOrderID() -> UUID {
        nextOrder += 1
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0xAB, nextOrder))
    }

    private func document(_ id: UUID) -> OrderDocument {
        OrderDocument(
            orderID: id, status: orders[id]?.status ?? .open,
            productID: orders[id]?.product ?? "", quantity: orders[id]?.quantity ?? 1,
            expiresAt: Timestamp(milliseconds: 1_900_086_400_000))
    }

    private func problem(_ kind: ProblemKind) -> HTTPResponse {
        plain(kind.facts.status, (try? JSONEncoder().encode(ProblemDocument(kind))) ?? Data())
    }

    private func json<Value: Encodable>(_ value: Value, _ status: Int = 200) -> HTTPResponse {
        plain(status, (try? JSONEncoder().encode(value)) ?? Data())
    }

    private func plain(_ status: Int, _ body: Data, retryAfter: Int? = nil) -> HTTPResponse {
        var fields = HTTPFields(["Date": date])
        fields["Retry-After"] = retryAfter.map(String.init)
        return HTTPResponse(status: HTTPStatus(rawValue: status), fields: fields, body: body)
    }
}

extension FakeServer.Fault {
    var listsNothing: Bool {
        if case .listsNothing = self { return true }
        return false
    }
}

/// One launch's network.
struct FakeNetwork: HTTPFetching {
    let server: FakeServer
    let store: FakeStore
    let life: KillSwitch

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let path = request.target.replacing("https://till.test", with: "")
        let name = "\(request.method.rawValue) \(path)"
        await life.pass("before \(name)")
        await server.learn(store.proofs)
        await server.interrupt(name)?()
        let response = try await server.respond(to: request)
        await server.delay(name)?()
        await life.pass("after \(name)")
        return response
    }
}
