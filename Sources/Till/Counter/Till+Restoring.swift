import AppStoreModel
import TillAPI

extension Till {
    /// Brings former purchases back: asks the store once, and the server once for all of them, or for
    /// each hundred of them where there are very many.
    ///
    /// Two calls at once are one restore.
    public func restore() async -> RestoreOutcome {
        await start()
        if let restoring { return await restoring.value }
        let task = Task { await self.restoreOnce() }
        restoring = task
        let outcome = await task.value
        restoring = nil
        tell(outcome)
        return outcome
    }

    private func restoreOnce() async -> RestoreOutcome {
        guard let caller = session?.caller else {
            return .failed(TillFailure(.loginRequired, at: .checking, next: .logIn))
        }
        let quiet = Subject(isQuiet: false)
        tell(.restoring, quiet)
        let found: [StoreTransaction]
        do throws(StoreFault) {
            found = try await front.restore()
        } catch {
            if error.code == .cancelled { return .cancelled }
            return .failed(error.failure(at: .restoring))
        }
        let purchases = FormerPurchases(found)
        guard !purchases.isEmpty else { return .nothingToRestore }
        tell(.verifying, quiet)
        var answers: [PurchaseResponse] = []
        for part in purchases.parts {
            let parcel = Parcel(transactions: part, isRestore: true, isAttended: true)
            var failures = 0
            while true {
                let result = await handIn(parcel, as: caller)
                failures += 1
                if let response = result.response {
                    await letGo(of: found, in: response)
                    answers.append(response)
                    break
                }
                let obstacle = result.obstacle ?? .unlisted
                guard obstacle.isWorthAttending,
                    await pauseAttended(failures, obstacle.retryAfterSeconds, quiet)
                else { return restoreOutcome(obstacle) }
            }
        }
        guard var whole = answers.last else { return .nothingToRestore }
        whole.results = answers.flatMap(\.results)
        let refused = answers.flatMap { $0.refusedProofs ?? [] }
        whole.refusedProofs = refused.isEmpty ? nil : refused
        return purchases.outcome(whole)
    }

    /// The restored transactions themselves are not verified one by one: the one answer covers them.
    private func letGo(of found: [StoreTransaction], in response: PurchaseResponse) async {
        for transaction in found where transaction.state == .restored {
            let reports = response.results.filter { transaction.isMeant(by: $0) }
            guard !reports.isEmpty, reports.allSatisfy(\.mayFinish) else { continue }
            await front.finish(transaction.handle)
            news[transaction.newsKey] = nil
        }
    }

    private func restoreOutcome(_ obstacle: Verdict) -> RestoreOutcome {
        switch obstacle {
        case .refused(let refusal): .refused(refusal)
        case .undelivered(let failure):
            .failed(failure.failure(at: .delivering, isPaid: false))
        case .noReceipt:
            .failed(TillFailure(.receiptMissing, at: .verifying, next: .tryAgain))
        case .unlisted, .reported:
            .failed(TillFailure(.notInAnswer, at: .delivering, next: .tryAgain))
        }
    }

    private func tell(_ outcome: RestoreOutcome) {
        let subject = Subject(isQuiet: false)
        switch outcome {
        case .restored: tell(.restored, subject)
        case .nothingToRestore: tell(.nothingToRestore, subject)
        case .expired: tell(.expired, subject)
        case .cancelled: tell(.cancelled, subject)
        case .refused(let refusal): tell(.refused, subject, code: refusal.reason)
        case .failed(let failure):
            tell(failure.eventKind, subject, code: failure.code.rawValue)
        }
    }
}

/// What a restore found, one purchase for each first transaction.
struct FormerPurchases {
    /// The latest transaction of each purchase, in the order in which the purchases began.
    let latest: [StoreTransaction]

    /// Purchases of one request at the most that brings each of them signed, and of one that brings a
    /// receipt for all of them.
    static let (signedCapacity, capacity) = (128, APILimits.transactionIDs)

    init(_ found: [StoreTransaction]) {
        var latest: [TransactionID: StoreTransaction] = [:]
        var began: [TransactionID: Timestamp] = [:]
        for transaction in found where transaction.isPaid {
            guard let root = transaction.rootID else { continue }
            let start = transaction.originalDate ?? transaction.date ?? Timestamp(seconds: 0)
            began[root] = min(began[root] ?? start, start)
            if let other = latest[root], Self.isLater(other, transaction) { continue }
            latest[root] = transaction
        }
        let roots = latest.keys.sorted {
            (began[$0] ?? Timestamp(seconds: 0), $0) < (began[$1] ?? Timestamp(seconds: 0), $1)
        }
        self.latest = roots.compactMap { latest[$0] }
    }

    /// The purchases of each request.
    var parts: [[StoreTransaction]] {
        let isSigned = latest.contains { $0.signedForm != nil }
        let size = isSigned ? Self.signedCapacity : Self.capacity
        return stride(from: 0, to: latest.count, by: size).map {
            Array(latest[$0..<min($0 + size, latest.count)])
        }
    }

    var isEmpty: Bool { latest.isEmpty }

    private static func isLater(_ one: StoreTransaction, _ other: StoreTransaction) -> Bool {
        let zero = Timestamp(seconds: 0)
        return (one.expiresDate ?? one.date ?? zero) > (other.expiresDate ?? other.date ?? zero)
    }

    /// Restored when something of it holds, expired when all of it is over, refused when the server
    /// wants none of it.
    func outcome(_ response: PurchaseResponse) -> RestoreOutcome {
        let reports = response.results.filter { report in
            latest.contains { $0.isMeant(by: report) || $0.rootID == report.originalTransactionID }
        }
        let accepted = reports.filter { $0.outcome == .granted || $0.outcome == .alreadyGranted }
        guard !accepted.isEmpty else {
            if let no = reports.first(where: { $0.outcome == .refused }) {
                return .refused(Refusal(reason: no.reason ?? "refused", isFinal: no.mayFinish))
            }
            if let proof = response.refusedProofs?.first {
                return .refused(
                    Refusal(
                        reason: proof.code.rawValue, isFinal: proof.mayFinish, detail: proof.detail)
                )
            }
            return .failed(TillFailure(.notInAnswer, at: .delivering, next: .tryAgain))
        }
        let restoration = Restoration(
            productIDs: unique(latest.map(\.productID)),
            originalTransactionIDs: latest.compactMap(\.rootID),
            entitlements: unique(
                response.customer.entitlements.filter(\.isActive).map(\.entitlement)))
        let products = Set(accepted.map(\.productID)).union(latest.map(\.productID))
        let theirs = response.customer.entitlements.filter { products.contains($0.productID) }
        let isOver = !theirs.isEmpty && !theirs.contains(where: \.isActive)
        return isOver ? .expired(restoration) : .restored(restoration)
    }

    private func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }
}
