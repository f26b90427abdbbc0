import AppStoreModel
import HTTPMessage
import HTTPServer
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All paths of one port: Apple's, the device API, the control API and the page.
struct StoreRoutes {
    let store: LocalStore
    let environment: AppStoreEnvironment
    private(set) var router: Router

    init(store: LocalStore, environment: AppStoreEnvironment) {
        self.store = store
        self.environment = environment
        router = Router(failure: { error, _ in
            guard let problem = error as? StoreProblem else { return .internalError }
            return Problem(
                HTTPStatus(rawValue: problem.status), code: problem.code.rawValue,
                title: problem.title, detail: problem.detail ?? "")
        })
        addDeviceAPI()
        addControlAPI()
        addServerAPI()
        addVerifyReceipt()
        addPage()
    }

    /// A call that is answered with a JSON document.
    mutating func answer<Answer: Encodable & SendableMetatype>(
        _ route: some StoreRoute, bodyLimit: Int = Router.bodyLimit,
        _ work: @escaping @Sendable (StoreCall) async throws -> Answer
    ) {
        let environment = environment
        router.on(HTTPMethod(rawValue: route.method), route.path, bodyLimit: bodyLimit) {
            request, context in
            let call = StoreCall(request: request, context: context, environment: environment)
            return try .json(try await work(call))
        }
    }

    /// A call that is answered with 204.
    mutating func acknowledge(
        _ route: some StoreRoute, _ work: @escaping @Sendable (StoreCall) async throws -> Void
    ) {
        let environment = environment
        router.on(HTTPMethod(rawValue: route.method), route.path) { request, context in
            try await work(
                StoreCall(request: request, context: context, environment: environment))
            return HTTPResponse(status: .noContent)
        }
    }

    /// A call in Apple's own forms, which no problem document may answer.
    mutating func apple(
        _ method: HTTPMethod, _ path: String, bodyLimit: Int = Router.bodyLimit,
        _ handler: @escaping Router.Handler
    ) {
        router.on(method, path, bodyLimit: bodyLimit, handler: handler)
    }

    private mutating func addPage() {
        router.on(.get, "/") { _, _ in try Self.page("/") }
        router.on(.get, "/*path") { _, context in try Self.page("/" + context.parameter("path")) }
        for method in [HTTPMethod.post, .put, .patch, .delete] {
            router.on(method, "/*path") { request, _ in
                throw StoreProblem(.routeNotFound, detail: String(request.path))
            }
        }
    }

    private static func page(_ path: String) throws(StoreProblem) -> HTTPResponse {
        guard let file = StorePage.file(at: path) else {
            throw StoreProblem(.routeNotFound, detail: path)
        }
        return HTTPResponse(
            status: .ok,
            fields: [
                "Content-Type": file.contentType, "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",
            ], body: Data(file.bytes))
    }
}
