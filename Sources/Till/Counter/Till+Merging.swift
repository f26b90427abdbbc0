import AppStoreModel
import TillAPI

/// A customer who is to become part of another, until the server has said so.
///
/// It holds a token, so it is kept where secrets are.
struct PendingMerge: Sendable, Hashable, Codable {
    /// Merges that wait at the most.
    static let limit = 8

    var from: Session
    var into: String
}

/// How a merge of two customers ended.
public enum MergeOutcome: Sendable, Hashable {
    /// They are one: what the former had and waits for is the other's.
    case merged
    /// Nobody else was logged in.
    case nothingToMerge
    /// The server could not be asked. The new customer is logged in, and Till goes on by itself.
    case pending(TillFailure)
    /// The server said no: what the former customer waits for waits for its own login.
    case refused(Refusal)
}

extension Till {
    /// Logs a customer in and makes the one who was logged in until now part of it: usually an anonymous
    /// one, who turned out to be this one.
    ///
    /// The server keeps one customer with both names. What the former one has paid for and not received,
    /// in the store's queue and in the journal, is delivered to the new one, also when it comes weeks
    /// later. It is for good. The wish is kept where secrets are before anything else happens, so that a
    /// crash does not lose it.
    public func login(
        mergingInto customerToken: String, customerID: String? = nil
    ) async throws(LoginError) -> MergeOutcome {
        let next = try Session(token: customerToken, customerID: customerID)
        await start()
        let former = session
        let names = await journal.view().ties
        guard let former, names.canonical(former.customerID) != names.canonical(next.customerID)
        else {
            try await login(customerToken: customerToken, customerID: customerID)
            if let former, former.customerID != next.customerID {
                // What came under the former name may be news under this one.
                isBehind = true
                recoverInBackground()
            }
            return .nothingToMerge
        }
        let merge = PendingMerge(from: former, into: next.customerID)
        var waiting = DeviceIdentity(homes: secrets).merges()
        waiting.removeAll { $0.from.customerID == former.customerID }
        merging = waiting + [merge]
        mergesEnded[merge] = nil
        DeviceIdentity(homes: secrets).keep(merging)
        try await login(customerToken: customerToken, customerID: customerID)
        let outcome = await carryOut(merge, as: next.caller, isAttended: true)
        recoverInBackground()
        return outcome
    }

    /// Asks for the merges that wait for this customer.
    func mergeWhatWaits(as caller: Caller) async {
        let names = await journal.view().ties
        for merge in merging
        where names.canonical(merge.into) == names.canonical(caller.customerID) {
            _ = await carryOut(merge, as: caller, isAttended: false)
        }
    }

    /// One at a time, since the login and the look at what is unfinished may both want it.
    private func carryOut(
        _ merge: PendingMerge, as caller: Caller, isAttended: Bool
    ) async -> MergeOutcome {
        await mergeLane.enter()
        let outcome: MergeOutcome
        if let ended = mergesEnded[merge], !merging.contains(merge) {
            outcome = ended
        } else {
            outcome = await askToMerge(merge, as: caller, isAttended: isAttended)
            if !merging.contains(merge) { mergesEnded[merge] = outcome }
        }
        await mergeLane.leave()
        return outcome
    }

    private func askToMerge(
        _ merge: PendingMerge, as caller: Caller, isAttended: Bool
    ) async -> MergeOutcome {
        let names = await journal.view().ties
        if names.canonical(merge.from.customerID) == names.canonical(caller.customerID) {
            forget(merge)
            return .merged
        }
        do throws(DeskFailure) {
            let answer = try await askToMerge(merge, as: caller, isAttended)
            let isKept = await journal.tie {
                $0.merge(merge.from.customerID, into: caller.customerID)
            }
            // A repeat asks the server again, which says the same.
            if isKept { forget(merge) }
            await remember(answer.value, answer.envelope, for: caller.customerID)
            return .merged
        } catch {
            switch error {
            case .unreachable, .trouble: break
            case .tokenRejected(401, _):
                // One of the two tokens is over; a login brings a new one.
                break
            case .tokenRejected(_, let detail):
                forget(merge)
                return .refused(Refusal(reason: "forbidden", isFinal: true, detail: detail))
            case .refused(let refused):
                if !refused.isRetryable { forget(merge) }
                return .refused(
                    Refusal(
                        reason: refused.code, isFinal: !refused.isRetryable,
                        detail: refused.detail))
            }
            if let seconds = error.retryAfterSeconds { hold(seconds: seconds) }
            recoverLater(.undelivered(error))
            return .pending(error.failure(at: .checking, isPaid: false))
        }
    }

    private func askToMerge(
        _ merge: PendingMerge, as caller: Caller, _ isAttended: Bool
    ) async throws(DeskFailure) -> DeskAnswer<CustomerDocument> {
        func question(_ token: String) -> MergeRequest {
            MergeRequest(from: merge.from.customerID, fromToken: token)
        }
        let (first, desk) = (question(merge.from.token), desk)
        do throws(DeskFailure) {
            if isAttended {
                return try await attended(Subject(isQuiet: false), as: caller) {
                    caller async throws(DeskFailure) in
                    try await desk.merge(first, for: caller)
                }
            }
            return try await ask(as: caller) { caller async throws(DeskFailure) in
                try await desk.merge(first, for: caller)
            }
        } catch {
            // The server does not say which of the two tokens it did not take.
            guard case .tokenRejected = error,
                let token = await renewedToken(of: merge.from.customerID)
            else { throw error }
            let again = question(token)
            return try await askOnce(as: self.caller(of: caller.customerID) ?? caller) {
                caller async throws(DeskFailure) in
                try await desk.merge(again, for: caller)
            }
        }
    }

    private func forget(_ merge: PendingMerge) {
        merging.removeAll { $0.from.customerID == merge.from.customerID }
        DeviceIdentity(homes: secrets).keep(merging)
    }
}
