import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import SignedDataCoding
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TillService {
    /// `POST /v1/offers/signatures`: signs an offer for one payment of one customer.
    func signOffer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try callers.customer(of: request, now: now)
        let keyedApp = try callers.app(of: request)
        let body = try RequestBody.decode(OfferSignatureRequest.self, from: request)
        let bundleID = try app(named: body.bundleID ?? keyedApp)
        guard let app = configuration.app(bundleID), let offers = app.offers else {
            throw ProblemDocument(.offersNotConfigured)
        }
        guard app.products[body.productID]?.kind == .autoRenewable else {
            throw ProblemDocument(
                .unknownProduct, detail: "\(body.productID) is no subscription of the catalog")
        }
        let asks = try callers.caller(of: request, now: now)
        let isBackend = if case .backend = asks { true } else { false }
        try await checkOrder(body, of: customer)
        let signer = OfferSigner(
            bundleID: bundleID, offers: offers, nonce: newNonce().uuidString.lowercased(), now: now)
        switch body.kind {
        case .introductoryEligibility:
            let decided = isBackend ? body.allowsIntroductoryOffer : nil
            let allows: Bool
            if let decided {
                allows = decided
            } else {
                allows = try await !hasSubscribed(customer, to: app, now: now)
            }
            return try Answers.json(try signer.introductory(body, allows: allows))
        default:
            // What an app asks for by itself anybody can ask for.
            guard
                isBackend
                    || offers.promotional[body.productID]?.contains(body.offerID ?? "") == true
            else { throw ProblemDocument(.unknownOffer) }
            return try Answers.json(try signer.promotional(body))
        }
    }

    /// The order that the payment will carry is the customer's, and for this product.
    private func checkOrder(
        _ body: OfferSignatureRequest, of customer: CustomerID
    ) async throws {
        guard let id = body.orderID else { return }
        guard let orderID = OrderID(rawValue: id.uuidString.lowercased()),
            let facts = try await ledger.order(orderID, of: customer)
        else { throw ProblemDocument(.orderNotFound) }
        guard facts.order.productID == body.productID else {
            throw ProblemDocument(
                .invalidRequest, detail: "orderId: that order is for another product")
        }
    }

    /// Whether the customer has ever had a subscription of the app.
    ///
    /// The catalog knows no groups, so one of them counts for all. The history shows the newest purchases
    /// alone: what lies behind them is found among the subscriptions, and what another customer has taken
    /// over among the offers that were used.
    private func hasSubscribed(
        _ customer: CustomerID, to app: AppConfiguration, now: Timestamp
    ) async throws -> Bool {
        let holdings = try await ledger.holdings(of: customer, now: now).only(app.bundleID)
        let isInHistory = holdings.history.contains { entry in
            // A product may have left the catalog; what it sold had an end all the same.
            entry.state?.fields.expiresDate != nil
                || app.products[entry.transaction.productID]?.kind == .autoRenewable
        }
        if isInHistory || !holdings.subscriptions.isEmpty { return true }
        return try await ledger.introductoryOffers(of: customer).contains {
            $0.book.bundleID == app.bundleID
        }
    }
}

/// Signs offers in both of Apple's forms.
struct OfferSigner {
    let bundleID: BundleID
    let offers: OfferConfiguration
    /// A UUID in lower case; the store takes each once.
    let nonce: String
    let now: Timestamp

    /// The old form over seven texts with U+2063 between them, and the JWS beside it where it can be.
    func promotional(_ request: OfferSignatureRequest) throws -> OfferSignatureDocument {
        let offerID = request.offerID ?? ""
        let message = [
            bundleID.rawValue, offers.keyID, request.productID.rawValue, offerID,
            request.orderID?.uuidString.lowercased() ?? "", nonce, String(now.milliseconds),
        ].joined(separator: "\u{2063}")
        let signature = try offers.privateKey.sign(Array(message.utf8), as: .ecdsa(.sha256))
        var claims: [String: JSONValue] = ["offerIdentifier": .string(offerID)]
        claims["transactionId"] = request.transactionID.map { .string($0.rawValue) }
        return OfferSignatureDocument(
            keyID: offers.keyID, nonce: nonce, timestamp: now.milliseconds,
            signature: Base64.encode(signature),
            compactJWS: try jws(for: "promotional-offer", request.productID, claims))
    }

    /// Whether the introductory offer is allowed; there is no old form of it.
    func introductory(
        _ request: OfferSignatureRequest, allows: Bool
    ) throws -> OfferSignatureDocument {
        var claims: [String: JSONValue] = ["allowIntroductoryOffer": .bool(allows)]
        claims["transactionId"] = request.transactionID.map { .string($0.rawValue) }
        guard
            let jws = try jws(for: "introductory-offer-eligibility", request.productID, claims)
        else {
            throw ProblemDocument(
                .offersNotConfigured, detail: "`issuerId` is missing in the app's `offers`")
        }
        return OfferSignatureDocument(
            keyID: offers.keyID, nonce: nonce, timestamp: now.milliseconds, compactJWS: jws,
            allowsIntroductoryOffer: allows)
    }

    private func jws(
        for audience: String, _ product: ProductID, _ more: [String: JSONValue]
    ) throws -> String? {
        guard let issuer = offers.issuerID else { return nil }
        let header: [String: JSONValue] = [
            "alg": "ES256", "kid": .string(offers.keyID), "typ": "JWT",
        ]
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "iat": .integer(now.seconds), "aud": .string(audience),
            "bid": .string(bundleID.rawValue), "nonce": .string(nonce),
            "productId": .string(product.rawValue),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func part(_ value: [String: JSONValue]) throws -> String {
            Base64.encode(try encoder.encode(value), .url)
        }
        let signed = try part(header) + "." + part(claims.merging(more) { $1 })
        let signature = try offers.privateKey.signES256(Array(signed.utf8))
        return signed + "." + Base64.encode(signature, .url)
    }
}
