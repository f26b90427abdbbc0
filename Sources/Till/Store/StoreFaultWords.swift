extension StoreFault {
    /// The failure that an app sees, at a stage at which nothing is paid.
    func failure(at stage: TillFailure.Stage) -> TillFailure {
        switch code {
        case .cancelled:
            TillFailure(.paymentFailed, at: stage, next: .tryAgain, detail: detail)
        case .paymentsNotAllowed:
            TillFailure(.paymentsNotAllowed, at: stage, next: .fixTheCause, detail: detail)
        case .productNotAvailable:
            TillFailure(.productNotFound, at: stage, next: .fixTheCause, detail: detail)
        case .offerNotAvailable:
            TillFailure(.offerNotAvailable, at: stage, next: .fixTheCause, detail: detail)
        case .unreachable:
            TillFailure(.storeUnreachable, at: stage, next: .tryAgain, detail: detail)
        case .other:
            // Terms to accept, a card to renew: the store may complete it later on its own.
            TillFailure(
                .paymentFailed, at: stage, next: stage == .paying ? .mayCompleteLater : .tryAgain,
                detail: detail)
        }
    }
}

extension DeskFailure {
    /// The failure that an app sees.
    func failure(at stage: TillFailure.Stage, isPaid: Bool) -> TillFailure {
        let later: TillFailure.NextStep = isPaid ? .deliveredLater : .tryAgain
        switch self {
        case .unreachable(let detail):
            return TillFailure(.serverUnreachable, at: stage, next: later, detail: detail)
        case .trouble(_, _, let detail):
            return TillFailure(.serverTrouble, at: stage, next: later, detail: detail)
        case .tokenRejected(_, let detail):
            return TillFailure(
                .tokenRejected, at: stage, next: isPaid ? .deliveredAfterLogin : .logIn,
                detail: detail)
        case .refused(let refused):
            let detail = refused.detail.map { "\(refused.code): \($0)" } ?? refused.code
            return TillFailure(
                .serverRefused, at: stage, next: isPaid ? .deliveredLater : .fixTheCause,
                detail: detail)
        }
    }
}
