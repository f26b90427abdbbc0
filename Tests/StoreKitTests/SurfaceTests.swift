import Foundation
import StoreKit
import Testing

/// The forms in which code in the wild leans on StoreKit; that they compile is half of the test.
@Suite struct SurfaceTests {
    private final class FixedPayment: SKPayment {
        override var productIdentifier: String { "fixed" }
        override var quantity: Int { 4 }
    }

    private final class FixedProduct: SKProduct, @unchecked Sendable {
        private let name: String
        init(name: String) {
            self.name = name
            super.init()
        }
        override var productIdentifier: String { name }
        override var price: NSDecimalNumber { 4.99 }
    }

    private final class FixedTransaction: SKPaymentTransaction, @unchecked Sendable {
        private let fixed: SKPaymentTransactionState
        init(_ state: SKPaymentTransactionState) { fixed = state }
        override var transactionState: SKPaymentTransactionState { fixed }
        override var error: (any Error)? { SKError(.paymentNotAllowed) }
    }

    /// Implements the one method that is required.
    private final class Quiet: NSObject, SKPaymentTransactionObserver, SKRequestDelegate {
        func paymentQueue(
            _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
        ) {}
    }

    @Test func `an error is matched, caught, compared and bridged like Apple's`() {
        let error: any Error = SKError(.paymentCancelled)
        #expect((error as? SKError)?.code == .paymentCancelled)
        #expect((error as NSError).code == SKError.paymentCancelled.rawValue)
        #expect((error as NSError).domain == SKErrorDomain)
        #expect(SKError.errorDomain == SKErrorDomain)
        switch error {
        case SKError.unknown: Issue.record("another code")
        case SKError.paymentCancelled: break
        default: Issue.record("not matched")
        }
        do {
            throw error
        } catch SKError.paymentCancelled {
        } catch {
            Issue.record("not caught")
        }
        let bridged = SKError(_nsError: NSError(domain: SKErrorDomain, code: 5))
        #expect(bridged.code == .storeProductNotAvailable)
        #expect(bridged == SKError(.storeProductNotAvailable))
        #expect(bridged != SKError(.paymentInvalid))
        let described = SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: "why"])
        #expect(described.localizedDescription == "why")
    }

    @Test(arguments: [
        (SKError.Code.unknown, 0), (.paymentCancelled, 2), (.paymentNotAllowed, 4),
        (.storeProductNotAvailable, 5), (.privacyAcknowledgementRequired, 9),
        (.invalidSignature, 12), (.ineligibleForOffer, 18),
        (.overlayPresentedInBackgroundScene, 20),
    ])
    func `error codes have Apple's numbers`(code: SKError.Code, number: Int) {
        #expect(code.rawValue == number)
    }

    @Test func `states have Apple's numbers`() {
        #expect(SKPaymentTransactionState.purchasing.rawValue == 0)
        #expect(SKPaymentTransactionState.deferred.rawValue == 4)
        #expect(SKProduct.PeriodUnit.year.rawValue == 3)
        #expect(SKProductDiscount.PaymentMode.freeTrial.rawValue == 2)
        #expect(Product.SubscriptionInfo.RenewalState.inGracePeriod.rawValue == 4)
        #expect(Product.ProductType.autoRenewable.rawValue == "Auto-Renewable Subscription")
        #expect(Transaction.OfferType.winBack.rawValue == 4)
    }

    @Test func `a subclass's properties are what a copy has`() throws {
        let payment = FixedPayment()
        #expect(payment.copy() as? SKPayment === payment)
        let copy = try #require(payment.mutableCopy() as? SKMutablePayment)
        #expect(copy.productIdentifier == "fixed")
        #expect(copy.quantity == 4)
        #expect(copy.isEqual(payment))
        copy.quantity = 5
        #expect(!copy.isEqual(payment))
        #expect(payment.quantity == 4)
    }

    @Test func `a changeable payment is made for a product and copied as it is then`() throws {
        let payment = SKMutablePayment(product: FixedProduct(name: "coins"))
        payment.applicationUsername = "anna"
        payment.paymentDiscount = SKPaymentDiscount(
            identifier: "half", keyIdentifier: "key", nonce: UUID(), signature: "MEUC",
            timestamp: 1)
        let copy = try #require(payment.copy() as? SKPayment)
        payment.applicationUsername = nil
        #expect(copy.applicationUsername == "anna")
        #expect(copy.productIdentifier == "coins")
        #expect(copy.paymentDiscount?.identifier == "half")
        #expect(copy.quantity == 1)
        #expect(!(copy is SKMutablePayment))
    }

    @Test func `observers and delegates need only what is required`() {
        let quiet = Quiet()
        let queue = SKPaymentQueue.default()
        quiet.paymentQueueRestoreCompletedTransactionsFinished(queue)
        quiet.paymentQueue(queue, removedTransactions: [FixedTransaction(.failed)])
        #expect(
            !quiet.paymentQueue(
                queue, shouldAddStorePayment: SKPayment(), for: FixedProduct(name: "x")))
        let request: SKRequest = SKReceiptRefreshRequest()
        request.delegate = quiet
        #expect(request.delegate === quiet)
        let products = SKProductsRequest(productIdentifiers: [])
        #expect(products.delegate == nil)
        #expect(SKPaymentQueue.default() === queue)
    }

    @Test func `periods know their length and their words`() throws {
        let calendar = Calendar(identifier: .gregorian)
        let start = try #require(
            calendar.date(from: DateComponents(year: 2026, month: 1, day: 31)))
        let range = Product.SubscriptionPeriod.monthly.dateRange(referenceDate: start)
        #expect(calendar.component(.month, from: range.upperBound) == 2)
        #expect(DateComponents(subscriptionPeriod: .everyTwoWeeks).day == 14)
        let english = Product.SubscriptionPeriodFormatStyle(locale: Locale(identifier: "en_US"))
        let first = try #require(
            calendar.date(from: DateComponents(year: 2026, month: 3, day: 1)))
        let words = [Product.SubscriptionPeriod.weekly, .everyThreeMonths, .yearly].map {
            $0.formatted(english, referenceDate: first)
        }
        #expect(words == ["1 week", "3 months", "1 year"])
        let chinese = english.locale(Locale(identifier: "zh_Hans"))
        #expect(
            Product.SubscriptionPeriod.monthly.formatted(chinese, referenceDate: first) == "1个月")
    }

    @Test func `options of one kind and value are one, others are not`() {
        let token = UUID()
        var options: Set<Product.PurchaseOption> = [
            .appAccountToken(token), .appAccountToken(token), .quantity(2), .quantity(3),
        ]
        options.formUnion(Product.PurchaseOption.promotionalOffer("half", compactJWS: "a.b.c"))
        #expect(options.count == 4)
    }

    @Test func `Foundation and its network part come along with StoreKit`() {
        let request = URLRequest(url: URL(fileURLWithPath: "/"))
        #expect(request.httpMethod == "GET")
    }

    @Test func `finishing what is still purchasing stops the program`() async {
        await #expect(processExitsWith: .failure) {
            SKPaymentQueue.default().finishTransaction(SKPaymentTransaction())
        }
    }

    @Test func `a payment of nothing stops the program`() async {
        await #expect(processExitsWith: .failure) {
            SKPaymentQueue.default().add(SKPayment())
        }
    }
}
