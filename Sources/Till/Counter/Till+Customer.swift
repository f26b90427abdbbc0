public import AppStoreModel
import TillAPI

extension Till {
    /// Asks the server what the customer may use now.
    @discardableResult
    public func refresh() async -> EntitlementView {
        await start()
        guard let caller = session?.caller else { return EntitlementView(basis: .unknown) }
        await askForCustomer(as: caller)
        await catchUp()
        return await entitlements()
    }

    /// Asks for the customer once; whether that was answered.
    @discardableResult
    private func askForCustomer(as caller: Caller) async -> Bool {
        do throws(DeskFailure) {
            let answer = try await ask(as: caller) { [desk] caller async throws(DeskFailure) in
                try await desk.customer(caller)
            }
            await remember(
                answer.value, answer.envelope, for: caller.customerID, tellsOfChange: false)
            return true
        } catch {
            await remember(error, for: caller.customerID, isAboutCustomer: true)
            return false
        }
    }

    /// Asks for the customer anew where answers crossed, once however many want to know.
    func catchUp() async {
        while isBehind {
            // Who asked already may have asked too early: then this looks again.
            guard await (catchingUp ?? beginToCatchUp()).value else { return }
        }
    }

    /// Asks for the customer; whether asking again can tell more.
    private func beginToCatchUp() -> Task<Bool, Never> {
        let task = Task {
            defer { self.catchingUp = nil }
            guard let caller = self.session?.caller else { return false }
            self.isBehind = false
            let isAnswered = await self.askForCustomer(as: caller)
            if !isAnswered {
                self.isBehind = true
                self.recoverLater(nil)
            }
            return isAnswered
        }
        catchingUp = task
        return task
    }

    /// What the customer may use, as the server said it last: without asking, and also offline.
    ///
    /// Judged by the server's time, which goes on with the device's running time; the device's clock
    /// can be wrong. `refresh()` asks the server.
    public func entitlements() async -> EntitlementView {
        await start()
        guard session != nil, let memory else {
            return EntitlementView(basis: .unknown, distrust: session == nil ? nil : distrust)
        }
        let now = serverNow
        let rules = OfflineRules(
            age: Timestamp(seconds: configuration.offlineAgeSeconds).milliseconds,
            grace: Timestamp(seconds: configuration.offlineGraceSeconds).milliseconds)
        var view = memory.view(at: now, rules: rules, basis: isMemoryFresh ? .server : .remembered)
        view.distrust = distrust
        await markTime()
        return view
    }

    /// Units in the customer's wallet, as the server said it last; `nil` when it never has.
    public func balance(of currency: String) async -> Int64? {
        await start()
        guard session != nil, let memory, !memory.isRefused else { return nil }
        return memory.customer.balances[currency] ?? 0
    }

    /// Whether the customer may have the introductory offer of a subscription: by the store where
    /// it says so, else by the server's history.
    ///
    /// A receipt, which may be empty, is never asked.
    public func introductoryOfferEligibility(
        _ productID: ProductID
    ) async -> IntroductoryOfferEligibility {
        await start()
        // A store that cannot be asked says nothing about anybody.
        guard let found = try? await products([productID]) else { return .unknown }
        guard let product = found.first, let terms = product.subscription,
            terms.introductoryOffer != nil
        else { return .ineligible }
        if let isEligible = await front.introductoryOfferEligibility(productID) {
            return isEligible ? .eligible : .ineligible
        }
        if !isMemoryFresh { await refresh() }
        guard isMemoryFresh, let memory, !memory.isRefused else { return .unknown }
        let group = products.values.filter {
            $0.id == productID
                || (terms.groupID != nil && $0.subscription?.groupID == terms.groupID)
        }.map(\.id)
        let hadOne = memory.customer.transactions.contains { group.contains($0.productID) }
        return hadOne ? .ineligible : .eligible
    }

    /// Keeps what the server said of a customer, when that one is still logged in; returns what of it is
    /// believed, or what is newer.
    @discardableResult
    func remember(
        _ answer: CustomerDocument, _ envelope: AnswerEnvelope, for customerID: String,
        tellsOfChange: Bool = true
    ) async -> CustomerDocument {
        let isCertain = answers.hear(askedAt: envelope.askedAt, tellsOfChange: tellsOfChange)
        let belief: Belief
        do throws(EntitlementDistrust) {
            belief = try await self.belief(in: answer, envelope, for: customerID)
        } catch {
            if session?.customerID == customerID { distrust = error }
            var nothing = answer
            nothing.entitlements = []
            return nothing
        }
        var customer = belief.customer
        // The name under which it is kept is the one that it was asked for by.
        customer.customerID = customerID
        guard session?.customerID == customerID else {
            // What came for a name that has become part of this one's is this one's news.
            if tellsOfChange, await isLoggedIn(customerID) {
                isBehind = true
                await catchUp()
            }
            return customer
        }
        if !isCertain {
            isBehind = true
            if tellsOfChange {
                await catchUp()
            } else if let kept = kept(of: customerID) {
                // Whoever asked for this reading asks again.
                return kept
            }
        }
        guard session?.customerID == customerID, answers.keeps(askedAt: envelope.askedAt) else {
            // What came with a purchase has at least what that brought.
            return isBehind ? customer : kept(of: customerID) ?? customer
        }
        let time = TrustedTime(
            serverTime: belief.serverTime ?? serverNow, deviceTime: clock.deviceTime(),
            uptime: clock.uptime())
        let isNews = !(memory.map { customer.saysTheSame(as: $0.customer) } ?? false)
        let memory = CustomerMemory(
            customer: customer, time: time, validUntil: belief.validUntil)
        self.memory = memory
        isMemoryFresh = true
        distrust = nil
        if isNews { tell(.customerChanged, Subject(isQuiet: true)) }
        keepStanding(of: memory, issuedAt: belief.issuedAt)
        await shelf.keep(memory)
        return customer
    }

    private func kept(of customerID: String) -> CustomerDocument? {
        guard let memory, memory.customer.customerID == customerID else { return nil }
        return memory.customer
    }

    /// Whether it is a name of the customer who is logged in.
    func isLoggedIn(_ customerID: String) async -> Bool {
        guard let session else { return false }
        let names = await journal.view().ties
        return names.canonical(customerID) == names.canonical(session.customerID)
    }

    /// A no of the server closes what is remembered; that it could not be reached does not.
    func remember(
        _ failure: DeskFailure, for customerID: String, isAboutCustomer: Bool = false
    ) async {
        guard session?.customerID == customerID, var memory, !failure.allowsOfflineView else {
            return
        }
        if case .refused = failure, !isAboutCustomer { return }
        guard !memory.isRefused else { return }
        memory.isRefused = true
        self.memory = memory
        keepStanding(of: memory, issuedAt: nil)
        await shelf.keep(memory)
    }

    /// Keeps on disk how much time has certainly passed, once in a while.
    private func markTime() async {
        guard var memory else { return }
        let before = memory.time
        let uptime = clock.uptime()
        guard before.isWorthMarking(uptime) else { return }
        memory.time.mark(uptime)
        self.memory = memory
        keepStanding(of: memory, issuedAt: nil)
        await shelf.keep(memory)
    }
}

extension CustomerDocument {
    /// Whether it says the same, whenever it was signed.
    fileprivate func saysTheSame(as other: CustomerDocument) -> Bool {
        var (one, two) = (self, other)
        one.signedEntitlements = nil
        two.signedEntitlements = nil
        return one == two
    }
}
