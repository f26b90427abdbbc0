import AppStoreModel

/// What an event is about.
struct Subject: Sendable {
    var productID: ProductID?
    var orderID: OrderID?
    var transactionID: TransactionID?
    var isQuiet: Bool

    init(
        _ productID: ProductID? = nil, order: OrderID? = nil, transaction: TransactionID? = nil,
        isQuiet: Bool
    ) {
        self.productID = productID
        orderID = order
        transactionID = transaction
        self.isQuiet = isQuiet
    }

    init(_ transaction: StoreTransaction, order: OrderID? = nil, isQuiet: Bool) {
        self.init(
            transaction.productID, order: order, transaction: transaction.transactionID,
            isQuiet: isQuiet)
    }
}

extension Till {
    var language: MessageLanguage {
        configuration.language ?? MessageLanguage.preferred(among: PersonLanguages.inOrder)
    }

    func tell(_ kind: TillEvent.Kind, _ subject: Subject, code: String? = nil) {
        hub.tell(
            TillEvent(
                kind: kind, productID: subject.productID, orderID: subject.orderID?.uuid,
                transactionID: subject.transactionID, isQuiet: subject.isQuiet, language: language,
                code: code))
    }

    /// Tells something that holds for a while, once as long as it does.
    func tellOnce(_ kind: TillEvent.Kind, _ transaction: StoreTransaction) {
        guard told.insert("\(kind.rawValue) \(transaction.newsKey)").inserted else { return }
        tell(kind, Subject(transaction, isQuiet: true))
    }

    /// The server's time as well as it is known; the device's before the server has spoken.
    var serverNow: Timestamp {
        let deviceTime = clock.deviceTime()
        return memory?.time.now(deviceTime: deviceTime, uptime: clock.uptime()) ?? deviceTime
    }
}
