import Foundation
import StoreWire

/// The queue of one launch: observers and the payments that are not finished.
///
/// Everything that an observer sees changes on the main queue, right before the observer is told, so that
/// the state `purchasing` is still `purchasing` when the observer looks.
final class PaymentBook: @unchecked Sendable {
    private struct Entry {
        let transaction: SKPaymentTransaction
        var itemID: String?
        var seen: QueueItem?
    }

    private struct Listener {
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private struct State {
        var isOver = false
        var listeners: [Listener] = []
        weak var delegate: (any SKPaymentQueueDelegate)?
        var entries: [Entry] = []
        /// Told to nobody yet, for want of an observer.
        var untold: [SKPaymentTransaction] = []
        /// As they were when the app let go of them: an older answer of the store may still be on its way.
        var finished: [String: QueueItem] = [:]
        /// StoreKit 2's own purchases, which observers do not hear of while they are made.
        var hidden: Set<String> = []
        var isSynchronised = false
        var isRestoring = false
        var lastPayment: Task<Void, Never>?
    }

    // Guarded by `lock`; that is the proof for `@unchecked`. A `Mutex` would not take what is not
    // `Sendable`: observers and payments belong to the app.
    private var state = State()
    private let lock = NSLock()

    private func locked<Value>(_ body: (inout State) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    // MARK: Observers

    var observers: [any SKPaymentTransactionObserver] {
        locked { state in
            state.listeners.removeAll { $0.observer == nil }
            return state.listeners.compactMap(\.observer)
        }
    }

    var hasObservers: Bool { !observers.isEmpty }

    var delegate: (any SKPaymentQueueDelegate)? {
        get { locked { $0.delegate } }
        set { locked { $0.delegate = newValue } }
    }

    var transactions: [SKPaymentTransaction] { locked { $0.entries.map(\.transaction) } }

    func add(_ observer: any SKPaymentTransactionObserver, _ session: StoreSession) {
        let untold = locked { state -> [SKPaymentTransaction] in
            state.listeners.removeAll { $0.observer == nil }
            guard !state.isOver, !state.listeners.contains(where: { $0.observer === observer })
            else { return [] }
            state.listeners.append(Listener(observer: observer))
            defer { state.untold = [] }
            return state.untold
        }
        tell(untold)
        session.wake()
        Task {
            if let launched = try? await session.launched() {
                await synchronise(session, launched)
            }
            await session.offerWaitingIntents()
        }
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        locked { $0.listeners.removeAll { $0.observer == nil || $0.observer === observer } }
    }

    /// Ends the launch: nobody is told any more.
    func forget() {
        locked { state in
            state = State()
            state.isOver = true
        }
    }

    // MARK: Payments

    func add(_ payment: SKPayment, _ session: StoreSession) {
        let agreed = payment.snapshot()
        let transaction = SKPaymentTransaction(payment: agreed, progress: .init())
        let request = PurchaseRequest(agreed)
        session.wake()
        locked { state in
            guard !state.isOver else { return }
            state.entries.append(Entry(transaction: transaction))
            // One payment after the other, as Apple's queue does.
            let former = state.lastPayment
            state.lastPayment = Task {
                await former?.value
                await self.pay(request, for: transaction, session)
            }
        }
        tell([transaction])
    }

    private func pay(
        _ request: PurchaseRequest, for transaction: SKPaymentTransaction, _ session: StoreSession
    ) async {
        await session.answers.hold {
            do throws(StoreFault) {
                let answer = try await session.buy(
                    try await session.payment(request) { storefront in
                        await self.goesOn(transaction, in: storefront)
                    })
                if answer.outcome == .purchased, let launched = try? await session.launched() {
                    await session.fetchReceipt(launched)
                }
                self.locked { state in
                    guard
                        let place = state.entries.firstIndex(where: {
                            $0.transaction === transaction
                        })
                    else { return }
                    state.entries[place].itemID = answer.item.itemID
                }
                self.take([answer.item])
            } catch {
                let failure = SKErrorBox(error.original)
                self.tell([transaction]) {
                    transaction.update { progress in
                        progress.state = .failed
                        progress.error = failure
                    }
                }
            }
        }
    }

    /// A purchase of StoreKit 2 is no business of the observers.
    func keepFromObservers(_ itemID: String) { locked { _ = $0.hidden.insert(itemID) } }

    /// A purchase of StoreKit 2 that waits may end through the queue after all.
    func release(_ itemID: String) { locked { _ = $0.hidden.remove(itemID) } }

    /// Takes what the store says of payments and tells the observers what is new.
    func take(_ items: [QueueItem]) {
        var changes: [(SKPaymentTransaction, QueueItem)] = []
        locked { state in
            guard !state.isOver else { return }
            for item in items where !state.hidden.contains(item.itemID) {
                if state.finished[item.itemID]?.isSameNews(as: item) == true { continue }
                if let place = state.entries.firstIndex(where: { $0.itemID == item.itemID }) {
                    guard state.entries[place].seen?.isSameNews(as: item) != true else { continue }
                    state.entries[place].seen = item
                    changes.append((state.entries[place].transaction, item))
                } else {
                    let transaction = SKPaymentTransaction(item)
                    state.entries.append(
                        Entry(transaction: transaction, itemID: item.itemID, seen: item))
                    changes.append((transaction, item))
                }
            }
        }
        guard !changes.isEmpty else { return }
        let news = UncheckedBox(changes)
        tell(changes.map(\.0)) {
            for (transaction, item) in news.value {
                transaction.update { $0 = SKPaymentTransaction.Progress(item) }
            }
        }
    }

    /// Asks for the payments of earlier launches, once and when somebody listens.
    func synchronise(_ session: StoreSession, _ launched: StoreSession.Launched) async {
        let isDue = locked { state in
            guard !state.isOver, !state.isSynchronised,
                state.listeners.contains(where: { $0.observer != nil })
            else { return false }
            state.isSynchronised = true
            return true
        }
        guard isDue else { return }
        do throws(StoreFault) {
            let queue = try await launched.client.call(.queue, QueueResponse.self)
            await session.answers.pass()
            take(queue.items)
        } catch {
            locked { $0.isSynchronised = false }
        }
    }

    // MARK: Finishing

    func finish(_ transaction: SKPaymentTransaction, _ session: StoreSession) {
        guard let entry = drop(where: { $0.transaction === transaction }) else { return }
        let isWaiting = transaction.transactionState == .deferred
        let box = UncheckedBox(transaction)
        if let itemID = entry.itemID, !isWaiting { session.note(.item(itemID)) }
        session.finishes.enter()
        Task {
            // Apple's store still knows what waits for approval when the app lets go of it.
            if let itemID = entry.itemID, !isWaiting { await session.finish(.item(itemID)) }
            session.finishes.leave()
            self.tellRemoved([box.value])
        }
    }

    /// StoreKit 2 finished it.
    func drop(transactionID: String) {
        let entry = drop { $0.transaction.transactionIdentifier == transactionID }
        if let entry { tellRemoved([entry.transaction]) }
    }

    private func drop(where matches: (Entry) -> Bool) -> Entry? {
        locked { state in
            guard let place = state.entries.firstIndex(where: matches) else { return nil }
            let entry = state.entries.remove(at: place)
            if let seen = entry.seen { state.finished[seen.itemID] = seen }
            state.untold.removeAll { $0 === entry.transaction }
            return entry
        }
    }

    // MARK: Restoring

    func restore(username: String?, _ session: StoreSession) {
        let starts = locked { state in
            guard !state.isOver, !state.isRestoring else { return false }
            state.isRestoring = true
            return true
        }
        guard starts else { return }
        session.wake()
        Task {
            await session.finishes.pass()
            let failure: SKErrorBox? = await session.answers.hold {
                do throws(StoreFault) {
                    let launched = try await session.launched()
                    let request = RestoreRequest(
                        applicationUsername: username, userCancels: await !session.signsIn())
                    let answer = try await launched.client.call(
                        .restore, request, RestoreResponse.self)
                    if let failure = answer.failure { throw .failed(failure) }
                    await session.fetchReceipt(launched)
                    self.take(answer.items)
                    return nil
                } catch {
                    return SKErrorBox(error.original)
                }
            }
            self.locked { $0.isRestoring = false }
            self.each { observer, queue in
                if let failure {
                    observer.paymentQueue(
                        queue, restoreCompletedTransactionsFailedWithError: failure.error)
                } else {
                    observer.paymentQueueRestoreCompletedTransactionsFinished(queue)
                }
            }
        }
    }

    // MARK: Telling

    private func tell(
        _ transactions: [SKPaymentTransaction], after change: @escaping @Sendable () -> Void = {}
    ) {
        guard !transactions.isEmpty else { return }
        let box = UncheckedBox(transactions)
        DispatchQueue.main.async {
            change()
            let observers = self.observers
            if observers.isEmpty {
                self.locked { state in
                    guard !state.isOver else { return }
                    for transaction in box.value
                    where !state.untold.contains(where: { $0 === transaction }) {
                        state.untold.append(transaction)
                    }
                }
            }
            for observer in observers {
                observer.paymentQueue(SKPaymentQueue.shared, updatedTransactions: box.value)
            }
        }
    }

    private func tellRemoved(_ transactions: [SKPaymentTransaction]) {
        let box = UncheckedBox(transactions)
        each { observer, queue in
            observer.paymentQueue(queue, removedTransactions: box.value)
        }
    }

    func tellRevoked(_ productIdentifiers: [String]) {
        guard !productIdentifiers.isEmpty else { return }
        each { observer, queue in
            observer.paymentQueue(
                queue, didRevokeEntitlementsForProductIdentifiers: productIdentifiers)
        }
    }

    func tellStorefrontChanged() {
        each { observer, queue in observer.paymentQueueDidChangeStorefront(queue) }
    }

    /// Asks the observers whether to go on with a purchase that began in the App Store.
    func offer(_ intent: PurchaseIntentItem, product: SKProduct, _ session: StoreSession) {
        each { observer, queue in
            let payment = SKPayment(product: product)
            guard observer.paymentQueue(queue, shouldAddStorePayment: payment, for: product) else {
                return
            }
            self.add(payment, session)
        }
    }

    /// Asks the delegate whether a payment goes on in another storefront.
    ///
    /// Apple takes no answer within about a second for a no.
    private func goesOn(
        _ transaction: SKPaymentTransaction, in storefront: WireStorefront
    ) async -> Bool {
        guard delegate != nil else { return true }
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        let box = UncheckedBox(transaction)
        DispatchQueue.main.async {
            continuation.yield(
                self.delegate?.paymentQueue(
                    SKPaymentQueue.shared, shouldContinue: box.value,
                    in: SKStorefront(
                        countryCode: storefront.countryCode, identifier: storefront.id)) ?? true)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) {
            continuation.yield(false)
        }
        return await answers.first { _ in true } ?? false
    }

    /// Asks the delegate, on the main queue, whether the sheet about a price may be shown now.
    func shouldShowPriceConsent() async -> Bool {
        guard delegate != nil else { return true }
        return await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                continuation.resume(
                    returning: self.delegate?.paymentQueueShouldShowPriceConsent(
                        SKPaymentQueue.shared) ?? true)
            }
        }
    }

    private func each(
        _ call: @escaping @Sendable (any SKPaymentTransactionObserver, SKPaymentQueue) -> Void
    ) {
        DispatchQueue.main.async {
            for observer in self.observers { call(observer, SKPaymentQueue.shared) }
        }
    }
}

/// Carries the app's objects to the main queue, where alone they are used.
struct UncheckedBox<Value>: @unchecked Sendable {
    // Written once before it is shared.
    let value: Value

    init(_ value: Value) { self.value = value }
}
