public import AppStoreModel
public import HTTPMessage
public import HTTPServer
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What answers on one port of the store: Apple's APIs, the device API, the control API and the page.
///
/// Both ports carry everything; they differ in the environment that Apple's paths and new devices are of.
public struct StoreService: Sendable {
    /// The port's.
    public let environment: AppStoreEnvironment
    private let store: LocalStore
    private let router: Router

    /// Sandbox is what `--port` serves, production what `--production-port` does.
    public init(store: LocalStore, environment: AppStoreEnvironment) {
        self.store = store
        self.environment = environment
        router = StoreRoutes(store: store, environment: environment).router
    }

    /// The bytes that the body of such a request may have.
    public func bodyLimit(for method: HTTPMethod, target: String) -> Int {
        router.bodyLimit(for: method, target: target)
    }

    /// Answers one call, with the faults that are due, and keeps it in the log; works without a socket too.
    public func respond(
        to request: HTTPRequest, context: RequestContext = RequestContext()
    ) async -> HTTPResponse {
        let began = ContinuousClock().now
        let path = String(request.path)
        let faults = await dueFaults(path)
        var response: HTTPResponse
        if let early = await faults.answerBefore(store: store, path: path) {
            response = early
        } else {
            response = await router.respond(to: request, context: context)
        }
        response = faults.spoil(response, method: request.method)
        guard Self.isLogged(path) else { return response }
        let took = ContinuousClock().now - began
        let isBroken = response.status == .brokenOff
        await store.noteIncoming(
            CallRecord(
                sequence: 0, date: .zero, environment: environment,
                isOutgoing: false, method: request.method.rawValue, path: request.target,
                status: isBroken ? nil : response.status.rawValue,
                milliseconds: took / .milliseconds(1), request: Self.text(request.body),
                response: Self.text(response.body), fault: faults.words))
        return response
    }

    /// A request that was refused before anything could be asked of it.
    func note(_ record: AccessRecord) {
        // The engine's own answers: what could not be read, came too slowly or was too long.
        guard record.method.isEmpty || record.status == 408 || record.status == 413 else { return }
        let call = CallRecord(
            sequence: 0, date: .zero, environment: environment, isOutgoing: false,
            method: record.method.isEmpty ? "?" : record.method, path: record.target,
            status: record.status, milliseconds: Double(record.microseconds) / 1_000)
        let store = store
        Task { await store.noteIncoming(call) }
    }

    private func dueFaults(_ path: String) async -> CallFaults {
        // Whoever switched the faults on must be able to switch them off.
        guard !path.hasPrefix("/control/"), StorePage.file(at: path) == nil else {
            return CallFaults([])
        }
        return CallFaults(await store.strike(.call(path, environment)))
    }

    /// Reading the log is not logged, or it would never come to rest; nor are the page's files.
    private static func isLogged(_ path: String) -> Bool {
        path != ControlRoute.calls.path && path != ControlRoute.events.path
            && StorePage.file(at: path) == nil
    }

    private static func text(_ body: Data) -> String? {
        // A character has at most four bytes that matter here.
        body.isEmpty ? nil : String(decoding: body.prefix(4 * 4_096), as: UTF8.self)
    }
}

extension LocalStore {
    /// Keeps a line of the log, at the store's time.
    func noteIncoming(_ call: CallRecord) {
        catchUp()
        var call = call
        call.date = state.now
        noteCall(call)
    }
}
