public import HTTPMessage

/// Finds the handler for a method and a path, and makes responses of what handlers throw.
///
/// A pattern is literal segments, `:name` for one segment, and `*name` at the end for one segment or
/// more: `/v1/orders/:id`. A literal wins over a parameter. Paths are matched exactly: segments are
/// split first and percent-decoded then, `/a/` is not `/a`, and `.` and `..` name nothing.
public struct Router: Sendable {
    /// A handler that may throw: a ``Problem``, or whatever the router's `failure` translates.
    public typealias Handler = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    /// The body limit of a route that names none, in bytes: 1 MiB.
    public static let bodyLimit = 1 << 20

    private let failure: @Sendable (any Error, RequestContext) -> Problem
    private var root = Node()

    /// Makes a router without routes; `failure` makes problems of every thrown error that is none, and is
    /// the place to log it.
    public init(
        failure: @escaping @Sendable (any Error, RequestContext) -> Problem = { _, _ in
            .internalError
        }
    ) {
        self.failure = failure
    }

    /// Adds a route; `HEAD` follows from `GET`, `OPTIONS` and 405 from what there is.
    ///
    /// A pattern that has no `/` in front, repeats a name, or is there already, is a mistake and stops.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, bodyLimit: Int = Router.bodyLimit,
        handler: @escaping Handler
    ) {
        precondition(pattern.hasPrefix("/"), "a pattern starts with /: \(pattern)")
        var names: [String] = []
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let steps = segments.enumerated().map { index, segment -> Step in
            guard let first = segment.first, first == ":" || first == "*" else {
                return .literal(String(segment))
            }
            let name = String(segment.dropFirst())
            precondition(!name.isEmpty && !names.contains(name), "bad name in \(pattern)")
            precondition(first == ":" || index == segments.count - 1, "* not last in \(pattern)")
            names.append(name)
            return first == ":" ? .parameter : .rest
        }
        let route = Route(names: names, bodyLimit: bodyLimit, handler: handler)
        root.add(route, method: method, at: steps[...], pattern: pattern)
    }

    /// Answers a request; nothing is thrown and nothing is left unanswered.
    public func respond(
        to request: HTTPRequest, context: RequestContext = RequestContext()
    ) async -> HTTPResponse {
        do {
            if request.target == "*" && request.method == .options {
                return HTTPResponse(status: .noContent)
            }
            guard let segments = Self.segments(of: request.path) else {
                throw Problem(.badRequest, code: "invalidPath", detail: "the path is no valid path")
            }
            guard let (node, values) = root.match(segments[...]) else {
                throw Problem(.notFound, code: "notFound", detail: "nothing is at this path")
            }
            guard let route = node.route(for: request.method) else {
                let allow: HTTPFields = ["Allow": node.allowed]
                if request.method == .options {
                    return HTTPResponse(status: .noContent, fields: allow)
                }
                throw Problem(.methodNotAllowed, code: "methodNotAllowed", fields: allow)
            }
            guard request.body.count <= route.bodyLimit else {
                throw Problem(.contentTooLarge, code: "contentTooLarge")
            }
            var context = context
            for (name, value) in zip(route.names, values) { context.parameters[name] = value }
            return try await route.handler(request, context)
        } catch let problem as Problem {
            return problem.response(requestID: context.requestID)
        } catch {
            return failure(error, context).response(requestID: context.requestID)
        }
    }

    /// The bytes that the body of such a request may have: asked before a body is read.
    public func bodyLimit(for method: HTTPMethod, target: String) -> Int {
        let path = HTTPRequest(method: method, target: target).path
        guard let segments = Self.segments(of: path), let (node, _) = root.match(segments[...]),
            let route = node.route(for: method)
        else { return Self.bodyLimit }
        return route.bodyLimit
    }

    /// The path's segments, decoded; `nil` for what is no path or would name something by `..`.
    static func segments(of path: Substring) -> [String]? {
        let bytes = path.utf8
        guard bytes.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        var start = bytes.index(after: bytes.startIndex)
        while true {
            let rest = bytes[start...]
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let segment = segment(rest[..<end]) else { return nil }
            segments.append(segment)
            if end == rest.endIndex { return segments }
            start = bytes.index(after: end)
        }
    }

    private static func segment(_ raw: Substring.UTF8View) -> String? {
        // Most need no decoding.
        let text = raw.contains(UInt8(ascii: "%")) ? PercentCoding.decoded(raw) : String(raw)
        guard let text, text != ".", text != "..", !text.utf8.contains(0) else { return nil }
        return text
    }
}

extension Router {
    private enum Step {
        case literal(String)
        case parameter
        case rest
    }

    private struct Route: Sendable {
        let names: [String]
        let bodyLimit: Int
        let handler: Handler
    }

    /// One place in the tree of segments.
    private struct Node: Sendable {
        private var routes: [HTTPMethod: Route] = [:]
        private var literals: [String: Node] = [:]
        // Arrays of none or one, since a struct cannot hold itself.
        private var parameter: [Node] = []
        private var rest: [Node] = []

        mutating func add(
            _ route: Route, method: HTTPMethod, at steps: ArraySlice<Step>, pattern: String
        ) {
            guard let step = steps.first else {
                precondition(routes[method] == nil, "\(method.rawValue) \(pattern) is there twice")
                routes[method] = route
                return
            }
            let more = steps.dropFirst()
            switch step {
            case .literal(let text):
                literals[text, default: Node()].add(
                    route, method: method, at: more, pattern: pattern)
            case .parameter:
                if parameter.isEmpty { parameter.append(Node()) }
                parameter[0].add(route, method: method, at: more, pattern: pattern)
            case .rest:
                if rest.isEmpty { rest.append(Node()) }
                rest[0].add(route, method: method, at: more, pattern: pattern)
            }
        }

        /// The node for the segments and the values of its parameters; the depth is that of the patterns.
        func match(_ segments: ArraySlice<String>) -> (Node, [String])? {
            guard let first = segments.first else { return routes.isEmpty ? nil : (self, []) }
            let more = segments.dropFirst()
            if let found = literals[first]?.match(more) { return found }
            if !first.isEmpty, let (node, values) = parameter.first?.match(more) {
                return (node, [first] + values)
            }
            guard !first.isEmpty, let node = rest.first else { return nil }
            return (node, [segments.joined(separator: "/")])
        }

        func route(for method: HTTPMethod) -> Route? {
            routes[method] ?? (method == .head ? routes[.get] : nil)
        }

        var allowed: String {
            var names = Set(routes.keys.map(\.rawValue))
            if names.contains("GET") { names.insert("HEAD") }
            names.insert("OPTIONS")
            return names.sorted().joined(separator: ", ")
        }
    }
}
