import AppStoreModel
import Foundation
import StoreKit

/// StoreKit 2: its streams, from the start of the launch to its end.
@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
actor ModernStoreFront: StoreFront {
    nonisolated let repeatsUnfinished = false

    private var held: [StoreHandle: StoreKit.Transaction] = [:]
    private var listed: [ProductID: Product] = [:]
    private var promotionEar: PromotionEar?

    func open() -> AsyncStream<StoreSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
        Task { [weak self] in
            for await result in StoreKit.Transaction.updates {
                guard let self else { return }
                continuation.yield(.transaction(await self.hold(result)))
            }
        }
        listenForPromotions(continuation)
        return stream
    }

    private func listenForPromotions(_ signals: AsyncStream<StoreSignal>.Continuation) {
        #if !os(tvOS) && !os(watchOS) && !os(visionOS)
            if #available(iOS 16.4, macOS 14.4, *) {
                Task {
                    for await intent in PurchaseIntent.intents {
                        signals.yield(.promoted(PromotedPurchase(intent)))
                    }
                }
                return
            }
            let ear = PromotionEar { signals.yield(.promoted($0)) }
            promotionEar = ear
            SKPaymentQueue.default().add(ear)
        #endif
    }

    func canPay() -> Bool { AppStore.canMakePayments }

    func products(_ ids: Set<ProductID>) async throws(StoreFault) -> [TillProduct] {
        do {
            let found = try await Product.products(for: ids.map(\.rawValue))
            for product in found { listed[ProductID(product.id)] = product }
            return found.map { TillProduct($0) }
        } catch {
            throw StoreFault(modern: error)
        }
    }

    func pay(_ payment: StorePayment) async -> PaymentResult {
        if listed[payment.productID] == nil {
            do throws(StoreFault) {
                _ = try await products([payment.productID])
            } catch {
                return .failed(error, nil)
            }
        }
        guard let product = listed[payment.productID] else {
            return .failed(StoreFault(.productNotAvailable), nil)
        }
        var options: Set<Product.PurchaseOption> = [.appAccountToken(payment.orderID.uuid)]
        if payment.quantity > 1 { options.insert(.quantity(payment.quantity)) }
        if let offer = payment.offer {
            guard let more = Self.options(offer, of: product) else {
                return .failed(StoreFault(.offerNotAvailable, detail: "\(offer)"), nil)
            }
            options.formUnion(more)
        }
        do {
            switch try await product.purchase(options: options) {
            case .success(let result): return .paid(hold(result))
            case .userCancelled: return .cancelled(nil)
            case .pending: return .pending
            @unknown default: return .pending
            }
        } catch {
            let fault = StoreFault(modern: error)
            return fault.code == .cancelled ? .cancelled(nil) : .failed(fault, nil)
        }
    }

    private static func options(
        _ offer: StoreOffer, of product: Product
    ) -> [Product.PurchaseOption]? {
        switch offer {
        case .signed(let signed): options(signed)
        case .introductory(let token): OfferOptions.introductory(token: token).map { [$0] }
        case .winBack(let id):
            if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, *) {
                product.subscription?.winBackOffers.first { $0.id == id }
                    .map { [.winBackOffer($0)] }
            } else {
                nil
            }
        }
    }

    /// The newer form where server and StoreKit know it, else the older one.
    private static func options(_ offer: SignedOffer) -> [Product.PurchaseOption]? {
        if let token = offer.compactJWS,
            let options = OfferOptions.promotional(offer.offerID, token: token)
        {
            return options
        }
        guard let nonce = UUID(uuidString: offer.nonce),
            let signature = offer.signature.flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        return [
            .promotionalOffer(
                offerID: offer.offerID, keyID: offer.keyID, nonce: nonce, signature: signature,
                timestamp: Int(offer.timestampMilliseconds))
        ]
    }

    func unfinished() async -> [StoreTransaction] {
        var found: [StoreTransaction] = []
        for await result in StoreKit.Transaction.unfinished { found.append(hold(result)) }
        return found.sorted {
            ($0.date ?? Timestamp(seconds: 0)) < ($1.date ?? Timestamp(seconds: 0))
        }
    }

    func finish(_ handle: StoreHandle) async {
        guard let transaction = held.removeValue(forKey: handle) else { return }
        await transaction.finish()
    }

    /// Everything of the history that is no consumable: those come back by no restore.
    func restore() async throws(StoreFault) -> [StoreTransaction] {
        do {
            try await AppStore.sync()
        } catch {
            throw StoreFault(modern: error)
        }
        var found: [StoreTransaction] = []
        for await result in StoreKit.Transaction.all
        where result.unsafePayloadValue.productType != .consumable {
            found.append(hold(result))
        }
        return found
    }

    func receipt() -> Data? { AppReceiptFile.bytes() }

    func refreshReceipt() async throws(StoreFault) {
        do {
            try await AppStore.sync()
        } catch {
            throw StoreFault(modern: error)
        }
    }

    func introductoryOfferEligibility(_ id: ProductID) async -> Bool? {
        if listed[id] == nil { _ = try? await products([id]) }
        return await listed[id]?.subscription?.isEligibleForIntroOffer
    }

    /// A subscription that is not over, in grace and in billing retry too: to buy another of its group
    /// would go on with it.
    func holdings(of id: ProductID) async -> [StoreTransaction]? {
        if listed[id] == nil { _ = try? await products([id]) }
        guard let product = listed[id] else { return [] }
        guard let subscription = product.subscription else {
            guard product.type == .nonConsumable,
                let latest = await StoreKit.Transaction.latest(for: product.id)
            else { return [] }
            return Self.ofPayer([latest])
        }
        let running = ((try? await subscription.status) ?? []).filter {
            [.subscribed, .inGracePeriod, .inBillingRetryPeriod].contains($0.state)
        }
        return Self.ofPayer(running.map(\.transaction))
    }

    /// What a family shares is paid by somebody else.
    private static func ofPayer(
        _ results: [VerificationResult<StoreKit.Transaction>]
    ) -> [StoreTransaction] {
        results.filter {
            $0.unsafePayloadValue.ownershipType == .purchased
                && $0.unsafePayloadValue.revocationDate == nil
        }
        .map {
            StoreTransaction($0.unsafePayloadValue, signedForm: $0.jwsRepresentation)
        }
    }

    func ownTransactionID() async -> TransactionID? {
        for await result in StoreKit.Transaction.all {
            return TransactionID("\(result.unsafePayloadValue.id)")
        }
        return await OfferOptions.copyOfTheApp()
    }

    /// Whether it is verified or not is the server's matter: nothing is opened on the device.
    private func hold(
        _ result: VerificationResult<StoreKit.Transaction>
    ) -> StoreTransaction {
        let told = StoreTransaction(
            result.unsafePayloadValue, signedForm: result.jwsRepresentation)
        held[told.handle] = result.unsafePayloadValue
        return told
    }
}
