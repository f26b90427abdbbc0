import AppStoreModel
import CryptoPrimitives
import Foundation
import SignedDataCoding
import Testing

@testable import LocalAppStore

@Suite struct HTTPTokenTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    /// A token with what differs from a good one.
    private func token(
        _ keys: StoreKeys, _ change: [String: Any] = [:], header: String? = nil
    ) throws -> String {
        var claims: [String: Any] = [
            "iss": keys.issuerID, "aud": "appstoreconnect-v1", "bid": "com.example.app",
            "iat": Self.now.seconds, "exp": Self.now.seconds + 3_600,
        ]
        for (name, value) in change { claims[name] = value is NSNull ? nil : value }
        let payload = Array(try JSONSerialization.data(withJSONObject: claims))
        let head = Array(
            (header ?? "{\"alg\":\"ES256\",\"kid\":\"\(keys.keyID)\",\"typ\":\"JWT\"}").utf8)
        let key = try PrivateKey(pem: keys.privateKey)
        let signature = try key.signES256(
            CompactJWS.signingInput(header: head, payload: payload))
        return CompactJWS(header: head, payload: payload, signature: signature).text
    }

    @Test func `A token is taken for an hour, and its nearest neighbours are not`() throws {
        let keys = try StoreKeys.generate(seed: 3)
        let check = BearerCheck(keys)
        func accepts(_ token: String) -> Bool {
            check.accepts("Bearer " + token, for: "com.example.app", at: Self.now)
        }
        let seconds = Self.now.seconds
        #expect(accepts(try token(keys)))
        #expect(accepts(try token(keys, ["iat": NSNull()])))
        #expect(!accepts(try token(keys, ["exp": seconds + 3_601])))
        #expect(accepts(try token(keys, ["exp": seconds + 1])))
        #expect(!accepts(try token(keys, ["exp": seconds])))
        #expect(!accepts(try token(keys, ["exp": NSNull()])))
        #expect(accepts(try token(keys, ["iat": seconds + 60])))
        #expect(!accepts(try token(keys, ["iat": seconds + 61, "exp": seconds + 3_600])))
        for (name, value) in [
            ("iss", "57246542-96fe-1a63-e053-0824d011072a"), ("aud", "appstoreconnect-v2"),
            ("bid", "com.example.App"),
        ] {
            #expect(!accepts(try token(keys, [name: value])), "\(name)")
            #expect(!accepts(try token(keys, [name: NSNull()])), "no \(name)")
        }
        for header in [
            "{\"alg\":\"none\",\"kid\":\"\(keys.keyID)\"}", "{\"alg\":\"ES256\"}",
            "{\"alg\":\"ES256\",\"kid\":\"ABCDEFGHIJ\"}",
            "{\"alg\":\"ES256\",\"kid\":\"\(keys.keyID)\",\"crit\":[\"exp\"]}",
        ] {
            #expect(!accepts(try token(keys, header: header)), "\(header)")
        }
        let good = try token(keys)
        #expect(!check.accepts(good, for: "com.example.app", at: Self.now))
        #expect(!check.accepts("Basic " + good, for: "com.example.app", at: Self.now))
        #expect(!check.accepts(nil, for: "com.example.app", at: Self.now))
        #expect(!check.accepts("Bearer " + good + "A", for: "com.example.app", at: Self.now))
        #expect(
            !BearerCheck(try .generate(seed: 4)).accepts(
                "Bearer " + good, for: "com.example.app", at: Self.now))
    }

    @Test func `A budget lasts an hour, the sandbox has a tenth, and groups do not share`() {
        let hour = Timestamp(milliseconds: 3_600_000 * 500_000)
        let sandbox = RateLimiter(environment: .sandbox)
        #expect(sandbox.budget(of: .usual) == 18_000)
        #expect(RateLimiter(environment: .production).budget(of: .usual) == 180_000)
        for _ in 0..<360 { #expect(sandbox.count(.rare, at: hour) == nil) }
        let last = hour.advanced(byMilliseconds: 3_599_999)
        #expect(sandbox.count(.rare, at: last) == hour.advanced(byMilliseconds: 3_600_000))
        #expect(sandbox.count(.lookup, at: last) == nil)
        #expect(sandbox.count(.rare, at: hour.advanced(byMilliseconds: 3_600_000)) == nil)
    }
}
