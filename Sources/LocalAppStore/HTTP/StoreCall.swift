import AppStoreModel
import HTTPMessage
import HTTPServer
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of the device or control API, with what its path, query and body say.
struct StoreCall: Sendable {
    let request: HTTPRequest
    let context: RequestContext
    /// The answering port's.
    let environment: AppStoreEnvironment

    /// The body as a value.
    func body<Value: Decodable>() throws(StoreProblem) -> Value {
        do {
            return try request.json()
        } catch {
            throw StoreProblem(.invalidRequest, detail: error.detail)
        }
    }

    /// A part of the path.
    func part(_ name: String) -> String { context.parameter(name) }

    /// The device that the path names.
    var device: DeviceID { DeviceID(part("device")) }

    /// The first value of a query parameter; an empty one counts as left out.
    func query(_ name: String) throws(StoreProblem) -> String? {
        guard let query = request.query else {
            throw StoreProblem(.invalidRequest, detail: "the query cannot be decoded")
        }
        guard let value = query[name], !value.isEmpty else { return nil }
        return value
    }

    /// A query parameter as the name of something.
    func query<ID: AppStoreIdentifier>(_ name: String) throws(StoreProblem) -> ID? {
        try query(name).map { ID($0) }
    }

    /// `?environment=`, one of the two that the store has.
    func queriedEnvironment() throws(StoreProblem) -> AppStoreEnvironment? {
        try query("environment").map { text throws(StoreProblem) in try Self.environment(text) }
    }

    /// An environment by any of Apple's spellings.
    static func environment(_ text: String) throws(StoreProblem) -> AppStoreEnvironment {
        let environment = AppStoreEnvironment(rawValue: text)
        guard environment == .sandbox || environment == .production else {
            throw StoreProblem(
                .invalidValue, detail: "environment is Sandbox or Production, not \(text)")
        }
        return environment
    }

    /// `?after=`, the cursor of a log; its beginning when left out.
    func cursor() throws(StoreProblem) -> Int64 {
        guard let text = try query("after") else { return 0 }
        guard let cursor = Int64(text), cursor >= 0 else {
            throw StoreProblem(.invalidValue, detail: "after is a whole number from 0 on")
        }
        return cursor
    }

    /// `?wait=`, how many seconds to wait for news; none when left out.
    func wait() throws(StoreProblem) -> Double {
        guard let text = try query("wait") else { return 0 }
        guard let wait = Double(text), (0...LocalStore.waitLimit).contains(wait) else {
            throw StoreProblem(
                .invalidValue, detail: "wait is from 0 to \(Int(LocalStore.waitLimit)) seconds")
        }
        return wait
    }

    /// A query parameter that is `true` or `false`.
    func flag(_ name: String) throws(StoreProblem) -> Bool {
        switch try query(name) {
        case nil, "false": return false
        case "true": return true
        case let other?:
            throw StoreProblem(.invalidValue, detail: "\(name) is true or false, not \(other)")
        }
    }
}
