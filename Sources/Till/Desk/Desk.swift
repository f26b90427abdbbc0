import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who asks: a customer, by the token that the app's backend made.
struct Caller: Sendable, Hashable {
    var customerID: String
    var token: String
}

/// What comes with an answer.
struct AnswerEnvelope: Sendable, Hashable {
    /// What the server's clock said when it gave it.
    var serverTime: Timestamp?
    /// The one-time text that the request carried.
    var nonce: String?
    /// When it was asked for, in the counting of `AnswerOrder`.
    var askedAt = 0
}

/// An answer, and what comes with it.
struct DeskAnswer<Value: Sendable>: Sendable {
    var value: Value
    var envelope: AnswerEnvelope

    var serverTime: Timestamp? { envelope.serverTime }

    init(value: Value, serverTime: Timestamp? = nil, nonce: String? = nil) {
        self.value = value
        envelope = AnswerEnvelope(serverTime: serverTime, nonce: nonce)
    }
}

/// The other side of the counter: whoever records purchases and hands out goods.
protocol Desk: Sendable {
    /// Whether it wants the app receipt also where there are signed transactions.
    var wantsReceipt: Bool { get }

    func openOrder(
        _ request: OrderRequest, key: String, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument>

    func order(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument>

    /// Says that the payment for the order waits for somebody's approval.
    func deferOrder(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument>

    /// `products` are what the device believes to hand in; a server believes what is signed.
    func submit(
        _ request: PurchaseRequest, products: [TransactionID: ProductID], key: String,
        for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<PurchaseResponse>

    func customer(_ caller: Caller) async throws(DeskFailure) -> DeskAnswer<CustomerDocument>

    func signature(
        _ request: OfferSignatureRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OfferSignatureDocument>

    /// Whose the purchases of a proof are; nothing is recorded.
    func owner(
        _ request: PurchaseRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OwnerResponse>

    /// Makes a customer part of the one who asks.
    func merge(
        _ request: MergeRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<CustomerDocument>

    /// The public keys that sign entitlements.
    func signingKeys() async throws(DeskFailure) -> DeskAnswer<KeySetDocument>
}

/// Why there is no answer that could be acted on.
enum DeskFailure: Error, Sendable, Hashable {
    /// No answer came, or one that is not the server's; the request may have been carried out.
    case unreachable(detail: String)
    /// The server could not do its work now.
    case trouble(status: Int, retryAfterSeconds: Int?, detail: String)
    /// The server takes this caller's token no more.
    case tokenRejected(status: Int, detail: String)
    /// The server said no.
    case refused(Refused)

    struct Refused: Sendable, Hashable {
        var status: Int
        var code: String
        var detail: String?
        /// Whether the app may let go of the transactions that it handed in.
        var mayFinish: Bool
        var isRetryable: Bool
        var proofs: [RefusedProof] = []
    }

    /// Whether what was remembered may still be shown: only when the server did not say no.
    var allowsOfflineView: Bool {
        switch self {
        case .unreachable, .trouble: true
        case .tokenRejected, .refused: false
        }
    }

    /// Whether the same request may fare better soon, without anything else being done.
    var isWorthRepeating: Bool {
        switch self {
        case .unreachable, .trouble: true
        case .tokenRejected: false
        case .refused(let refused): refused.isRetryable
        }
    }

    var retryAfterSeconds: Int? {
        guard case .trouble(_, let seconds, _) = self else { return nil }
        return seconds
    }
}
