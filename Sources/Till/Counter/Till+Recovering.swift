import AppStoreModel
import TillAPI

extension Till {
    /// Looks after everything that is unfinished, and returns when that was tried once.
    ///
    /// Till does this by itself at the start, at a login, when the network returns, when the app comes
    /// forward, when the store has news, and after failures with growing pauses.
    public func recover() async {
        await start()
        await beginSweep().value
    }

    func recoverInBackground() { _ = beginSweep() }

    /// Begins to look, or looks again when that is done.
    private func beginSweep() -> Task<Void, Never> {
        if let sweeping {
            sweepsAgain = true
            return sweeping
        }
        let task = Task { await self.sweep() }
        sweeping = task
        return task
    }

    /// A new reason to try: forgets former failures.
    func startOver() {
        failures = 0
        retry?.cancel()
        retry = nil
        asksForOrders = true
    }

    func wake(_ wakeUp: WakeUp) async {
        startOver()
        await recover()
    }

    /// Takes what the store says on its own.
    func take(_ signal: StoreSignal) async {
        switch signal {
        case .transaction(let transaction):
            if transaction.isPaid { news[transaction.newsKey] = transaction }
            if transaction.state == .deferred { await noteDeferred(transaction) }
            recoverInBackground()
        case .revoked(let products):
            owesReceipt = true
            for product in products { tell(.revoked, Subject(product, isQuiet: true)) }
            recoverInBackground()
        case .promoted(let purchase):
            tell(.promoted, Subject(purchase.productID, isQuiet: false))
            guard await configuration.acceptsPromotedPurchase(purchase.productID) else { return }
            promoted.append(purchase)
            buyPromoted()
        }
    }

    private func noteDeferred(_ transaction: StoreTransaction) async {
        guard let id = transaction.token.flatMap({ OrderID($0) }) else { return }
        await journal.update(id) { if $0.state == .paying { $0.state = .pending } }
    }

    /// Goes on with what began on the App Store's page, as soon as somebody is logged in.
    func buyPromoted() {
        guard session != nil else { return }
        let waiting = promoted
        promoted = []
        for purchase in waiting {
            Task { [weak self] in
                _ = await self?.buy(
                    purchase.productID, quantity: purchase.quantity, offer: purchase.offer)
            }
        }
    }

    private func sweep() async {
        repeat {
            sweepsAgain = false
            await sweepOnce()
        } while sweepsAgain
        sweeping = nil
    }

    private func sweepOnce() async {
        let queue = await front.unfinished()
        await letGoOfFailed(queue)
        var asked: String?
        if let caller = session?.caller, holdLeft == 0 {
            await mergeWhatWaits(as: caller)
            if asksForOrders {
                await readUnreadable(as: caller)
                asked = caller.customerID
            }
        }
        var parcels = Parcels()
        let journal = await journal.view()
        var waiting: [UnclaimedPurchase] = []
        for transaction in paid(queue) {
            switch attribution(of: transaction, in: journal) {
            case .order(let order):
                // Its own call of `buy` is about to hand it in.
                if !isLive(order) || news[transaction.newsKey] != nil {
                    parcels.add(transaction, to: order)
                }
            case .server: parcels.addLoose(transaction)
            case .waitsForLogin: tellOnce(.waitingForLogin, transaction)
            case .waitsForOwner: tellOnce(.waitingForOwner, transaction)
            case .unclaimed:
                tellOnce(.unclaimed, transaction)
                if let purchase = UnclaimedPurchase(transaction) { waiting.append(purchase) }
            }
        }
        unclaimed = waiting
        guard let caller = session?.caller else { return }
        buyPromoted()
        guard holdLeft == 0 else { return recoverAfterHold() }
        var worst = await handInAll(parcels.all, as: caller)
        worst = await reportRevocations(as: caller) ?? worst
        // Who logged in meanwhile has its own look next, from the beginning.
        if asksForOrders, asked == caller.customerID {
            asksForOrders = false
            await askForOrders(as: caller)
        }
        await catchUp()
        if let worst { recoverLater(worst) } else if !isBehind { failures = 0 }
    }

    /// A failed transaction is worth nothing to the server: let go of it, or it comes back for ever.
    private func letGoOfFailed(_ queue: [StoreTransaction]) async {
        for transaction in queue {
            guard case .failed(let fault) = transaction.state else { continue }
            await front.finish(transaction.handle)
            if let id = transaction.token.flatMap({ OrderID($0) }) {
                await journal.update(id) { order in
                    guard order.state == .paying || order.state == .pending else { return }
                    order.state = fault.code == .cancelled ? .cancelled : .failed
                }
            }
            tell(
                fault.code == .cancelled ? .cancelled : .failed,
                Subject(transaction, isQuiet: true), code: fault.code.rawValue)
        }
    }

    /// What is paid and not over: the queue's and the news, each once.
    private func paid(_ queue: [StoreTransaction]) -> [StoreTransaction] {
        var seen: Set<String> = []
        let told = news.values.sorted {
            ($0.date ?? Timestamp(seconds: 0)) < ($1.date ?? Timestamp(seconds: 0))
        }
        return (queue + told).filter {
            $0.isPaid && seen.insert($0.newsKey).inserted
        }
    }

    private func isLive(_ order: Order) -> Bool { liveOrders[order.orderID] != nil }

    private func handInAll(_ parcels: [Parcel], as caller: Caller) async -> Verdict? {
        var worst: Verdict?
        var waiting = parcels
        var splits = Parcels.splitsOfOneSweep
        while !waiting.isEmpty {
            let parcel = waiting.removeFirst()
            let known = Set(parcel.transactions.map(\.newsKey).filter { settled[$0] != nil })
            let result = await handIn(parcel, as: caller)
            if splits > 0, result.isRefusedAsAWhole, let halves = parcel.halves {
                // One that the server cannot take must not hold up the others.
                splits -= 1
                waiting.insert(contentsOf: halves, at: 0)
                continue
            }
            for transaction in parcel.transactions {
                guard let verdict = result.verdicts[transaction.newsKey] else { continue }
                if verdict.mayFinish {
                    news[transaction.newsKey] = nil
                    if known.contains(transaction.newsKey) { continue }
                }
                // Where a call of `buy` still waits, so does a person.
                tellEnd(
                    of: verdict, transaction, order: parcel.order?.orderID,
                    isQuiet: !(parcel.order.map { isLive($0) } ?? false))
                if verdict.isWorthRepeating { worst = verdict }
            }
            // Without the server nothing else gets through either, and it may want to be left alone.
            if case .undelivered(.unreachable)? = result.obstacle { return result.obstacle }
            if holdLeft > 0 { return result.obstacle ?? worst }
        }
        return worst
    }

    /// StoreKit 1 says no more than that the receipt has news.
    private func reportRevocations(as caller: Caller) async -> Verdict? {
        guard owesReceipt else { return nil }
        let result = await handIn(Parcel(transactions: [], isAttended: false), as: caller)
        if result.response != nil { owesReceipt = false }
        guard let obstacle = result.obstacle else { return nil }
        if case .undelivered(let failure) = obstacle, failure.isWorthRepeating { return obstacle }
        return nil
    }

    /// Asks what became of orders whose payment this device has not seen the end of, since the server may
    /// know it from Apple, and tells it which of them wait for approval.
    private func askForOrders(as caller: Caller) async {
        var hasNews = false
        let journal = await journal.view()
        let customerID = journal.canonical(caller.customerID)
        for order in journal.orders
        where order.customerID == customerID && !isLive(order) {
            guard
                let answer = try? await ask(
                    as: caller,
                    { [desk] caller async throws(DeskFailure) in
                        try await desk.order(order.orderID, for: caller)
                    })
            else { continue }
            switch answer.value.status {
            case .fulfilled, .refunded:
                await self.journal.strikeOut(order.orderID)
                hasNews = true
            case .open where order.state == .pending: await reportWaiting(order, of: caller)
            case .expired where order.state != .paid && mayForget(order):
                await self.journal.strikeOut(order.orderID)
            default: break
            }
        }
        if hasNews { _ = await refresh() }
    }

    /// Tells the server that an order waits for approval, once.
    ///
    /// Not heard is no harm: the next look at open orders tells it again, and a late payment finds its order
    /// all the same.
    func reportWaiting(_ order: Order, of caller: Caller) async {
        _ = try? await ask(as: caller) { [desk] caller async throws(DeskFailure) in
            try await desk.deferOrder(order.orderID, for: caller)
        }
    }

    /// Whether an order that the server gave up may go: at once when the store gave it up too, else
    /// after a month of which it is certain that it has passed.
    ///
    /// A payment that comes later still is found by its token.
    private func mayForget(_ order: Order) -> Bool {
        if order.state == .cancelled || order.state == .failed { return true }
        guard let now = memory?.time.earliest(at: clock.uptime()) else { return false }
        return order.openedAt.advanced(byMilliseconds: Journal.patience) < now
    }

    /// Writes anew what the journal cannot read any more, where the server knows the order to be this
    /// customer's.
    private func readUnreadable(as caller: Caller) async {
        for id in await journal.view().unreadable.prefix(Journal.capacity) {
            guard
                let order = try? await ask(
                    as: caller,
                    { [desk] caller async throws(DeskFailure) in
                        try await desk.order(id, for: caller)
                    }
                ).value
            else { continue }
            try? await journal.note(
                Order(
                    orderID: id, customerID: caller.customerID, productID: order.productID,
                    quantity: order.quantity, track: [:], state: .paying,
                    openedAt: order.createdAt ?? serverNow))
        }
    }

    func attribution(of transaction: StoreTransaction, in journal: JournalView) -> Attribution {
        Attribution.of(
            transaction, in: journal, customer: session?.customerID,
            policy: configuration.unattributedPurchases)
    }

    /// Looks again when the server may be asked again.
    private func recoverAfterHold() {
        retry?.cancel()
        let pause = holdLeft
        retry = Task { [weak self, clock] in
            guard (try? await clock.sleep(milliseconds: pause)) != nil else { return }
            await self?.recover()
        }
    }

    /// Tries again by itself, later each time.
    func recoverLater(_ verdict: Verdict?) {
        failures += 1
        retry?.cancel()
        let pause = Pauses.unattended.milliseconds(
            after: failures, jitter: jitter(), retryAfterSeconds: verdict?.retryAfterSeconds)
        retry = Task { [weak self, clock] in
            guard (try? await clock.sleep(milliseconds: pause)) != nil else { return }
            await self?.recover()
        }
    }

    /// Paid purchases of which nobody can say whose they are.
    public func unclaimedPurchases() async -> [UnclaimedPurchase] {
        await recover()
        return unclaimed
    }

    /// Says that an unclaimed purchase belongs to the customer who is logged in, and hands it in.
    ///
    /// The server has the last word: what is signed for another customer stays that customer's.
    public func claim(_ purchase: UnclaimedPurchase) async -> PurchaseOutcome {
        await start()
        guard let caller = session?.caller else {
            return .failed(TillFailure(.loginRequired, at: .checking, next: .logIn))
        }
        let queue = await front.unfinished()
        guard
            let transaction = (queue + news.values).first(where: {
                $0.transactionID == purchase.transactionID && $0.isPaid
            })
        else {
            return .failed(
                TillFailure(.productNotFound, at: .checking, next: .fixTheCause))
        }
        await journal.tie { $0.claim(purchase.transactionID, by: caller.customerID) }
        let verdict = await attend(transaction, order: nil, as: caller)
        if verdict.isWorthRepeating { recoverLater(verdict) }
        return outcome(of: verdict, for: transaction)
    }
}

extension UnclaimedPurchase {
    init?(_ transaction: StoreTransaction) {
        guard let id = transaction.transactionID else { return nil }
        self.init(transactionID: id, productID: transaction.productID, date: transaction.date)
    }
}
