import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import TillAPI
import TillLedger

/// Who calls, once that is proven.
enum Caller: Hashable {
    /// A customer's app, for that customer alone.
    case customer(CustomerID)
    /// A backend, for the customer it names, if it names one.
    case backend(customer: CustomerID?)
}

/// Finds out who calls.
struct CallerCheck: Sendable {
    /// Digests of the secret keys, so that comparing takes the same time for every length.
    private let keyDigests: [[UInt8]]
    private let tokens: CustomerTokenConfiguration?
    private let isDevelopment: Bool
    private let appsByKey: [String: BundleID]

    init(_ configuration: ServerConfiguration) {
        keyDigests = configuration.secretKeys.map { SHA256.hash($0.bytes) }
        tokens = configuration.customerTokens
        isDevelopment = configuration.isDevelopment
        var appsByKey: [String: BundleID] = [:]
        for app in configuration.apps {
            for key in app.publishableKeys { appsByKey[key] = app.bundleID }
        }
        self.appsByKey = appsByKey
    }

    /// The caller, or the problem that says what is missing.
    func caller(of request: HTTPRequest, now: Timestamp) throws(ProblemDocument) -> Caller {
        let fields = request.fields.values(of: "Authorization")
        guard let field = fields.first else { throw ProblemDocument(.unauthenticated) }
        guard fields.count == 1, let token = Self.bearer(field) else {
            throw ProblemDocument(.invalidToken, detail: "expected one `Authorization: Bearer …`")
        }
        if isSecretKey(token) {
            return .backend(customer: try Self.namedCustomer(request))
        }
        let customer = try customer(ofToken: token, now: now)
        // A customer may name itself, as a backend would, and nobody else.
        if let named = try Self.namedCustomer(request), named != customer {
            throw ProblemDocument(.forbidden)
        }
        return .customer(customer)
    }

    /// The customer for whom the caller acts on a route that needs one.
    func customer(of request: HTTPRequest, now: Timestamp) throws(ProblemDocument) -> CustomerID {
        switch try caller(of: request, now: now) {
        case .customer(let id): return id
        case .backend(let named):
            guard let named else { throw ProblemDocument(.customerRequired) }
            return named
        }
    }

    /// The customer whom a token names; a secret key is none.
    func customer(ofToken token: String, now: Timestamp) throws(ProblemDocument) -> CustomerID {
        if isDevelopment, let name = token.removing(prefix: "dev:") {
            guard let customer = CustomerID(rawValue: name) else {
                throw ProblemDocument(.invalidCustomer)
            }
            return customer
        }
        guard let tokens else { throw ProblemDocument(.invalidToken) }
        return try CustomerToken.customerID(of: token, by: tokens, now: now)
    }

    /// Makes sure that a backend calls; gives the customer that it names, if any.
    @discardableResult
    func backend(of request: HTTPRequest, now: Timestamp) throws(ProblemDocument) -> CustomerID? {
        guard case .backend(let named) = try caller(of: request, now: now) else {
            throw ProblemDocument(.forbidden)
        }
        return named
    }

    /// The app of the request's publishable key; `nil` without one.
    func app(of request: HTTPRequest) throws(ProblemDocument) -> BundleID? {
        guard let key = request.fields[APIWire.publishableKeyField] else { return nil }
        guard let bundleID = appsByKey[key] else {
            throw ProblemDocument(.invalidToken, detail: "the publishable key is of no app here")
        }
        return bundleID
    }

    private func isSecretKey(_ token: String) -> Bool {
        guard token.utf8.count <= CustomerToken.sizeLimit else { return false }
        let digest = SHA256.hash(Array(token.utf8))
        // Every key is compared, so that the time does not tell which one fits.
        return keyDigests.map { constantTimeEquals($0, digest) }.contains(true)
    }

    private static func namedCustomer(
        _ request: HTTPRequest
    ) throws(ProblemDocument) -> CustomerID? {
        let names = request.fields.values(of: APIWire.customerField)
        guard let name = names.first else { return nil }
        guard names.count == 1, let customer = CustomerID(written: name) else {
            throw ProblemDocument(.invalidCustomer)
        }
        return customer
    }

    private static let scheme = Array("bearer".utf8)

    /// The token behind `Bearer`, whose case does not matter (RFC 9110 section 11.1).
    private static func bearer(_ field: String) -> String? {
        let bytes = Array(field.utf8)
        let space = UInt8(ascii: " ")
        guard bytes.count > Self.scheme.count, bytes[Self.scheme.count] == space else { return nil }
        for place in Self.scheme.indices where bytes[place] | 0x20 != Self.scheme[place] {
            return nil
        }
        let token = bytes[Self.scheme.count...].drop { $0 == space }
        guard !token.isEmpty, !token.contains(space) || token.starts(with: "dev:".utf8) else {
            return nil
        }
        return String(decoding: token, as: UTF8.self)
    }
}

extension CustomerID {
    /// A name as somebody wrote it.
    ///
    /// Nil where it is none, and where bytes that are no UTF-8 were replaced when it was read: two such names
    /// would look the same.
    init?(written name: String) {
        guard !name.unicodeScalars.contains("\u{FFFD}") else { return nil }
        self.init(rawValue: name)
    }
}
