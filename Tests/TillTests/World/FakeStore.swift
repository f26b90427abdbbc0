import AppStoreModel

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transaction as the fake store signs it and the fake server reads it.
struct FakeProof: Codable, Sendable, Hashable {
    var id: String
    var original: String
    var product: String
    var token: String?
    var revoked = false
    var isForged = false

    var jws: String {
        "jws." + ((try? JSONEncoder().encode(self)) ?? Data()).base64EncodedString()
    }

    static func read(_ jws: String) -> FakeProof? {
        guard jws.hasPrefix("jws."), let bytes = Data(base64Encoded: String(jws.dropFirst(4)))
        else { return nil }
        return try? JSONDecoder().decode(FakeProof.self, from: bytes)
    }
}

/// An App Store of one account, which outlives the launches of the app.
actor FakeStore {
    /// How the next payment ends.
    enum Script: Sendable {
        case succeeds
        case cancels
        case fails(StoreFault)
        case waitsForApproval
        /// Fails now; completed by `completeInterrupted`.
        case isInterrupted(StoreFault.Code)
        /// Paid, but the app is told only through the queue: the sheet's answer gets lost.
        case tellsTwice
    }

    enum Flavor: Sendable, CaseIterable { case original, modern }

    let flavor: Flavor
    var scripts: [Script] = []
    private(set) var queue: [StoreTransaction] = []
    private(set) var proofs: [String: FakeProof] = [:]
    private(set) var payments: [StorePayment] = []
    private(set) var finished: [StoreHandle] = []
    private(set) var receiptRefreshes = 0
    private(set) var restores = 0
    /// Paid transactions in the order of payment.
    private(set) var paid: [TransactionID] = []
    var mayPay = true
    var isReceiptMissing = false
    var isReceiptBroken = false
    /// Whether the store answers at all.
    var isReachable = true
    var restoreFault: StoreFault?
    var eligibility: Bool?
    private var waiting: [StorePayment] = []
    private var interrupted: [StorePayment] = []
    private var restorable: [StoreTransaction] = []
    private var nextID = 1
    private var listeners: [AsyncStream<StoreSignal>.Continuation] = []

    init(_ flavor: Flavor) { self.flavor = flavor }

    static let catalog: [ProductID: ProductType] = [
        "coins600": .consumable, "coins100": .consumable, "forever": .nonConsumable,
        "monthly": .autoRenewable, "yearly": .autoRenewable,
    ]

    func change(_ change: @Sendable (isolated FakeStore) -> Void) { change(self) }

    func plan(_ scripts: Script...) { self.scripts += scripts }

    // What a device's StoreKit does

    func listen() -> AsyncStream<StoreSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
        listeners.append(continuation)
        return stream
    }

    /// The launch is over: StoreKit 1 forgets `applicationUsername`.
    func relaunch(forgetsTokens: Bool) {
        listeners = []
        guard forgetsTokens else { return }
        for place in queue.indices { queue[place].token = nil }
    }

    func pay(_ payment: StorePayment) -> PaymentResult {
        payments.append(payment)
        switch scripts.isEmpty ? .succeeds : scripts.removeFirst() {
        case .succeeds:
            return .paid(complete(payment))
        case .tellsTwice:
            let transaction = complete(payment)
            tell(.transaction(transaction))
            return .paid(transaction)
        case .cancels:
            return .cancelled(fail(payment, StoreFault(.cancelled)))
        case .fails(let fault):
            return .failed(fault, fail(payment, fault))
        case .waitsForApproval:
            waiting.append(payment)
            return .pending
        case .isInterrupted(let code):
            interrupted.append(payment)
            let fault = StoreFault(code)
            let handle = fail(payment, fault)
            return code == .cancelled ? .cancelled(handle) : .failed(fault, handle)
        }
    }

    private func fail(_ payment: StorePayment, _ fault: StoreFault) -> StoreHandle? {
        guard flavor == .original else { return nil }
        let handle = StoreHandle(name: "failed \(nextID)")
        nextID += 1
        queue.append(
            StoreTransaction(
                handle: handle, state: .failed(fault), productID: payment.productID,
                token: payment.orderID.token))
        return handle
    }

    private func complete(_ payment: StorePayment, forgetsToken: Bool = false) -> StoreTransaction {
        add(
            payment.productID, token: payment.orderID.token.rawValue,
            shownToken: forgetsToken ? nil : payment.orderID.token, quantity: payment.quantity)
    }

    /// Puts a paid transaction into the queue.
    @discardableResult
    func add(
        _ productID: ProductID, token: String? = nil, shownToken: AppAccountToken? = nil,
        quantity: Int = 1, original: String? = nil, at date: Timestamp? = nil,
        isForged: Bool = false
    ) -> StoreTransaction {
        let id = "\(1_000 + nextID)"
        nextID += 1
        let proof = FakeProof(
            id: id, original: original ?? id, product: productID.rawValue, token: token,
            isForged: isForged)
        proofs[id] = proof
        let transaction = StoreTransaction(
            handle: StoreHandle(name: id), state: .purchased, transactionID: TransactionID(id),
            originalTransactionID: TransactionID(original ?? id), productID: productID,
            quantity: quantity, token: shownToken,
            date: date ?? Timestamp(milliseconds: 1_900_000_001_000 + Int64(nextID)),
            kind: Self.catalog[productID], signedForm: flavor == .modern ? proof.jws : nil)
        queue.append(transaction)
        paid.append(TransactionID(id))
        if Self.catalog[productID] != .consumable { restorable.append(transaction) }
        return transaction
    }

    func approve() {
        for payment in waiting {
            tell(.transaction(complete(payment, forgetsToken: false)))
        }
        waiting = []
    }

    func completeInterrupted() {
        for payment in interrupted {
            tell(.transaction(complete(payment, forgetsToken: false)))
        }
        interrupted = []
    }

    func tell(_ signal: StoreSignal) {
        for listener in listeners { listener.yield(signal) }
    }

    /// Takes a purchase back; the id is one that was seen before.
    func revoke(_ id: TransactionID) {
        guard var transaction = (restorable + queue).first(where: { $0.transactionID == id }) else {
            return
        }
        proofs[id.rawValue]?.revoked = true
        transaction.revocationDate = Timestamp(milliseconds: 1_900_000_900_000)
        transaction.signedForm = flavor == .modern ? proofs[id.rawValue]?.jws : nil
        restorable.removeAll { $0.transactionID == id }
        switch flavor {
        case .original: tell(.revoked([transaction.productID]))
        case .modern: tell(.transaction(transaction))
        }
    }

    func finish(_ handle: StoreHandle) {
        finished.append(handle)
        queue.removeAll { $0.handle == handle }
    }

    /// A purchase as it was told when it was bought.
    func bought(_ id: TransactionID) -> StoreTransaction? {
        restorable.first { $0.transactionID == id }
    }

    func enqueue(_ transaction: StoreTransaction) { queue.append(transaction) }

    /// Each restore tells every purchase under a new id in StoreKit 1.
    func restore() throws(StoreFault) -> [StoreTransaction] {
        restores += 1
        if let restoreFault { throw restoreFault }
        guard flavor == .original else { return restorable }
        let restored = restorable.map { purchase in
            var copy = purchase
            copy.handle = StoreHandle(name: "restored \(nextID)")
            copy.transactionID = TransactionID("\(1_000 + nextID)")
            copy.originalTransactionID = purchase.rootID
            copy.originalDate = purchase.date
            copy.state = .restored
            copy.token = nil
            nextID += 1
            return copy
        }
        queue += restored
        return restored
    }

    /// Everything that the account bought and has not finished as a consumable.
    func receipt() -> Data? {
        if isReceiptMissing { return nil }
        let unfinished = Set(queue.compactMap(\.transactionID?.rawValue))
        let kept = proofs.values.filter {
            Self.catalog[ProductID($0.product)] != .consumable || unfinished.contains($0.id)
        }
        return try? JSONEncoder().encode(kept.sorted { $0.id < $1.id })
    }

    /// Subscriptions that have ended.
    var isOver: Set<ProductID> = []

    /// What StoreKit 2 lists as held; StoreKit 1 has the receipt.
    func holdings(of id: ProductID) -> [StoreTransaction]? {
        guard flavor == .modern else { return nil }
        let isSubscription = Self.catalog[id] == .autoRenewable
        return restorable.filter {
            guard !isOver.contains($0.productID) else { return false }
            return $0.productID == id
                || isSubscription && Self.catalog[$0.productID] == .autoRenewable
        }
    }

    var ownTransactionID: TransactionID? { flavor == .modern ? paid.first ?? "copy-1" : nil }

    func refreshReceipt() throws(StoreFault) {
        receiptRefreshes += 1
        if isReceiptBroken { throw StoreFault(.unreachable) }
        isReceiptMissing = false
    }
}
