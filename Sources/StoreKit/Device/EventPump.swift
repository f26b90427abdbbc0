import AppStoreModel
import Foundation
import StoreWire

// What the store tells on its own, from the launch to its end.
extension StoreSession {
    /// How long the store may keep a question for events open, in seconds.
    private static let waitSeconds = 20
    /// How long to wait for a store that is away, in milliseconds: at first, and at the most.
    private static let pauses = (first: 200, longest: 5_000)

    func pumpEvents() async {
        var cursor: Int64?
        var pause = Self.pauses.first
        while !Task.isCancelled, !hasEnded {
            do throws(StoreFault) {
                let launched = try await launched()
                await payments.synchronise(self, launched)
                let page = try await launched.client.call(
                    .events, EventPage.self,
                    query: [
                        ("after", String(cursor ?? standing?.cursor ?? 0)),
                        ("wait", String(Self.waitSeconds)),
                    ], milliseconds: (Self.waitSeconds + 10) * 1_000)
                pause = Self.pauses.first
                guard !page.events.isEmpty else { continue }
                await take(page.events, launched)
                cursor = page.cursor
            } catch {
                // A store that is away is asked again as long as the app runs; so is one that errs.
                try? await Task.sleep(nanoseconds: UInt64(pause) * 1_000_000)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
    }

    private func take(_ events: [DeviceEvent], _ launched: Launched) async {
        let touchesReceipt: Set<DeviceEventKind> = [
            .itemUpdated, .transactionUpdated, .revoked, .accountChanged,
        ]
        if events.contains(where: { touchesReceipt.contains($0.kind) }) {
            await fetchReceipt(launched)
        }
        for event in events where !hasEnded { await take(event, launched) }
    }

    private func take(_ event: DeviceEvent, _ launched: Launched) async {
        switch event.kind {
        case .itemUpdated:
            await answers.pass()
            if let item = event.item {
                payments.take([item])
                if item.state == .purchased, let transaction = item.transaction {
                    announce(transaction, launched)
                }
            }
        case .transactionUpdated:
            if let transaction = event.transaction { announce(transaction, launched) }
        case .revoked:
            if let transaction = event.transaction { announce(transaction, launched) }
            payments.tellRevoked((event.productIDs ?? []).map(\.rawValue))
        case .statusChanged:
            if let status = event.status.flatMap({ launched.trust.status($0) }) {
                subscriptions.send(status)
            }
        case .storefrontChanged:
            _ = try? await refreshStanding()
            NotificationCenter.default.post(name: .SKStorefrontCountryCodeDidChange, object: nil)
            NotificationCenter.default.post(name: .SKStorefrontIdentifierDidChange, object: nil)
            if let storefront = event.storefront { storefronts.send(Storefront(storefront)) }
            payments.tellStorefrontChanged()
        case .accountChanged:
            _ = try? await refreshStanding()
        case .purchaseIntent:
            if let intent = event.intent { await offer(intent, launched) }
        case .message:
            if let message = event.message { await show(message, launched) }
        default: break
        }
    }

    private func announce(_ signed: SignedTransaction, _ launched: Launched) {
        guard let result = launched.trust.transaction(signed.signedTransactionInfo) else { return }
        let transaction = result.unsafePayloadValue
        let isKnown = broughtByList.withLock { list in
            list.first { $0.isSameNews(as: transaction) }.map { list.remove($0) } != nil
        }
        if !isKnown { transactions.send(result) }
    }

    /// Hands a purchase that began in the App Store to whichever StoreKit the app uses for them.
    func offer(_ item: PurchaseIntentItem, _ launched: Launched) async {
        guard !handedOver.value.contains(item.intentID) else { return }
        guard let product = try? await wireProducts([item.productID.rawValue]).products.first else {
            return
        }
        // An event and a list may bring the same purchase at the same time.
        guard intents.hasListeners || payments.hasObservers,
            handedOver.withLock({ $0.insert(item.intentID).inserted })
        else { return }
        if intents.hasListeners {
            intents.send(PurchaseIntent(item, product: Product(product, locale: localeIdentifier)))
        } else {
            payments.offer(item, product: SKProduct(product, locale: localeIdentifier), self)
        }
        try? await launched.client.call(.dropIntent, parameters: ["intent": item.intentID])
    }

    /// Hands the purchases that waited for somebody to ask.
    func offerWaitingIntents() async {
        guard let launched = try? await launched(),
            let waiting = try? await launched.client.call(.intents, PurchaseIntentsResponse.self)
        else { return }
        for intent in waiting.intents { await offer(intent, launched) }
    }

    private func show(_ message: StoreMessage, _ launched: Launched) async {
        if messages.hasListeners {
            guard handedOver.withLock({ $0.insert(message.messageID).inserted }) else { return }
            messages.send(Message(message))
        } else {
            // Without such a loop the system shows the sheet itself, as soon as the queue's delegate lets it.
            guard message.reason == .priceIncreaseConsent, payments.hasObservers,
                await payments.shouldShowPriceConsent()
            else { return }
            try? await display(Message(message))
        }
        try? await launched.client.call(.showMessage, parameters: ["message": message.messageID])
    }

    /// Shows the sheets about prices that the queue's delegate put off.
    func showPutOffPriceConsents() async {
        guard let launched = try? await launched(),
            let waiting = try? await launched.client.call(.messages, StoreMessagesResponse.self)
        else { return }
        for message in waiting.messages where message.reason == .priceIncreaseConsent {
            try? await display(Message(message))
            try? await launched.client.call(
                .showMessage, parameters: ["message": message.messageID])
        }
    }

    /// Hands the messages that waited for somebody to ask.
    func showWaitingMessages() async {
        guard let launched = try? await launched(),
            let waiting = try? await launched.client.call(.messages, StoreMessagesResponse.self)
        else { return }
        for message in waiting.messages { await show(message, launched) }
    }

    /// Tells the store that something is finished; false when it has to be told again.
    private func send(_ key: FinishKey) async -> Bool {
        let request =
            switch key {
            case .item(let itemID): FinishRequest(itemIDs: [itemID])
            case .transaction(let number): FinishRequest(transactionIDs: [.init(String(number))])
            }
        do throws(StoreFault) {
            let launched = try await launched()
            _ = try await launched.client.call(.finish, request, FinishResponse.self)
            return true
        } catch {
            // What the store does not know cannot be finished.
            return !error.isTransient
        }
    }

    /// Writes down that the app let go of something, before it goes on.
    func note(_ key: FinishKey) {
        finishesOnDisk.withLock { _ in
            guard !hasEnded else { return }
            var finishes = folder.finishes(at: connection.url)
            finishes.note(key)
            folder.write(finishes)
        }
    }

    private func settle(_ key: FinishKey) {
        finishesOnDisk.withLock { _ in
            // A launch that is over leaves the file to the one that came after it.
            guard !hasEnded else { return }
            var finishes = folder.finishes(at: connection.url)
            finishes.forget(key)
            folder.write(finishes)
        }
    }

    /// Tells the store what earlier launches let go of, before it is asked for anything.
    func finishWhatWaits(_ client: DeviceClient) async {
        let waiting = folder.finishes(at: connection.url)
        guard !waiting.isEmpty else { return }
        do throws(StoreFault) {
            _ = try await client.call(
                .finish,
                FinishRequest(
                    itemIDs: waiting.itemIDs,
                    transactionIDs: waiting.transactionIDs.map { .init($0) }),
                FinishResponse.self)
        } catch {
            guard !error.isTransient else { return }
        }
        finishesOnDisk.withLock { _ in
            guard !hasEnded else { return }
            var left = folder.finishes(at: connection.url)
            left.itemIDs.removeAll { waiting.itemIDs.contains($0) }
            left.transactionIDs.removeAll { waiting.transactionIDs.contains($0) }
            folder.write(left)
        }
    }

    /// Finishes at the store: now, as soon as it can be reached again, or at the next launch.
    func finish(_ key: FinishKey) async {
        note(key)
        guard await !send(key) else { return settle(key) }
        Task {
            var pause = Self.pauses.first
            while !self.hasEnded {
                try? await Task.sleep(nanoseconds: UInt64(pause) * 1_000_000)
                if await self.send(key) { return self.settle(key) }
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
    }
}
