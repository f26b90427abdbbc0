import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Till {
    /// Hands in one transaction while a person waits, a few times if need be.
    func attend(
        _ transaction: StoreTransaction, order: Order?, as caller: Caller
    ) async -> Verdict {
        let subject = Subject(transaction, order: order?.orderID, isQuiet: false)
        let parcel = Parcel(transactions: [transaction], order: order, isAttended: true)
        let began = order.flatMap { liveOrders[$0.orderID] } ?? answers.next()
        var failures = 0
        while true {
            tell(.verifying, subject)
            let result = await handIn(parcel, as: caller)
            let verdict = result.verdicts[transaction.newsKey] ?? .unlisted
            failures += 1
            guard verdict.isWorthAttending,
                await pauseAttended(failures, verdict.retryAfterSeconds, subject)
            else {
                tellEnd(
                    of: verdict, transaction, order: order?.orderID, isQuiet: false, since: began)
                return verdict
            }
        }
    }

    /// Hands a parcel to the server and lets go of exactly what the server said.
    ///
    /// A transaction that is on its way already is not sent twice: its answer is waited for.
    func handIn(_ parcel: Parcel, as caller: Caller) async -> ParcelResult {
        var known = ParcelResult()
        var rest = parcel
        rest.transactions = []
        for transaction in parcel.transactions {
            let key = transaction.newsKey
            if let running = inFlight[key] {
                known.verdicts[key] = await running.value.verdicts[key]
            } else if let verdict = settled[key], !parcel.isRestore {
                // The store tells it again: let go of it again.
                await front.finish(transaction.handle)
                known.verdicts[key] = verdict.told(again: parcel.order)
                // What is owned came back instead of a payment, or the store told it twice.
                if let order = parcel.order { await journal.strikeOut(order.orderID) }
            } else {
                rest.transactions.append(transaction)
            }
        }
        guard !rest.transactions.isEmpty || parcel.transactions.isEmpty else { return known }
        let freight = rest
        let task = Task { await self.send(freight, as: caller) }
        let keys = freight.transactions.map(\.newsKey)
        for key in keys { inFlight[key] = task }
        let result = await task.value
        for key in keys { inFlight[key] = nil }
        known.verdicts.merge(result.verdicts) { _, new in new }
        known.response = result.response
        known.obstacle = result.obstacle
        return known
    }

    private func send(_ parcel: Parcel, as caller: Caller) async -> ParcelResult {
        let needsReceipt =
            desk.wantsReceipt || parcel.transactions.isEmpty
            || parcel.transactions.contains { $0.signedForm == nil }
        let receipt = needsReceipt ? await receipt(mayRefresh: parcel.isAttended) : nil
        let signed = parcel.transactions.compactMap(\.signedForm)
        guard receipt != nil || !signed.isEmpty else { return hopeless(parcel, .noReceipt) }
        let request = PurchaseRequest(
            bundleID: configuration.bundleID, receipt: receipt?.base64EncodedString(),
            signedTransactions: signed, orderID: parcel.order?.orderID.uuid,
            transactionIDs: parcel.namedIDs, isRestore: parcel.isRestore,
            track: parcel.order?.track ?? [:])
        if parcel.isAttended, let first = parcel.transactions.first, !parcel.isRestore {
            tell(.delivering, Subject(first, order: parcel.order?.orderID, isQuiet: false))
        }
        let answer: DeskAnswer<PurchaseResponse>
        let fingerprint = request.fingerprint(for: caller.customerID)
        let key = repeatKeys[fingerprint] ?? makeUUID().uuidString.lowercased()
        repeatKeys[fingerprint] = nil
        do throws(DeskFailure) {
            answer = try await ask(as: caller) { [desk] caller async throws(DeskFailure) in
                try await desk.submit(
                    request, products: parcel.products, key: key, for: caller)
            }
        } catch {
            // Nobody knows whether it arrived: a repeat has to get the answer that was lost.
            if case .unreachable = error { repeatKeys[fingerprint] = key }
            if let seconds = error.retryAfterSeconds { hold(seconds: seconds) }
            await remember(error, for: caller.customerID)
            if case .refused(let refused) = error { return await settle(parcel, refused) }
            return hopeless(parcel, .undelivered(error))
        }
        heldUntil = nil
        var response = answer.value
        response.customer = await remember(
            response.customer, answer.envelope, for: caller.customerID)
        if distrust == .unsigned {
            // An older server signs nothing but what it is asked for.
            await refresh()
            if let memory, session?.customerID == caller.customerID {
                response.customer.entitlements = memory.customer.entitlements
            }
        }
        return await settle(parcel, response)
    }

    private func hopeless(_ parcel: Parcel, _ verdict: Verdict) -> ParcelResult {
        var result = ParcelResult(obstacle: verdict)
        for transaction in parcel.transactions { result.verdicts[transaction.newsKey] = verdict }
        return result
    }

    private func settle(_ parcel: Parcel, _ response: PurchaseResponse) async -> ParcelResult {
        var result = ParcelResult(response: response)
        let refused = parcel.refusals(in: response)
        for transaction in parcel.transactions {
            let verdict: Verdict
            if let report = response.results.first(where: { transaction.isMeant(by: $0) }) {
                verdict = .reported(report, Goods(of: report.productID, in: response.customer))
            } else if let refusal = refused[transaction.newsKey] {
                verdict = .refused(refusal)
            } else {
                verdict = .unlisted
            }
            result.verdicts[transaction.newsKey] = verdict
            await close(transaction, verdict, order: parcel.order)
        }
        return result
    }

    /// The server said no to the whole parcel.
    private func settle(_ parcel: Parcel, _ refused: DeskFailure.Refused) async -> ParcelResult {
        // One no for several proofs says which of them it means, or it means none of them for good.
        let isForAll = parcel.transactions.count <= 1 || refused.proofs.isEmpty
        let whole = Refusal(
            reason: refused.code, isFinal: refused.mayFinish && isForAll, detail: refused.detail)
        let single = parcel.refusals(by: refused.proofs)
        let wholeVerdict: Verdict =
            refused.isRetryable && !refused.mayFinish
            ? .undelivered(.refused(refused)) : .refused(whole)
        var result = ParcelResult(obstacle: wholeVerdict)
        for transaction in parcel.transactions {
            let verdict = single[transaction.newsKey].map { Verdict.refused($0) } ?? wholeVerdict
            result.verdicts[transaction.newsKey] = verdict
            await close(transaction, verdict, order: parcel.order)
        }
        return result
    }

    /// Lets go of what may be let go of; the journal comes last, so that a crash in between leaves
    /// nothing without an owner.
    private func close(
        _ transaction: StoreTransaction, _ verdict: Verdict, order: Order?
    ) async {
        guard verdict.mayFinish else { return }
        await front.finish(transaction.handle)
        settled.keep(verdict, for: transaction.newsKey)
        // A refund may be undone: then the same id is news once more.
        if transaction.revocationDate != nil, let id = transaction.transactionID {
            settled.forget(id.rawValue)
        }
        news[transaction.newsKey] = nil
        if let id = transaction.transactionID {
            await journal.tie { $0.forgetClaim(id) }
            unclaimed.removeAll { $0.transactionID == id }
        }
        guard case .reported(let report, _) = verdict else {
            if let order { await journal.strikeOut(order.orderID) }
            return
        }
        let paid = report.orderID.map { OrderID($0) } ?? order?.orderID
        if let paid { await journal.strikeOut(paid) }
        if let order, paid != order.orderID {
            // The server knows better which order this paid: ours still waits for its own payment.
            await journal.update(order.orderID) {
                guard $0.transactionID == transaction.transactionID else { return }
                $0.transactionID = nil
                $0.state = .failed
            }
        }
    }

    /// The receipt in the device's hands.
    ///
    /// A person who waits may be asked for a password once.
    private func receipt(mayRefresh: Bool) async -> Data? {
        if let receipt = await front.receipt() { return receipt }
        guard mayRefresh else { return nil }
        do throws(StoreFault) {
            try await front.refreshReceipt()
        } catch {
            return nil
        }
        return await front.receipt()
    }
}
