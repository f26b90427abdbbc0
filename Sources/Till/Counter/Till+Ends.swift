import AppStoreModel
import TillAPI

extension Till {
    /// What a call of `buy` returns for a verdict.
    func outcome(of verdict: Verdict, for transaction: StoreTransaction) -> PurchaseOutcome {
        switch verdict {
        case .reported(let report, let goods):
            let delivery = Delivery(
                productID: report.productID, quantity: transaction.quantity,
                transactionID: report.transactionID, orderID: report.orderID,
                environment: report.environment, entitlements: goods.entitlements,
                balances: goods.balances)
            switch report.outcome {
            case .granted: return .granted(delivery)
            case .alreadyGranted: return .alreadyGranted(delivery)
            case .refused:
                return .refused(
                    Refusal(reason: report.reason ?? "refused", isFinal: report.mayFinish))
            default: return .pending(.server(reason: report.reason))
            }
        case .refused(let refusal):
            return .refused(refusal)
        case .unlisted:
            return .failed(TillFailure(.notInAnswer, at: .delivering, next: .deliveredLater))
        case .undelivered(let failure):
            return .failed(failure.failure(at: .delivering, isPaid: true))
        case .noReceipt:
            return .failed(TillFailure(.receiptMissing, at: .verifying, next: .deliveredLater))
        }
    }

    /// The server's reason for a transaction that the store took back.
    private static let takenBack = "revoked"

    /// Tells how a delivery ended.
    ///
    /// What did not work tells `buy` itself. What is over is told once, though a call of `buy` and a look
    /// at what is unfinished may both have waited for it; to whoever asks again, once more: to a call that
    /// began at the moment `since`, unless it was told meanwhile.
    func tellEnd(
        of verdict: Verdict, _ transaction: StoreTransaction, order: OrderID?, isQuiet: Bool,
        since: Int = 0
    ) {
        if verdict.mayFinish,
            !settled.tells(transaction.newsKey, since: since, at: answers.next())
        {
            return
        }
        let subject = Subject(transaction, order: order, isQuiet: isQuiet)
        switch verdict {
        case .reported(let report, _):
            let wasTakenBack = transaction.revocationDate != nil
            switch report.outcome {
            case .granted: tell(wasTakenBack ? .revoked : .purchased, subject)
            case .alreadyGranted: tell(wasTakenBack ? .revoked : .alreadyPurchased, subject)
            // A server that took the goods back answers with that as its reason.
            case .refused where wasTakenBack && report.reason == Self.takenBack:
                tell(.revoked, subject)
            case .refused: tell(.refused, subject, code: report.reason)
            default: tell(.waitingForServer, subject, code: report.reason)
            }
        case .refused(let refusal):
            tell(.refused, subject, code: refusal.reason)
        case .unlisted, .undelivered, .noReceipt:
            break
        }
    }
}
