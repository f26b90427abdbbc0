import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPMessage
import SignedDataCoding
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Who may call, and beside each caller its nearest impostor.
@Suite struct CallerTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private let now = Timestamp(seconds: 1_800_000_000)
    private let issuer = CustomerTokenIssuer(secret: SecretText(secret))

    private func check(_ more: String = "", tokens: String = "") throws -> CallerCheck {
        CallerCheck(
            try ServerConfiguration.read(
                Data(
                    """
                    {"listen": "127.0.0.1:0", "database": "sqlite:x",
                     "secretKeys": ["sk_one", "sk_two"],
                     "customerTokens": {"hs256": "\(Self.secret)"\(tokens)},
                     "apps": [{"bundleId": "com.example.app", "environments": ["Sandbox"],
                       "publishableKeys": ["pk_app"], "products": {}}]\(more)}
                    """.utf8), folder: "/", environment: [:]))
    }

    private func request(_ fields: KeyValuePairs<String, String>) -> HTTPRequest {
        HTTPRequest(method: .get, target: "/", fields: HTTPFields(fields))
    }

    /// The caller of a bearer token, or the code of the problem.
    private func caller(
        _ token: String, _ check: CallerCheck, customer: String? = nil
    ) -> Result<Caller, ProblemDocument> {
        var request = request(["Authorization": "Bearer \(token)"])
        request.fields[APIWire.customerField] = customer
        do throws(ProblemDocument) {
            return .success(try check.caller(of: request, now: now))
        } catch {
            return .failure(error)
        }
    }

    private func code(_ result: Result<Caller, ProblemDocument>) -> ProblemKind? {
        if case .failure(let problem) = result { problem.code.kind } else { nil }
    }

    private func customer(_ name: String) throws -> CustomerID {
        try #require(CustomerID(rawValue: name))
    }

    private func token(
        _ claims: JSONValue, header: String = #"{"alg":"HS256","typ":"JWT"}"#
    ) -> String {
        issuer.token(header: header, claims: claims)
    }

    @Test func `a customer's token names the customer`() throws {
        let anna = try customer("anna")
        let token = issuer.token(for: anna, until: now.advanced(byMilliseconds: 60_000))
        #expect(caller(token, try check()) == .success(.customer(anna)))
        #expect(caller(token, try check(), customer: "anna") == .success(.customer(anna)))
        #expect(code(caller(token, try check(), customer: "ben")) == .forbidden)
    }

    @Test func `a token that one bit was changed in is refused`() throws {
        let good = token(["sub": "anna"])
        let check = try check()
        #expect(code(caller(good, check)) == nil)
        let parts = good.split(separator: ".").map(String.init)
        for index in 0..<3 {
            var bytes = try #require(Base64.decodeURL(Array(parts[index].utf8)))
            bytes[bytes.count / 2] ^= 1
            var changed = parts
            changed[index] = Base64.encode(bytes, .url)
            #expect(code(caller(changed.joined(separator: "."), check)) == .invalidToken)
        }
        #expect(code(caller(parts[0] + "." + parts[1] + ".", check)) == .invalidToken)
    }

    @Test(arguments: [
        #"{"alg":"none","typ":"JWT"}"#, #"{"alg":"HS512","typ":"JWT"}"#, #"{"alg":"RS256"}"#,
        #"{"alg":"hs256"}"#, #"{"typ":"JWT"}"#, #"{"alg":"HS256","crit":["b64"]}"#,
        #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"HS256","typ":"at+jwt"}"#,
    ])
    func `the algorithm is the server's, whatever the token says`(header: String) throws {
        #expect(code(caller(token(["sub": "anna"], header: header), try check())) == .invalidToken)
    }

    @Test func `times are checked with a minute's tolerance`() throws {
        let check = try check()
        let seconds = now.seconds
        func code(_ claims: JSONValue) -> ProblemKind? { self.code(caller(token(claims), check)) }
        #expect(code(["sub": "a", "exp": .integer(seconds - 59)]) == nil)
        #expect(code(["sub": "a", "exp": .integer(seconds - 61)]) == .tokenExpired)
        #expect(code(["sub": "a", "nbf": .integer(seconds + 59)]) == nil)
        #expect(code(["sub": "a", "nbf": .integer(seconds + 61)]) == .invalidToken)
        #expect(code(["sub": "a", "exp": .number(Double(seconds) + 0.5)]) == nil)
        #expect(code(["sub": "a", "exp": "tomorrow"]) == .invalidToken)
    }

    @Test func `a token without an end is refused where the configuration asks for one`() throws {
        let strict = try check(tokens: #", "requireExpiry": true"#)
        #expect(code(caller(token(["sub": "a"]), strict)) == .invalidToken)
        #expect(
            code(caller(token(["sub": "a", "exp": .integer(now.seconds + 1)]), strict)) == nil)
    }

    @Test func `issuer and audience count where the configuration names them`() throws {
        let strict = try check(tokens: #", "issuer": "shop", "audience": "till""#)
        func code(_ claims: JSONValue) -> ProblemKind? { self.code(caller(token(claims), strict)) }
        #expect(code(["sub": "a", "iss": "shop", "aud": "till"]) == nil)
        #expect(code(["sub": "a", "iss": "shop", "aud": ["x", "till"]]) == nil)
        #expect(code(["sub": "a", "iss": "shop"]) == .invalidToken)
        #expect(code(["sub": "a", "aud": "till"]) == .invalidToken)
        #expect(code(["sub": "a", "iss": "shops", "aud": "till"]) == .invalidToken)
    }

    @Test func `a customer's name is bounded and plain`() throws {
        let check = try check()
        #expect(
            code(caller(token(["sub": .string(String(repeating: "a", count: 200))]), check)) == nil)
        for name in ["", String(repeating: "a", count: 201), "a\nb", "a\u{7F}"] {
            #expect(code(caller(token(["sub": .string(name)]), check)) == .invalidToken)
        }
        #expect(code(caller(token([:]), check)) == .invalidToken)
        #expect(code(caller(token(["sub": 17]), check)) == .invalidToken)
    }

    @Test func `two spellings of an accented letter are two customers`() throws {
        let check = try check()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let token = token(["sub": .string(decomposed)])
        #expect(caller(token, check) == .success(.customer(try customer(decomposed))))
        #expect(caller(token, check) != .success(.customer(try customer(composed))))
        #expect(code(caller(token, check, customer: composed)) == .forbidden)
        #expect(try customer(composed) != customer(decomposed))
        #expect(Set([try customer(composed), try customer(decomposed)]).count == 2)
    }

    @Test func `every secret key opens the door, and nothing near one`() throws {
        let check = try check()
        #expect(caller("sk_one", check) == .success(.backend(customer: nil)))
        #expect(
            caller("sk_two", check, customer: "anna")
                == .success(.backend(customer: try customer("anna"))))
        for key in ["sk_on", "sk_onee", "SK_ONE", "sk_three", String(repeating: "k", count: 9_000)]
        {
            #expect(code(caller(key, check)) == .invalidToken)
        }
        #expect(code(caller("sk_one", check, customer: "a\tb")) == .invalidCustomer)
    }

    @Test func `a name whose bytes are no UTF-8 is nobody's, as another's would look the same`()
        throws
    {
        let check = try check()
        // "caf\xE9" in Latin-1, as the field is read.
        let latin = String(decoding: [0x63, 0x61, 0x66, 0xE9], as: UTF8.self)
        #expect(code(caller("sk_one", check, customer: latin)) == .invalidCustomer)
        #expect(
            caller("sk_one", check, customer: "caf\u{e9}")
                == .success(.backend(customer: try customer("caf\u{e9}"))))
    }

    @Test func `in development mode, too, nobody names another`() throws {
        let check = try check(#", "development": true"#)
        #expect(caller("dev:anna", check) == .success(.customer(try customer("anna"))))
        #expect(
            caller("dev:anna", check, customer: "anna") == .success(.customer(try customer("anna")))
        )
        #expect(code(caller("dev:anna", check, customer: "ben")) == .forbidden)
    }

    @Test func `nobody is told apart from somebody wrong`() throws {
        let check = try check()
        func code(_ fields: KeyValuePairs<String, String>) -> ProblemKind? {
            do throws(ProblemDocument) {
                _ = try check.caller(of: request(fields), now: now)
                return nil
            } catch {
                return error.code.kind
            }
        }
        #expect(code([:]) == .unauthenticated)
        #expect(code(["Authorization": "Basic c2tfb25l"]) == .invalidToken)
        #expect(code(["Authorization": "Bearer"]) == .invalidToken)
        #expect(code(["Authorization": "bearer sk_one"]) == nil)
        #expect(
            code(["Authorization": "Bearer sk_one", "authorization": "Bearer sk_two"])
                == .invalidToken)
    }

    @Test func `unsigned tokens are taken in development mode alone`() throws {
        #expect(code(caller("dev:anna", try check())) == .invalidToken)
        let development = try check(#", "development": true"#)
        #expect(caller("dev:anna", development) == .success(.customer(try customer("anna"))))
        #expect(code(caller("dev:", development)) == .invalidCustomer)
    }

    @Test func `a publishable key names its app and a wrong one is refused`() throws {
        let check = try check()
        #expect(try check.app(of: request([:])) == nil)
        #expect(
            try check.app(of: request([APIWire.publishableKeyField: "pk_app"])) == "com.example.app"
        )
        #expect(throws: ProblemDocument.self) {
            try check.app(of: request([APIWire.publishableKeyField: "pk_other"]))
        }
    }
}
