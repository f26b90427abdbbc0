import AppStoreModel
import HTTPMessage
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The Till server over HTTP.
struct ServerDesk: Desk {
    /// The server's address without a slash at its end.
    let address: String
    let publishableKey: String?
    let fetcher: any HTTPFetching
    let makeNonce: @Sendable () -> String
    let wantsReceipt = false

    static let limits = HTTPFetchLimits(totalMilliseconds: 15_000, connectMilliseconds: 6_000)
    /// Proofs are larger, and the server may verify a hundred of them.
    static let proofLimits = HTTPFetchLimits(totalMilliseconds: 30_000, connectMilliseconds: 6_000)

    init(
        address: String, publishableKey: String?, fetcher: any HTTPFetching,
        makeNonce: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) {
        var address = address
        while address.hasSuffix("/") { address.removeLast() }
        self.address = address
        self.publishableKey = publishableKey
        self.fetcher = fetcher
        self.makeNonce = makeNonce
    }

    func openOrder(
        _ request: OrderRequest, key: String, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        try await post(request, to: APIWire.orders, key: key, for: caller)
    }

    func order(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        try await exchange(.get, "\(APIWire.orders)/\(id)", for: caller)
    }

    func deferOrder(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        try await exchange(.post, "\(APIWire.orders)/\(id)/deferred", for: caller)
    }

    func submit(
        _ request: PurchaseRequest, products: [TransactionID: ProductID], key: String,
        for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<PurchaseResponse> {
        try await post(
            request, to: APIWire.purchases, key: key, for: caller, nonce: makeNonce(),
            limits: Self.proofLimits)
    }

    func owner(
        _ request: PurchaseRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OwnerResponse> {
        try await post(request, to: APIWire.purchaseOwner, key: nil, for: caller)
    }

    func merge(
        _ request: MergeRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<CustomerDocument> {
        let id = Self.pathSegment(caller.customerID)
        return try await post(
            request, to: "\(APIWire.customers)/\(id)/merge", key: nil, for: caller,
            nonce: makeNonce())
    }

    func signingKeys() async throws(DeskFailure) -> DeskAnswer<KeySetDocument> {
        try await exchange(.get, APIWire.signingKeys, for: nil)
    }

    func customer(_ caller: Caller) async throws(DeskFailure) -> DeskAnswer<CustomerDocument> {
        let id = Self.pathSegment(caller.customerID)
        return try await exchange(
            .get, "\(APIWire.customers)/\(id)", for: caller, nonce: makeNonce())
    }

    func signature(
        _ request: OfferSignatureRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OfferSignatureDocument> {
        try await post(request, to: APIWire.offerSignatures, key: nil, for: caller)
    }

    private func post<Body: Encodable, Value: Decodable & Sendable>(
        _ body: Body, to path: String, key: String?, for caller: Caller, nonce: String? = nil,
        limits: HTTPFetchLimits = ServerDesk.limits
    ) async throws(DeskFailure) -> DeskAnswer<Value> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(body) else {
            throw .refused(
                .init(
                    status: 0, code: "unencodable", detail: "the request cannot be written as JSON",
                    mayFinish: false, isRetryable: false))
        }
        return try await exchange(
            .post, path, bytes, key: key, for: caller, nonce: nonce, limits: limits)
    }

    private func exchange<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ body: Data = Data(), key: String? = nil,
        for caller: Caller?, nonce: String? = nil, limits: HTTPFetchLimits = ServerDesk.limits
    ) async throws(DeskFailure) -> DeskAnswer<Value> {
        var fields = HTTPFields(["Accept": "application/json"])
        fields["Authorization"] = (caller?.token).map { "Bearer \($0)" }
        fields[APIWire.nonceField] = nonce
        fields[APIWire.publishableKeyField] = publishableKey
        fields[APIWire.idempotencyField] = key
        if !body.isEmpty { fields["Content-Type"] = "application/json" }
        let request = HTTPRequest(
            method: method, target: address + path, fields: fields, body: body)
        let response: HTTPResponse
        do throws(HTTPFetchError) {
            response = try await fetcher.fetch(request, limits: limits)
        } catch {
            throw .unreachable(detail: "\(error.code.rawValue): \(error.detail)")
        }
        return try ServerAnswer(response, nonce: nonce).read()
    }

    /// Percent-encodes what is not unreserved (RFC 3986 section 2.3).
    static func pathSegment(_ text: String) -> String {
        var segment = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                segment.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                segment += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return segment
    }
}
