import AppStoreModel
import Foundation
import StoreKit

/// StoreKit 1: the queue and its one observer, from the start of the launch to its end.
actor OriginalStoreFront: StoreFront {
    /// A payment that a call of `pay` follows.
    private struct Waiter {
        let productID: ProductID
        /// What stood in the queue before, which this payment cannot have brought.
        let known: Set<StoreHandle>
        let continuation: CheckedContinuation<PaymentResult, Never>
    }

    nonisolated let repeatsUnfinished = true

    private let queue = SKPaymentQueue.default()
    private var ear: QueueEar?
    private var signals: AsyncStream<StoreSignal>.Continuation?
    private var held: [StoreHandle: SKPaymentTransaction] = [:]
    private var waiters: [OrderID: Waiter] = [:]
    private var order: [OrderID] = []
    private var removals: [StoreHandle: [CheckedContinuation<Void, Never>]] = [:]
    private var products: [ProductID: SKProduct] = [:]
    private var requests: [SKRequest] = []
    private var restoring: CheckedContinuation<Result<[StoreTransaction], StoreFault>, Never>?
    private var restored: [StoreTransaction] = []

    /// Milliseconds after which a finished transaction that does not leave the queue is let be.
    private static let removalPatience: UInt64 = 5_000

    func open() -> AsyncStream<StoreSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
        signals = continuation
        let (news, passOn) = AsyncStream.makeStream(of: QueueNews.self)
        Task { [weak self] in
            for await item in news { await self?.take(item) }
        }
        let ear = QueueEar { passOn.yield($0) }
        self.ear = ear
        queue.add(ear)
        return stream
    }

    func canPay() -> Bool { SKPaymentQueue.canMakePayments() }

    func products(_ ids: Set<ProductID>) async throws(StoreFault) -> [TillProduct] {
        let request = SKProductsRequest(
            productIdentifiers: Set(ids.map(\.rawValue)))
        let found = try await answer(request) { request.delegate = $0 }
        for product in found { products[ProductID(product.productIdentifier)] = product }
        return found.map { TillProduct($0) }
    }

    func refreshReceipt() async throws(StoreFault) {
        let request = SKReceiptRefreshRequest(receiptProperties: nil)
        _ = try await answer(request) { request.delegate = $0 }
    }

    func receipt() -> Data? { AppReceiptFile.bytes() }

    func introductoryOfferEligibility(_ id: ProductID) -> Bool? { nil }

    func holdings(of id: ProductID) -> [StoreTransaction]? { nil }

    func ownTransactionID() -> TransactionID? { nil }

    func pay(_ payment: StorePayment) async -> PaymentResult {
        if products[payment.productID] == nil {
            do throws(StoreFault) {
                _ = try await products([payment.productID])
            } catch {
                return .failed(error, nil)
            }
        }
        guard let product = products[payment.productID] else {
            return .failed(StoreFault(.productNotAvailable), nil)
        }
        let discount: SKPaymentDiscount?
        switch payment.offer {
        case nil: discount = nil
        case .signed(let offer):
            discount = SKPaymentDiscount(offer)
            guard discount != nil else {
                return .failed(StoreFault(.offerNotAvailable, detail: "unreadable"), nil)
            }
        case .winBack, .introductory:
            // Paying the regular price instead is not what the person agreed to.
            return .failed(StoreFault(.offerNotAvailable, detail: "StoreKit 1 has none"), nil)
        }
        let known = Set(queue.transactions.map { StoreTransaction.handle(of: $0) })
        return await withCheckedContinuation { continuation in
            waiters[payment.orderID] = Waiter(
                productID: payment.productID, known: known, continuation: continuation)
            order.append(payment.orderID)
            let request = SKMutablePayment(product: product)
            request.quantity = payment.quantity
            request.applicationUsername = payment.orderID.description
            request.paymentDiscount = discount
            queue.add(request)
        }
    }

    func unfinished() -> [StoreTransaction] {
        queue.transactions.map { hold($0) }.sorted {
            ($0.date ?? Timestamp(seconds: 0)) < ($1.date ?? Timestamp(seconds: 0))
        }
    }

    /// Returns when the transaction has left the queue, so that the next payment for the product is
    /// a new one.
    func finish(_ handle: StoreHandle) async {
        let transaction =
            held[handle]
            ?? queue.transactions.first { StoreTransaction.handle(of: $0) == handle }
        guard let transaction, transaction.transactionState != .purchasing,
            queue.transactions.contains(where: { $0 === transaction })
        else {
            held[handle] = nil
            return
        }
        await withCheckedContinuation { continuation in
            removals[handle, default: []].append(continuation)
            queue.finishTransaction(transaction)
            Task { [weak self] in
                try? await Task.sleep(nanoseconds: Self.removalPatience * 1_000_000)
                await self?.removed(handle)
            }
        }
    }

    func restore() async throws(StoreFault) -> [StoreTransaction] {
        guard restoring == nil else { throw StoreFault(.other, detail: "a restore is running") }
        restored = []
        let result = await withCheckedContinuation { continuation in
            restoring = continuation
            queue.restoreCompletedTransactions()
        }
        return try result.get()
    }

    private func answer(
        _ request: SKRequest, _ attach: (RequestEar) -> Void
    ) async throws(StoreFault) -> [SKProduct] {
        requests.append(request)
        defer { requests.removeAll { $0 === request } }
        var ear: RequestEar?
        let result = await withCheckedContinuation { continuation in
            let listener = RequestEar(continuation)
            ear = listener
            attach(listener)
            request.start()
        }
        // The request does not retain its delegate.
        withExtendedLifetime(ear) {}
        return try result.get()
    }

    private func take(_ news: QueueNews) {
        switch news {
        case .updated(let transactions):
            for transaction in transactions { take(hold(transaction)) }
        case .removed(let transactions):
            for transaction in transactions {
                removed(StoreTransaction.handle(of: transaction))
            }
        case .restoreEnded: endRestore(.success(restored))
        case .restoreFailed(let fault): endRestore(.failure(fault))
        case .revoked(let products):
            signals?.yield(.revoked(products.map { ProductID($0) }))
        case .promoted(let productID, let quantity):
            signals?.yield(
                .promoted(
                    PromotedPurchase(productID: ProductID(productID), quantity: quantity)))
        }
    }

    private func take(_ transaction: StoreTransaction) {
        guard transaction.state != .purchasing else { return }
        if let id = waiter(for: transaction), let waiter = waiters.removeValue(forKey: id) {
            order.removeAll { $0 == id }
            waiter.continuation.resume(returning: result(of: transaction))
        } else if transaction.state == .restored, restoring != nil {
            restored.append(transaction)
        } else {
            signals?.yield(.transaction(transaction))
        }
    }

    /// The payment that a transaction answers: by its order, or, when StoreKit forgot that on the
    /// way, the oldest one for the product that this can be the answer to.
    private func waiter(for transaction: StoreTransaction) -> OrderID? {
        if let token = transaction.token {
            return OrderID(token).flatMap { waiters[$0] == nil ? nil : $0 }
        }
        return order.first { id in
            guard let waiter = waiters[id], waiter.productID == transaction.productID else {
                return false
            }
            return transaction.state != .restored && !waiter.known.contains(transaction.handle)
        }
    }

    private func result(of transaction: StoreTransaction) -> PaymentResult {
        switch transaction.state {
        case .purchased, .restored: return .paid(transaction)
        case .purchasing, .deferred: return .pending
        case .failed(let fault):
            return fault.code == .cancelled
                ? .cancelled(transaction.handle) : .failed(fault, transaction.handle)
        }
    }

    private func hold(_ transaction: SKPaymentTransaction) -> StoreTransaction {
        let told = StoreTransaction(transaction)
        held[told.handle] = transaction
        return told
    }

    private func removed(_ handle: StoreHandle) {
        held[handle] = nil
        for continuation in removals.removeValue(forKey: handle) ?? [] { continuation.resume() }
    }

    private func endRestore(_ result: Result<[StoreTransaction], StoreFault>) {
        restoring?.resume(returning: result)
        restoring = nil
        restored = []
    }
}

extension SKPaymentDiscount {
    /// What the server signed.
    convenience init?(_ offer: SignedOffer) {
        guard let nonce = UUID(uuidString: offer.nonce), let signature = offer.signature
        else { return nil }
        self.init(
            identifier: offer.offerID, keyIdentifier: offer.keyID, nonce: nonce,
            signature: signature,
            timestamp: NSNumber(value: offer.timestampMilliseconds))
    }
}
