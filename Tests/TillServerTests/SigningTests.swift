import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import SignedDataCoding
import Testing
import TillAPI

@testable import TillServer

/// Answers about entitlements that may be believed offline.
@Suite struct SigningTests {
    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let iat: Int64
        let exp: Int64
        let entitlements: [EntitlementDocument]
    }

    private func shop(_ pem: String, minutes: Int = 60) throws -> TestShop {
        let text = String(decoding: try JSONEncoder().encode(pem), as: UTF8.self)
        return try TestShop(
            more: #", "entitlementSigning": {"key": \#(text), "lifetimeMinutes": \#(minutes)}"#)
    }

    @Test func `a signed answer says who may use what, until when, under the published key`()
        async throws
    {
        let key = try PrivateKey.generate(.p256)
        let shop = try shop(key.pem)
        let proof = try shop.signed("1", TestShop.pro, type: .nonConsumable)
        try await shop.purchase(PurchaseRequest(signedTransactions: [proof]), by: "anna")
        let token = try #require(try await shop.customer("anna").signedEntitlements)
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let signature = try #require(Base64.decodeURL(Array(parts[2].utf8)))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(key.publicKey.isValidES256(signature, of: signed))
        #expect(!key.publicKey.isValidES256(signature, of: signed + [0x20]))
        let body = try #require(Base64.decodeURL(Array(parts[1].utf8)))
        let claims = try JSONDecoder().decode(Claims.self, from: Data(body))
        #expect(claims.iss == "till")
        #expect(claims.sub == "anna")
        #expect(claims.iat == TestClock.start.seconds)
        #expect(claims.exp == claims.iat + 3_600)
        #expect(claims.entitlements == (try await shop.customer("anna").entitlements))
        let keys = try await shop.send(.get, "/.well-known/jwks.json", as: nil)
        let jwk = String(decoding: keys.body, as: UTF8.self)
        let point = key.publicKey.subjectPublicKeyInfo.suffix(64)
        #expect(jwk.contains(Base64.encode(point.prefix(32), .url)))
        #expect(jwk.contains(Base64.encode(point.suffix(32), .url)))
    }

    private func claims(_ token: String?) throws -> SignedEntitlements {
        let parts = try #require(token).split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let body = try #require(Base64.decodeURL(Array(parts[1].utf8)))
        return try JSONDecoder().decode(SignedEntitlements.self, from: Data(body))
    }

    @Test func `every answer with entitlements is signed, with the one-time text of its request`()
        async throws
    {
        let shop = try shop(try PrivateKey.generate(.p256).pem)
        let proof = try shop.signed("1", TestShop.pro, type: .nonConsumable)
        let body = try JSONEncoder().encode(PurchaseRequest(signedTransactions: [proof]))
        let bought = try await shop.send(
            .post, "/v1/purchases", body, as: "anna",
            fields: [APIWire.nonceField: "once-17"])
        let response = try JSONDecoder().decode(PurchaseResponse.self, from: bought.body)
        let first = try claims(response.customer.signedEntitlements)
        #expect(first.nonce == "once-17")
        #expect(first.entitlements == response.customer.entitlements)
        #expect(first.entitlements.first?.isActive == true)
        #expect(try claims(try await shop.customer("anna").signedEntitlements).nonce == nil)
        for wrong in ["", String(repeating: "x", count: 65), "a b", "ä"] {
            let refused = try await shop.send(
                .get, "/v1/customers/anna", as: "anna",
                fields: [APIWire.nonceField: wrong])
            #expect(refused.status.rawValue == 400, "\(wrong)")
        }
        let longest = try await shop.send(
            .get, "/v1/customers/anna", as: "anna",
            fields: [APIWire.nonceField: String(repeating: "x", count: 64)])
        #expect(longest.status == .ok)
    }

    @Test func `what is signed names the customer as it was asked for`() async throws {
        let shop = try shop(try PrivateKey.generate(.p256).pem)
        let body = try JSONEncoder().encode(
            MergeRequest(from: "anon", fromToken: shop.token("anon")))
        let merged = try await shop.send(
            .post, "/v1/customers/anna/merge", body, as: "anna")
        let into = try JSONDecoder().decode(CustomerDocument.self, from: merged.body)
        #expect(try claims(into.signedEntitlements).subject == "anna")
        let former = try await shop.customer("anon")
        #expect(former.customerID == "anna")
        #expect(try claims(former.signedEntitlements).subject == "anon")
    }

    @Test func `without a key nothing is signed and no key is published`() async throws {
        let shop = try TestShop()
        #expect(try await shop.customer("anna").signedEntitlements == nil)
        let keys = try await shop.send(.get, "/.well-known/jwks.json", as: nil)
        #expect(String(decoding: keys.body, as: UTF8.self) == #"{"keys":[]}"#)
    }

    @Test func `a key of another kind, or none at all, is refused at the start`() throws {
        let wrong = try PrivateKey.generate(.rsa(bits: 2048)).pem
        #expect(throws: ConfigurationError.self) { try shop(wrong) }
        #expect(throws: ConfigurationError.self) { try shop("no key") }
        #expect(throws: ConfigurationError.self) {
            try TestShop(more: #", "entitlementSigning": {}"#)
        }
    }
}
