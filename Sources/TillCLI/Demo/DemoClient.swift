import AppStoreModel
import CryptoPrimitives
import Foundation
import HTTPFetch
import HTTPMessage
import TillAPI
import TillLedger
import TillServer

/// The apps of the demonstration: they talk to the server over real HTTP, as an app would.
struct DemoClient: Sendable {
    private let url: String
    private let issuer: CustomerTokenIssuer
    private let fetcher = CurlFetcher()

    init(url: String, secret: SecretText) {
        self.url = url
        issuer = CustomerTokenIssuer(secret: secret)
    }

    /// What came back: the value, or the problem document.
    enum Answer<Value: Sendable>: Sendable {
        case value(Value)
        case problem(ProblemDocument)
    }

    func openOrder(
        _ product: ProductID, of bundle: BundleID, by customer: CustomerID
    ) async throws -> Answer<OrderDocument> {
        try await send(
            .post, APIWire.orders, OrderRequest(bundleID: bundle, productID: product),
            as: customer)
    }

    func order(_ id: UUID, by customer: CustomerID) async throws -> Answer<OrderDocument> {
        try await send(.get, "\(APIWire.orders)/\(id.uuidString.lowercased())", nil, as: customer)
    }

    func purchase(
        _ request: PurchaseRequest, by customer: CustomerID
    ) async throws -> Answer<PurchaseResponse> {
        try await send(.post, APIWire.purchases, request, as: customer)
    }

    func customer(_ customer: CustomerID) async throws -> Answer<CustomerDocument> {
        try await send(.get, "\(APIWire.customers)/\(customer.rawValue)", nil, as: customer)
    }

    private func send<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ body: (any Encodable)?, as customer: CustomerID
    ) async throws -> Answer<Value> {
        let token = issuer.token(
            for: customer, until: SystemClock.now().advanced(byMilliseconds: 600_000))
        var request = HTTPRequest(
            method: method, target: url + path, fields: ["Authorization": "Bearer \(token)"])
        if let body {
            request.fields["Content-Type"] = "application/json"
            request.body = try JSONEncoder().encode(body)
        }
        let response = try await fetcher.fetch(request, limits: HTTPFetchLimits())
        if response.status.isSuccess {
            return .value(try JSONDecoder().decode(Value.self, from: response.body))
        }
        return .problem(try JSONDecoder().decode(ProblemDocument.self, from: response.body))
    }
}
