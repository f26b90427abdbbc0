import StoreKit

// Every name of the original API with the type that Apple gives it, as code in the Swift 5 mode uses it. The
// functions are compiled and not run: a name that is missing or has another type breaks the build.

private func queue(_ queue: SKPaymentQueue, _ observer: any SKPaymentTransactionObserver) {
    let shared: SKPaymentQueue = SKPaymentQueue.default()
    let mayPay: Bool = SKPaymentQueue.canMakePayments()
    shared.delegate = nil as (any SKPaymentQueueDelegate)?
    let transactions: [SKPaymentTransaction] = queue.transactions
    let observers: [any SKPaymentTransactionObserver] = queue.transactionObservers
    let storefront: SKStorefront? = queue.storefront
    queue.add(SKPayment(product: SKProduct()))
    queue.add(observer)
    queue.remove(observer)
    queue.restoreCompletedTransactions()
    queue.restoreCompletedTransactions(withApplicationUsername: nil)
    queue.finishTransaction(transactions[0])
    queue.showPriceConsentIfNeeded()
    queue.presentCodeRedemptionSheet()
    let downloads: [SKDownload] = transactions[0].downloads
    queue.start(downloads)
    queue.pause(downloads)
    queue.resume(downloads)
    queue.cancel(downloads)
    let place: (String?, String?) = (storefront?.countryCode, storefront?.identifier)
    use(mayPay, observers, place)
}

/// An observer and a delegate with every method that Apple's have.
final class FullObserver: NSObject, SKPaymentTransactionObserver, SKPaymentQueueDelegate {
    func paymentQueue(
        _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
    ) {}
    func paymentQueue(
        _ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]
    ) {}
    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error
    ) {}
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {}
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool { true }
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}
    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { false }
}

private func payments(_ product: SKProduct) {
    let payment: SKPayment = SKPayment(product: product)
    let name: String = payment.productIdentifier
    let quantity: Int = payment.quantity
    let data: Data? = payment.requestData
    let username: String? = payment.applicationUsername
    let simulates: Bool = payment.simulatesAskToBuyInSandbox
    let discount: SKPaymentDiscount? = payment.paymentDiscount
    let changeable = SKMutablePayment(product: product)
    changeable.productIdentifier = name
    changeable.quantity = quantity
    changeable.requestData = data
    changeable.applicationUsername = username
    changeable.simulatesAskToBuyInSandbox = simulates
    changeable.paymentDiscount = SKPaymentDiscount(
        identifier: "a", keyIdentifier: "b", nonce: UUID(), signature: "c",
        timestamp: NSNumber(value: 1))
    let offer: (String?, String?, UUID?, String?, NSNumber?) = (
        discount?.identifier, discount?.keyIdentifier, discount?.nonce, discount?.signature,
        discount?.timestamp
    )
    let copies = (payment.copy() as? SKPayment, payment.mutableCopy() as? SKMutablePayment)
    use(offer, copies)
}

private func transaction(_ transaction: SKPaymentTransaction) {
    let error: Error? = transaction.error
    let original: SKPaymentTransaction? = transaction.original
    let payment: SKPayment = transaction.payment
    let date: Date? = transaction.transactionDate
    let number: String? = transaction.transactionIdentifier
    let receipt: Data? = transaction.transactionReceipt
    switch transaction.transactionState {
    case .purchasing, .purchased, .failed, .restored, .deferred: break
    @unknown default: break
    }
    use(error, original, payment, date, number, receipt)
}

private func product(_ product: SKProduct) {
    let texts: [String] = [
        product.localizedTitle, product.localizedDescription, product.productIdentifier,
        product.downloadContentVersion,
    ]
    let price: NSDecimalNumber = product.price
    let locale: Locale = product.priceLocale
    let isShareable: Bool = product.isFamilyShareable
    let period: SKProductSubscriptionPeriod? = product.subscriptionPeriod
    let introductory: SKProductDiscount? = product.introductoryPrice
    let group: String? = product.subscriptionGroupIdentifier
    let discounts: [SKProductDiscount] = product.discounts
    let hosted: (Bool, [NSNumber]) = (product.isDownloadable, product.downloadContentLengths)
    let length: (Int?, SKProduct.PeriodUnit?) = (period?.numberOfUnits, period?.unit)
    for discount in discounts {
        let type: SKProductDiscount.`Type` = discount.type
        let mode: SKProductDiscount.PaymentMode = discount.paymentMode
        let terms: (String?, NSDecimalNumber, Locale, SKProductSubscriptionPeriod, Int) = (
            discount.identifier, discount.price, discount.priceLocale, discount.subscriptionPeriod,
            discount.numberOfPeriods
        )
        use(type, mode, terms)
    }
    use(texts, price, locale, isShareable, introductory, group, hosted, length)
}

/// A delegate of requests with every method that Apple's has.
final class FullRequestDelegate: NSObject, SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        let answer: ([SKProduct], [String]) = (
            response.products, response.invalidProductIdentifiers
        )
        use(answer)
    }
    func requestDidFinish(_ request: SKRequest) {}
    func request(_ request: SKRequest, didFailWithError error: Error) {}
}

private func requests(_ delegate: FullRequestDelegate) {
    let products = SKProductsRequest(productIdentifiers: Set(["a"]))
    products.delegate = delegate
    products.start()
    products.cancel()
    let receipt = SKReceiptRefreshRequest(receiptProperties: [
        SKReceiptPropertyIsExpired: true, SKReceiptPropertyIsRevoked: NSNumber(value: false),
        SKReceiptPropertyIsVolumePurchase: false,
    ])
    receipt.delegate = delegate as SKRequestDelegate
    let properties: [String: Any]? = receipt.receiptProperties
    let plain: SKRequest = SKReceiptRefreshRequest()
    plain.start()
    let place: URL? = Bundle.main.appStoreReceiptURL
    let end: () -> Void = SKTerminateForInvalidReceipt
    use(properties, place, end)
}

private func promotions(_ product: SKProduct) async throws {
    let controller: SKProductStorePromotionController = .default()
    controller.fetchStorePromotionVisibility(for: product) { visibility, error in
        let known: (SKProductStorePromotionVisibility, Error?) = (visibility, error)
        use(known)
    }
    controller.update(storePromotionVisibility: .hide, for: product) { (_: Error?) in }
    controller.update(storePromotionVisibility: .show, for: product, completionHandler: nil)
    controller.fetchStorePromotionOrder { (_: [SKProduct], _: Error?) in }
    controller.update(storePromotionOrder: [product]) { (_: Error?) in }
    let visibility = try await controller.storePromotionVisibility(for: product)
    let order = try await controller.storePromotionOrder()
    use(visibility == .default, order)
}

private func download(_ download: SKDownload) {
    let state: SKDownloadState = download.state
    let facts: (String, URL?, String, Int64, Error?, Float, TimeInterval) = (
        download.contentIdentifier, download.contentURL, download.contentVersion,
        download.expectedContentLength, download.error, download.progress, download.timeRemaining
    )
    let isUnknown = download.timeRemaining == SKDownloadTimeRemainingUnknown
    let transaction: SKPaymentTransaction = download.transaction
    switch state {
    case .waiting, .active, .paused, .finished, .failed, .cancelled: break
    @unknown default: break
    }
    SKStoreReviewController.requestReview()
    use(facts, isUnknown, transaction)
}

/// Every code of the original API's errors, with Apple's number.
let errorCodes: [(SKError.Code, Int)] = [
    (.unknown, 0), (.clientInvalid, 1), (.paymentCancelled, 2), (.paymentInvalid, 3),
    (.paymentNotAllowed, 4), (.storeProductNotAvailable, 5), (.cloudServicePermissionDenied, 6),
    (.cloudServiceNetworkConnectionFailed, 7), (.cloudServiceRevoked, 8),
    (.privacyAcknowledgementRequired, 9), (.unauthorizedRequestData, 10),
    (.invalidOfferIdentifier, 11), (.invalidSignature, 12), (.missingOfferParams, 13),
    (.invalidOfferPrice, 14), (.overlayCancelled, 15), (.overlayInvalidConfiguration, 16),
    (.overlayTimeout, 17), (.ineligibleForOffer, 18), (.unsupportedPlatform, 19),
    (.overlayPresentedInBackgroundScene, 20),
]

/// The same by the names on the error itself, in the same order.
let errorNames: [SKError.Code] = [
    SKError.unknown, SKError.clientInvalid, SKError.paymentCancelled, SKError.paymentInvalid,
    SKError.paymentNotAllowed, SKError.storeProductNotAvailable,
    SKError.cloudServicePermissionDenied, SKError.cloudServiceNetworkConnectionFailed,
    SKError.cloudServiceRevoked, SKError.privacyAcknowledgementRequired,
    SKError.unauthorizedRequestData, SKError.invalidOfferIdentifier, SKError.invalidSignature,
    SKError.missingOfferParams, SKError.invalidOfferPrice, SKError.overlayCancelled,
    SKError.overlayInvalidConfiguration, SKError.overlayTimeout, SKError.ineligibleForOffer,
    SKError.unsupportedPlatform, SKError.overlayPresentedInBackgroundScene,
]

private func errors(_ error: Error) {
    let code: SKError.Code? = (error as? SKError)?.code
    let parts: (Int, [String: Any])? = (error as? SKError).map { ($0.errorCode, $0.userInfo) }
    let domains: [String] = [SKErrorDomain, SKError.errorDomain]
    use(code, parts, domains)
}

/// Takes values so that the compiler does not call them unused.
func use<each Value>(_ values: repeat each Value) {}
