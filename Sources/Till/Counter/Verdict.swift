import AppStoreModel
import TillAPI

/// What became of one transaction that was handed in.
enum Verdict: Sendable, Hashable {
    /// The server listed it.
    case reported(TransactionReport, Goods)
    /// Its proof was not believed.
    case refused(Refusal)
    /// The server answered and did not list it: nothing is let go of.
    case unlisted
    /// The server gave no answer that could be acted on.
    case undelivered(DeskFailure)
    /// There is no proof on the device.
    case noReceipt

    /// Whether the transaction may be let go of.
    var mayFinish: Bool {
        switch self {
        case .reported(let report, _): report.mayFinish
        case .refused(let refusal): refusal.isFinal
        case .unlisted, .undelivered, .noReceipt: false
        }
    }

    /// Whether handing it in again later can help without a person doing anything.
    var isWorthRepeating: Bool {
        switch self {
        case .reported(let report, _): !report.mayFinish
        case .refused(let refusal): !refusal.isFinal
        case .unlisted, .noReceipt: true
        case .undelivered(let failure):
            switch failure {
            case .unreachable, .trouble, .refused: true
            case .tokenRejected: false
            }
        }
    }

    /// Whether repeating it at once, while a person waits, can help.
    var isWorthAttending: Bool {
        switch self {
        case .unlisted: true
        case .undelivered(let failure): failure.isWorthRepeating
        case .reported, .refused, .noReceipt: false
        }
    }

    /// The verdict for whoever asks again: a success for another order was handed out before.
    func told(again order: Order?) -> Verdict {
        guard case .reported(var report, let goods) = self, report.outcome == .granted,
            let order, report.orderID != order.orderID.uuid
        else { return self }
        report.outcome = .alreadyGranted
        return .reported(report, goods)
    }

    var retryAfterSeconds: Int? {
        guard case .undelivered(let failure) = self else { return nil }
        return failure.retryAfterSeconds
    }
}

/// What a customer has after a purchase.
struct Goods: Sendable, Hashable {
    /// The entitlements that the product holds open.
    var entitlements: [String]
    var balances: [String: Int64]

    init(of productID: ProductID, in customer: CustomerDocument) {
        entitlements = customer.entitlements
            .filter { $0.productID == productID && $0.isActive }.map(\.entitlement)
        balances = customer.balances
    }
}

/// What is handed to the server in one request.
struct Parcel: Sendable {
    var transactions: [StoreTransaction]
    var order: Order?
    var isRestore = false
    /// Whether a person waits for it: then a missing receipt may be refreshed, once.
    var isAttended: Bool
}

/// What became of a parcel.
struct ParcelResult: Sendable {
    /// By `StoreTransaction.newsKey`.
    var verdicts: [String: Verdict] = [:]
    var response: PurchaseResponse?
    /// What stood in the way of the whole parcel.
    var obstacle: Verdict?
}

extension ParcelResult {
    /// Whether the server took nothing of it because of something in it, without saying what.
    var isRefusedAsAWhole: Bool {
        switch obstacle {
        case .refused(let refusal): response == nil && !refusal.isFinal
        case .undelivered(.refused): true
        default: false
        }
    }
}
