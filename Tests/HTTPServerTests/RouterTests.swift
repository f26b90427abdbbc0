import HTTPMessage
import HTTPServer
import TestKit
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A route and a path, and the parameters that they give, or `nil` where the path is not the route's.
private struct Case: Sendable, CustomTestStringConvertible {
    let pattern: String
    let path: String
    let parameters: [String: String]?

    init(_ pattern: String, _ path: String, _ parameters: [String: String]?) {
        (self.pattern, self.path, self.parameters) = (pattern, path, parameters)
    }

    var testDescription: String { "\(pattern) and \(path)" }
}

@Suite struct RouterTests {
    private func request(_ method: HTTPMethod, _ target: String, body: String = "") -> HTTPRequest {
        HTTPRequest(method: method, target: target, body: Data(body.utf8))
    }

    /// The members of a problem document that are text or number.
    private func problem(_ response: HTTPResponse) throws -> ProblemDocument {
        #expect(response.fields["Content-Type"] == "application/problem+json")
        let document = try JSONDecoder().decode(ProblemDocument.self, from: response.body)
        #expect(document.status == response.status.rawValue)
        return document
    }

    private struct ProblemDocument: Decodable {
        let status: Int
        let code: String
        let title: String
        let detail: String?
        let requestId: String?
        let finish: Bool?
    }

    @Test(arguments: [
        Case("/", "/", [:]),
        Case("/a", "/a/", nil),
        Case("/a/", "/a/", [:]),
        Case("/a", "//a", nil),
        Case("/a/:id", "/a/1", ["id": "1"]),
        Case("/a/:id", "/a/", nil),
        Case("/a/:id", "/a/1/", nil),
        Case("/a/:id", "/a/1?b=/2", ["id": "1"]),
        Case("/a/:id/b/:other", "/a/x%2Fy/b/%C3%A4%20+", ["id": "x/y", "other": "ä +"]),
        Case("/a/:id", "/a/.%2e", nil),
        Case("/a/:id", "/a/%2e", nil),
        Case("/a/:id", "/a/...", ["id": "..."]),
        Case("/a/:id", "/a/%zz", nil),
        Case("/a/:id", "/a/%", nil),
        Case("/a/:id", "/a/%ff", nil),
        Case("/a/:id", "/a/%00", nil),
        Case("/a/*rest", "/a/b/c", ["rest": "b/c"]),
        Case("/a/*rest", "/a/", nil),
        Case("/a/*rest", "/a/b/../c", nil),
        Case("/a", "/A", nil),
    ])
    private func `a path is matched exactly`(_ example: Case) async throws {
        var router = Router()
        router.on(.get, example.pattern) { _, context in try .json(context.parameters) }
        let response = await router.respond(to: request(.get, example.path))
        if let parameters = example.parameters {
            #expect(response.status == .ok)
            #expect(
                try JSONDecoder().decode([String: String].self, from: response.body) == parameters)
        } else {
            #expect(response.status == .notFound || response.status == .badRequest)
        }
    }

    @Test func `a literal wins over a parameter and a parameter over the rest`() async {
        var router = Router()
        router.on(.get, "/a/*rest") { _, _ in .text("rest") }
        router.on(.get, "/a/:id") { _, _ in .text("parameter") }
        router.on(.get, "/a/b") { _, _ in .text("literal") }
        router.on(.get, "/a/b/c") { _, _ in .text("deep") }
        for (path, body) in [
            "/a/b": "literal", "/a/x": "parameter", "/a/x/y": "rest", "/a/b/c": "deep",
            "/a/b/x": "rest",
        ] {
            #expect(
                await router.respond(to: request(.get, path)).body == Data(body.utf8), "\(path)")
        }
    }

    @Test func `what a path cannot do is told with what it can`() async throws {
        var router = Router()
        router.on(.get, "/a") { _, _ in .text("a") }
        router.on(.post, "/a") { _, _ in .text("a") }
        let refused = await router.respond(to: request(.delete, "/a"))
        #expect(refused.status == .methodNotAllowed)
        #expect(refused.fields["Allow"] == "GET, HEAD, OPTIONS, POST")
        #expect(try problem(refused).code == "methodNotAllowed")
        let options = await router.respond(to: request(.options, "/a"))
        #expect(options.status == .noContent && options.fields["Allow"] == refused.fields["Allow"])
        #expect(await router.respond(to: request(.head, "/a")).status == .ok)
        let missing = await router.respond(
            to: request(.get, "/b"), context: RequestContext(requestID: "r1"))
        #expect(missing.status == .notFound)
        #expect(try problem(missing).code == "notFound")
        #expect(try problem(missing).requestId == "r1")
    }

    private struct Broken: Error {}

    @Test func `what a handler throws becomes a problem document in one place`() async throws {
        var router = Router { error, context in
            error is Broken
                ? Problem(.conflict, code: "broken", detail: context.requestID) : .internalError
        }
        router.on(.get, "/known") { _, _ in throw Broken() }
        router.on(.get, "/unknown") { _, _ in throw CancellationError() }
        router.on(.get, "/problem") { _, _ in
            throw Problem(
                .unprocessableContent, code: "refused", title: "No",
                extra: ["finish": true, "code": "x"],
                fields: ["Retry-After": "5"])
        }
        router.on(.get, "/nan") { _, _ in
            throw Problem(.conflict, code: "nan", extra: ["number": Double.nan])
        }
        let context = RequestContext(requestID: "r2")
        let known = await router.respond(to: request(.get, "/known"), context: context)
        #expect(known.status == .conflict)
        #expect(try problem(known).detail == "r2")
        let unknown = await router.respond(to: request(.get, "/unknown"), context: context)
        #expect(unknown.status == .internalServerError)
        #expect(try problem(unknown).code == "internalError")
        let thrown = await router.respond(to: request(.get, "/problem"), context: context)
        #expect(thrown.fields["Retry-After"] == "5")
        #expect(try problem(thrown).finish == true && problem(thrown).code == "refused")
        let nan = await router.respond(to: request(.get, "/nan"), context: context)
        #expect(try problem(nan).code == "nan")
    }

    @Test func `each route has its own limit`() async throws {
        var router = Router()
        router.on(.post, "/small", bodyLimit: 3) { _, _ in .text("") }
        router.on(.post, "/usual") { _, _ in .text("") }
        #expect(router.bodyLimit(for: .post, target: "/small?a") == 3)
        #expect(router.bodyLimit(for: .post, target: "/usual") == Router.bodyLimit)
        #expect(router.bodyLimit(for: .post, target: "/none") == Router.bodyLimit)
        #expect(await router.respond(to: request(.post, "/small", body: "abc")).status == .ok)
        let long = await router.respond(to: request(.post, "/small", body: "abcd"))
        #expect(long.status == .contentTooLarge)
        #expect(try problem(long).code == "contentTooLarge")
    }

    private struct Order: Codable, Equatable {
        let productId: String
        let quantity: Int
    }

    @Test(arguments: [
        (#"{"productId": "a"}"#, "quantity is missing"),
        (#"{"productId": 1, "quantity": 1}"#, "productId is of another type"),
        (#"{"productId": null, "quantity": 1}"#, "productId is null"),
        ("{", "the document cannot be read"),
        ("", "the document cannot be read"),
    ])
    func `bad JSON is told by place`(_ body: String, _ detail: String) async throws {
        var router = Router()
        router.on(.post, "/") { request, _ in try .json(request.json(as: Order.self)) }
        let response = await router.respond(to: request(.post, "/", body: body))
        #expect(response.status == .badRequest)
        #expect(try problem(response).code == "invalidJSON")
        #expect(try problem(response).detail == detail)
    }

    @Test func `good JSON comes back sorted`() async {
        var router = Router()
        router.on(.post, "/") { request, _ in try .json(request.json(as: Order.self)) }
        let body = #"{"quantity": 2, "productId": "a/b"}"#
        let response = await router.respond(to: request(.post, "/", body: body))
        #expect(response.body == Data(#"{"productId":"a/b","quantity":2}"#.utf8))
    }
}
