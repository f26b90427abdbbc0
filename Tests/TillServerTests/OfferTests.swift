import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import SignedDataCoding
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Offers that the server signs, and those that it does not.
@Suite struct OfferTests {
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    private static let half = "pro.monthly.half"
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.p256) }

    private func shop(issuer: String? = issuer, app: String = "") throws -> TestShop {
        let pem = key.pem.replacing("\n", with: "\\n")
        let issuer = issuer.map { #", "issuerId": "\#($0)""# } ?? ""
        return try TestShop(
            app: #"""
                , "offers": {"keyId": "ABC123DEFG", "privateKey": "\#(pem)"\#(issuer),
                  "promotional": {"\#(TestShop.monthly)": ["\#(Self.half)"]}}\#(app)
                """#)
    }

    private func ask(
        _ request: OfferSignatureRequest, in shop: TestShop, as customer: String? = "anna",
        fields: KeyValuePairs<String, String> = [:]
    ) async throws -> HTTPResponse {
        try await shop.send(
            .post, APIWire.offerSignatures, try JSONEncoder().encode(request), as: customer,
            fields: fields)
    }

    private func signed(_ response: HTTPResponse) throws -> OfferSignatureDocument {
        try #require(
            response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(OfferSignatureDocument.self, from: response.body)
    }

    private func code(_ response: HTTPResponse, _ shop: TestShop) throws -> ProblemKind? {
        try shop.problem(response).code.kind
    }

    private static let asBackend: KeyValuePairs = [
        "Authorization": "Bearer \(TestShop.secretKey)", APIWire.customerField: "anna",
    ]

    @Test func `the old form signs seven texts, the order's id among them, under a new nonce`()
        async throws
    {
        let shop = try shop()
        let order = try await shop.openOrder(TestShop.monthly, by: "anna")
        let request = OfferSignatureRequest(
            productID: TestShop.monthly, offerID: Self.half, orderID: order.orderID)
        let document = try signed(try await ask(request, in: shop))
        #expect(document.keyID == "ABC123DEFG")
        #expect(document.timestamp == TestClock.start.milliseconds)
        #expect(UUID(uuidString: document.nonce)?.uuidString.lowercased() == document.nonce)
        let message = [
            "com.example.app", "ABC123DEFG", "com.example.pro.monthly", "pro.monthly.half",
            order.orderID.uuidString.lowercased(), document.nonce,
            String(TestClock.start.milliseconds),
        ].joined(separator: "\u{2063}")
        let bytes = try #require(document.signature.flatMap { Data(base64Encoded: $0) })
        let isValid = { (text: String) in
            key.publicKey.isValid([UInt8](bytes), of: Array(text.utf8), as: .ecdsa(.sha256))
        }
        #expect(isValid(message))
        #expect(!isValid(message + "0"))
        let again = try signed(try await ask(request, in: shop))
        #expect(again.nonce != document.nonce)
    }

    @Test func `the new form is a token of the key with Apple's claims`() async throws {
        let shop = try shop()
        let document = try signed(
            try await ask(
                OfferSignatureRequest(
                    productID: TestShop.monthly, offerID: Self.half, transactionID: "17"), in: shop)
        )
        let jws = try CompactJWS(decoding: try #require(document.compactJWS))
        let header = try jws.header()
        #expect(header.algorithm == "ES256" && header.keyID == "ABC123DEFG")
        #expect(key.publicKey.isValidES256(jws.signature, of: Array(jws.signingInput)))
        let claims = try JSONDecoder().decode(JSONValue.self, from: Data(jws.payload))
        #expect(
            claims == [
                "iss": .string(Self.issuer), "iat": .integer(TestClock.start.seconds),
                "aud": "promotional-offer", "bid": "com.example.app",
                "nonce": .string(document.nonce), "productId": "com.example.pro.monthly",
                "offerIdentifier": "pro.monthly.half", "transactionId": "17",
            ])
    }

    @Test func `without an issuer there is the old form alone`() async throws {
        let shop = try shop(issuer: nil)
        let document = try signed(
            try await ask(
                OfferSignatureRequest(productID: TestShop.monthly, offerID: Self.half), in: shop))
        #expect(document.signature != nil && document.compactJWS == nil)
        let introductory = try await ask(
            OfferSignatureRequest(
                kind: .introductoryEligibility, productID: TestShop.monthly, transactionID: "1"),
            in: shop)
        #expect(try code(introductory, shop) == .offersNotConfigured)
    }

    @Test func `an app gets the listed offers alone, and its backend any`() async throws {
        let shop = try shop()
        let other = OfferSignatureRequest(productID: TestShop.monthly, offerID: "secret.sale")
        #expect(try code(try await ask(other, in: shop), shop) == .unknownOffer)
        _ = try signed(try await ask(other, in: shop, as: nil, fields: Self.asBackend))
        // Listed, and for another product.
        let wrong = OfferSignatureRequest(productID: TestShop.coins, offerID: Self.half)
        #expect(try code(try await ask(wrong, in: shop), shop) == .unknownProduct)
        let unsold = OfferSignatureRequest(productID: "com.example.no", offerID: Self.half)
        #expect(try code(try await ask(unsold, in: shop), shop) == .unknownProduct)
    }

    @Test func `nothing is signed for nobody, for another's order or for another product's`()
        async throws
    {
        let shop = try shop()
        let order = try await shop.openOrder(TestShop.monthly, by: "anna")
        let request = OfferSignatureRequest(
            productID: TestShop.monthly, offerID: Self.half, orderID: order.orderID)
        #expect(try await ask(request, in: shop, as: nil).status == .unauthorized)
        #expect(try code(try await ask(request, in: shop, as: "ben"), shop) == .orderNotFound)
        let coins = try await shop.openOrder(TestShop.coins, by: "anna")
        let crossed = OfferSignatureRequest(
            productID: TestShop.monthly, offerID: Self.half, orderID: coins.orderID)
        #expect(try code(try await ask(crossed, in: shop), shop) == .invalidRequest)
        _ = try signed(try await ask(request, in: shop))
    }

    @Test func `a server without a key says so`() async throws {
        let shop = try TestShop()
        let response = try await ask(
            OfferSignatureRequest(productID: TestShop.monthly, offerID: Self.half), in: shop)
        #expect(response.status == .notFound)
        #expect(try code(response, shop) == .offersNotConfigured)
    }

    @Test(arguments: [
        #"{"productId": "com.example.pro.monthly"}"#,
        #"{"productId": "com.example.pro.monthly", "offerId": ""}"#,
        #"{"offerId": "pro.monthly.half"}"#,
        #"{"productId": "com.example.pro.monthly", "kind": "introductoryEligibility"}"#,
        #"{"productId": "com.example.pro.monthly", "kind": "gift", "offerId": "x"}"#,
        #"{"productId": "com.example.pro.monthly", "offerId": "x", "orderId": "17"}"#,
    ])
    func `a request that lacks what its kind needs is refused`(_ body: String) async throws {
        let shop = try shop()
        let response = try await shop.send(
            .post, APIWire.offerSignatures, Data(body.utf8), as: "anna")
        #expect(response.status == .badRequest)
        #expect(try code(response, shop) == .invalidRequest)
    }

    @Test func `the history decides about the introductory offer, unless the backend does`()
        async throws
    {
        let shop = try shop()
        let request = OfferSignatureRequest(
            kind: .introductoryEligibility, productID: TestShop.monthly, transactionID: "1",
            allowsIntroductoryOffer: true)
        func allowed(_ fields: KeyValuePairs<String, String>? = nil) async throws -> JSONValue? {
            let response = try await ask(
                request, in: shop, as: fields == nil ? "anna" : nil, fields: fields ?? [:])
            let jws = try CompactJWS(decoding: try #require(try signed(response).compactJWS))
            let claims = try JSONDecoder().decode(JSONValue.self, from: Data(jws.payload))
            #expect(claims["aud"] == "introductory-offer-eligibility")
            #expect(claims["transactionId"] == "1")
            return claims["allowIntroductoryOffer"]
        }
        #expect(try await allowed() == true)
        let proof = try shop.signed("1", TestShop.monthly, type: .autoRenewable) {
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 1_000)
        }
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        // What the app itself says of it does not count.
        #expect(try await allowed() == false)
        #expect(try await allowed(Self.asBackend) == true)
    }

    private func isNew(_ customer: String, in shop: TestShop) async throws -> Bool? {
        let request = OfferSignatureRequest(
            kind: .introductoryEligibility, productID: TestShop.monthly, transactionID: "1")
        return try signed(try await ask(request, in: shop, as: customer)).allowsIntroductoryOffer
    }

    private func trial(_ shop: TestShop, _ product: ProductID = TestShop.monthly) throws -> String {
        try shop.signed("1", product, type: .autoRenewable) {
            $0.purchaseDate = TestClock.start.advanced(byMilliseconds: -86_400_000)
            $0.expiresDate = TestClock.start.advanced(byMilliseconds: 1_000)
            $0.offerType = .introductory
        }
    }

    @Test func `hundreds of newer purchases make nobody a new subscriber`() async throws {
        let shop = try shop()
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [try trial(shop)]), by: "anna")
        let coins = try shop.receipt(
            (1_000..<1_201).map { (TransactionID("\($0)"), TestShop.coins) })
        try await shop.purchase(PurchaseRequest(receipt: coins), by: "anna")
        #expect(try await isNew("anna", in: shop) == false)
    }

    @Test func `who lost a subscription to another customer is no new subscriber`() async throws {
        let shop = try shop(app: #", "owners": "transfer""#)
        let proof = try trial(shop)
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        try await shop.purchase(
            PurchaseRequest(signedTransactions: [proof], isRestore: true), by: "ben")
        #expect(try await isNew("anna", in: shop) == false)
        #expect(try await isNew("ben", in: shop) == false)
        #expect(try await isNew("cleo", in: shop) == true)
    }

    @Test func `a subscription that has left the catalog counts`() async throws {
        let shop = try shop()
        let proof = try trial(shop, "com.example.pro.retired")
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        #expect(try await isNew("anna", in: shop) == false)
    }

    @Test(arguments: [
        (#"{"privateKey": "KEY"}"#, "keyId"), (#"{"keyId": "K"}"#, "privateKey"),
        (#"{"keyId": "K", "privateKey": "rubbish"}"#, "P-256"),
        (#"{"keyId": "a b", "privateKey": "KEY"}"#, "visible ASCII"),
        (#"{"keyId": "K", "privateKey": "KEY", "issuerId": "me"}"#, "UUID"),
        (#"{"keyId": "K", "privateKey": "KEY", "promotonal": {}}"#, "promotional"),
        (
            #"{"keyId": "K", "privateKey": "KEY", "promotional": {"com.example.coins600": []}}"#,
            "autoRenewable"
        ),
        ("[]", "object"),
    ])
    func `a configuration that cannot sign is refused with its place`(
        _ offers: String, _ word: String
    ) throws {
        let offers = offers.replacing("KEY", with: key.pem.replacing("\n", with: "\\n"))
        let error = try #require(throws: ConfigurationError.self) {
            try TestShop(app: ", \"offers\": \(offers)")
        }
        #expect(error.faults.contains { "\($0)".contains("offers") && "\($0)".contains(word) })
    }

    @Test func `a key of another curve signs nothing`() throws {
        let pem = try PrivateKey.generate(.p384).pem.replacing("\n", with: "\\n")
        #expect(throws: ConfigurationError.self) {
            try TestShop(app: #", "offers": {"keyId": "K", "privateKey": "\#(pem)"}"#)
        }
    }
}
