public import AppStoreModel
public import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a call of `buy` wants.
struct Wish: Sendable {
    var productID: ProductID
    var quantity: Int
    var offer: PurchaseOffer?
    var track: [String: TrackValue]
}

extension Till {
    /// Buys: opens the order, notes it down, pays, hands the proof to the server, lets go of exactly
    /// what the server says, and returns what became of it.
    ///
    /// Two calls at once for the same subscription or non-consumable are one purchase with one outcome.
    /// Consumables are bought one after the other, each call once. `track` travels with this purchase
    /// and no other.
    public func buy(
        _ productID: ProductID, quantity: Int = 1, offer: PurchaseOffer? = nil,
        track: [String: TrackValue] = [:]
    ) async -> PurchaseOutcome {
        await start()
        let wish = Wish(productID: productID, quantity: quantity, offer: offer, track: track)
        let outcome = await purchase(wish)
        if case .failed(let failure) = outcome {
            tell(
                failure.eventKind, Subject(productID, isQuiet: false), code: failure.code.rawValue)
        }
        return outcome
    }

    private func purchase(_ wish: Wish) async -> PurchaseOutcome {
        guard (1...APILimits.quantity).contains(wish.quantity) else {
            return .failed(.init(.invalidQuantity, at: .checking, next: .fixTheCause))
        }
        guard let session else {
            return .failed(.init(.loginRequired, at: .checking, next: .logIn))
        }
        guard await front.canPay() else {
            return .failed(.init(.paymentsNotAllowed, at: .checking, next: .fixTheCause))
        }
        let product: TillProduct
        do throws(TillFailure) {
            product = try await self.product(wish.productID)
        } catch {
            return .failed(error)
        }
        guard product.canBeOwnedOnce else { return await inLane(wish, for: session) }
        let join = Join(customerID: session.customerID, productID: wish.productID)
        if let running = joins[join] { return await running.value }
        let task = Task { await self.inLane(wish, for: session) }
        joins[join] = task
        let outcome = await task.value
        joins[join] = nil
        return outcome
    }

    private func product(_ id: ProductID) async throws(TillFailure) -> TillProduct {
        if let product = products[id] { return product }
        tell(.askingStore, Subject(id, isQuiet: false))
        guard let product = try await products([id]).first else {
            throw TillFailure(.productNotFound, at: .askingStore, next: .fixTheCause)
        }
        return product
    }

    /// Payments for one product go one after the other, so that no payment takes another's transaction.
    private func inLane(_ wish: Wish, for session: Session) async -> PurchaseOutcome {
        let lane = lanes[wish.productID] ?? Lane()
        lanes[wish.productID] = lane
        await lane.enter()
        let outcome = await order(wish, for: session)
        await lane.leave()
        return outcome
    }

    private func order(_ wish: Wish, for session: Session) async -> PurchaseOutcome {
        if configuration.asksForOwner, let product = products[wish.productID],
            await owner(of: product, asking: session.caller) == .anotherCustomer
        {
            return .failed(.init(.ownedByAnother, at: .checking, next: .fixTheCause))
        }
        if front.repeatsUnfinished, let outcome = await clearTheWay(wish.productID, for: session) {
            return outcome
        }
        tell(.openingOrder, Subject(wish.productID, isQuiet: false))
        let order: Order
        let offer: StoreOffer?
        do throws(TillFailure) {
            order = try await openOrder(wish, for: session)
            offer = try await prepare(wish.offer, for: order, as: session.caller)
        } catch {
            return .failed(error)
        }
        // What a person sees and pays now has to be for whom it is logged in.
        guard await isStillLoggedIn(session) else {
            return .failed(.init(.customerChanged, at: .openingOrder, next: .tryAgain))
        }
        liveOrders[order.orderID] = answers.next()
        defer { liveOrders[order.orderID] = nil }
        // From here on a payment may exist, so this has to survive whatever happens next.
        do throws(DiskFault) {
            try await journal.note(order)
        } catch {
            return .failed(
                .init(
                    .journalNotWritable, at: .openingOrder, next: .tryAgain, detail: error.detail))
        }
        return await pay(order, offer: offer, for: session)
    }

    private func isStillLoggedIn(_ session: Session) async -> Bool {
        if await isLoggedIn(session.customerID) { return true }
        return merging.contains {
            $0.from.customerID == session.customerID && $0.into == self.session?.customerID
        }
    }

    private func openOrder(_ wish: Wish, for session: Session) async throws(TillFailure) -> Order {
        let request = OrderRequest(
            bundleID: configuration.bundleID, productID: wish.productID, quantity: wish.quantity)
        let key = makeUUID().uuidString.lowercased()
        let subject = Subject(wish.productID, isQuiet: false)
        let answer: DeskAnswer<OrderDocument>
        do throws(DeskFailure) {
            answer = try await attended(subject, as: session.caller) {
                [desk] caller async throws(DeskFailure) in
                try await desk.openOrder(request, key: key, for: caller)
            }
        } catch {
            throw error.failure(at: .openingOrder, isPaid: false)
        }
        return Order(
            orderID: OrderID(answer.value.orderID), customerID: session.customerID,
            productID: wish.productID, quantity: wish.quantity, track: wish.track, state: .paying,
            openedAt: answer.serverTime ?? serverNow)
    }

    /// What the store wants to see of an offer: what the server signed, or its name alone.
    private func prepare(
        _ offer: PurchaseOffer?, for order: Order, as caller: Caller
    ) async throws(TillFailure) -> StoreOffer? {
        switch offer {
        case nil: return nil
        case .winBack(let id): return .winBack(id: id)
        case .promotional(let id):
            let document = try await sign(.promotional, id, for: order, as: caller)
            return .signed(
                SignedOffer(
                    offerID: id, keyID: document.keyID, nonce: document.nonce,
                    timestampMilliseconds: document.timestamp, signature: document.signature,
                    compactJWS: document.compactJWS))
        case .introductory:
            let document = try await sign(.introductoryEligibility, nil, for: order, as: caller)
            // Paying the regular price instead is not what the person agreed to.
            guard document.allowsIntroductoryOffer != false, let token = document.compactJWS else {
                throw TillFailure(
                    .offerNotAvailable, at: .openingOrder, next: .fixTheCause,
                    detail: "the server does not allow it to this customer")
            }
            return .introductory(token: token)
        }
    }

    private func sign(
        _ kind: OfferSignatureKind, _ offerID: String?, for order: Order, as caller: Caller
    ) async throws(TillFailure) -> OfferSignatureDocument {
        let own = await front.ownTransactionID()
        if kind == .introductoryEligibility, own == nil {
            throw TillFailure(
                .offerNotAvailable, at: .openingOrder, next: .fixTheCause,
                detail: "StoreKit takes no word of the server here")
        }
        let request = OfferSignatureRequest(
            bundleID: configuration.bundleID, kind: kind, productID: order.productID,
            offerID: offerID, orderID: order.orderID.uuid, transactionID: own)
        let subject = Subject(order.productID, order: order.orderID, isQuiet: false)
        let document: OfferSignatureDocument
        do throws(DeskFailure) {
            document = try await attended(subject, as: caller) {
                [desk] caller async throws(DeskFailure) in
                try await desk.signature(request, for: caller)
            }.value
        } catch {
            throw error.failure(at: .openingOrder, isPaid: false)
        }
        guard document.signature != nil || document.compactJWS != nil else {
            throw TillFailure(
                .serverTrouble, at: .openingOrder, next: .tryAgain,
                detail: "an answer without the signature that was asked for")
        }
        return document
    }

    private func pay(
        _ order: Order, offer: StoreOffer?, for session: Session
    ) async -> PurchaseOutcome {
        let subject = Subject(order.productID, order: order.orderID, isQuiet: false)
        tell(.paying, subject)
        let payment = StorePayment(
            productID: order.productID, quantity: order.quantity, orderID: order.orderID,
            offer: offer)
        tell(.purchasing, subject)
        switch await front.pay(payment) {
        case .paid(let transaction):
            return await deliver(transaction, paying: order, for: session)
        case .pending:
            await journal.update(order.orderID) { $0.state = .pending }
            tell(.deferred, subject)
            // Nobody waits for the server to hear it.
            Task { await self.reportWaiting(order, of: session.caller) }
            return .pending(.approval)
        case .cancelled(let handle):
            await journal.update(order.orderID) { $0.state = .cancelled }
            if let handle { await front.finish(handle) }
            tell(.cancelled, subject)
            return .cancelled
        case .failed(let fault, let handle):
            await journal.update(order.orderID) { $0.state = .failed }
            if let handle { await front.finish(handle) }
            return .failed(fault.failure(at: .paying))
        }
    }

    private func deliver(
        _ transaction: StoreTransaction, paying order: Order, for session: Session
    ) async -> PurchaseOutcome {
        await journal.update(order.orderID) {
            $0.state = .paid
            $0.transactionID = transaction.transactionID
        }
        let verdict = await attend(transaction, order: order, as: session.caller)
        if verdict.isWorthRepeating { recoverLater(verdict) }
        return outcome(of: verdict, for: transaction)
    }

    /// Delivers what stands unfinished in the queue for this product, since paying again would bring
    /// that back instead of something new.
    private func clearTheWay(
        _ productID: ProductID, for session: Session
    ) async -> PurchaseOutcome? {
        for transaction in await front.unfinished()
        where transaction.productID == productID && transaction.isPaid {
            let journal = await journal.view()
            let verdict: Verdict?
            switch attribution(of: transaction, in: journal) {
            case .order(let order):
                verdict = await attend(transaction, order: order, as: session.caller)
            case .server: verdict = await attend(transaction, order: nil, as: session.caller)
            case .waitsForLogin, .waitsForOwner, .unclaimed: verdict = nil
            }
            if verdict?.mayFinish == true { continue }
            return .failed(
                .init(
                    .unfinishedPurchase, at: .checking,
                    next: verdict == nil ? .deliveredAfterLogin : .deliveredLater))
        }
        return nil
    }
}

extension TillProduct {
    /// Whether two purchases at once can only be one that was tapped twice.
    ///
    /// StoreKit 1 does not say what is no subscription, so that is taken for a consumable.
    var canBeOwnedOnce: Bool {
        subscription != nil || kind == .autoRenewable || kind == .nonConsumable
    }
}

extension TillFailure {
    /// The state that apps show for it.
    var eventKind: TillEvent.Kind {
        switch (stage, code) {
        case (_, .paymentsNotAllowed): .noPermission
        case (_, .loginRequired): .waitingForLogin
        case (_, .ownedByAnother): .ownedByAnother
        case (.checking, _), (.askingStore, _), (.openingOrder, _): .couldNotAdd
        default: .failed
        }
    }
}
