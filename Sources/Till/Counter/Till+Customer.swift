public import AppStoreModel
import TillAPI

extension Till {
    /// Asks the server what the customer may use now.
    @discardableResult
    public func refresh() async -> EntitlementView {
        await start()
        guard let caller = session?.caller else { return EntitlementView(basis: .unknown) }
        do throws(DeskFailure) {
            let answer = try await ask(as: caller) { [desk] caller async throws(DeskFailure) in
                try await desk.customer(caller)
            }
            await remember(answer.value, at: answer.serverTime, for: caller.customerID)
        } catch {
            await remember(error, for: caller.customerID, isAboutCustomer: true)
        }
        return await entitlements()
    }

    /// What the customer may use, as the server said it last: without asking, and also offline.
    ///
    /// Judged by the server's time, which goes on with the device's running time; the device's clock
    /// can be wrong. `refresh()` asks the server.
    public func entitlements() async -> EntitlementView {
        await start()
        guard session != nil, let memory else { return EntitlementView(basis: .unknown) }
        let now = serverNow
        let rules = OfflineRules(
            age: configuration.offlineAgeSeconds * 1_000,
            grace: configuration.offlineGraceSeconds * 1_000)
        let view = memory.view(at: now, rules: rules, basis: isMemoryFresh ? .server : .remembered)
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
        guard let product = try? await products([productID]).first,
            let terms = product.subscription, terms.introductoryOffer != nil
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

    /// Keeps what the server said of a customer, when that one is still logged in.
    func remember(
        _ customer: CustomerDocument, at serverTime: Timestamp?, for customerID: String
    ) async {
        guard session?.customerID == customerID else { return }
        let deviceTime = clock.deviceTime()
        let time = TrustedTime(
            serverTime: serverTime ?? serverNow, deviceTime: deviceTime, uptime: clock.uptime())
        var customer = customer
        // The name under which it is kept is the one that it was asked for by.
        customer.customerID = customerID
        let isNews = memory?.customer != customer
        let memory = CustomerMemory(customer: customer, time: time)
        self.memory = memory
        isMemoryFresh = true
        if isNews { tell(.customerChanged, Subject(isQuiet: true)) }
        await shelf.keep(memory)
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
        await shelf.keep(memory)
    }
}
