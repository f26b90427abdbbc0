import AppStoreModel
import Foundation
import StoreKit

/// Waits for one request of StoreKit 1, whichever thread its answer comes on.
final class RequestEar: NSObject, SKProductsRequestDelegate, Sendable {
    private let waiting: Locked<CheckedContinuation<Result<[SKProduct], StoreFault>, Never>?>
    private let found = Locked<[SKProduct]>([])

    init(_ continuation: CheckedContinuation<Result<[SKProduct], StoreFault>, Never>) {
        waiting = Locked(continuation)
    }

    func productsRequest(
        _ request: SKProductsRequest, didReceive response: SKProductsResponse
    ) {
        found.withLock { $0 = response.products }
    }

    func requestDidFinish(_ request: SKRequest) {
        end(.success(found.withLock { $0 }))
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        end(.failure(StoreFault(original: error)))
    }

    private func end(_ result: Result<[SKProduct], StoreFault>) {
        let continuation = waiting.withLock { waiting in
            let continuation = waiting
            waiting = nil
            return continuation
        }
        continuation?.resume(returning: result)
    }
}

extension StoreFault {
    /// What an error of StoreKit 1 means.
    init(original error: any Error) {
        guard let error = error as? SKError else {
            self.init(
                (error as NSError).domain == NSURLErrorDomain ? .unreachable : .other,
                detail: "\(error)")
            return
        }
        let detail = "SKError \(error.code.rawValue)"
        switch error.code {
        case .paymentCancelled: self.init(.cancelled, detail: detail)
        case .paymentNotAllowed, .clientInvalid:
            self.init(.paymentsNotAllowed, detail: detail)
        case .storeProductNotAvailable, .paymentInvalid:
            self.init(.productNotAvailable, detail: detail)
        case .cloudServiceNetworkConnectionFailed: self.init(.unreachable, detail: detail)
        case .invalidOfferIdentifier, .invalidSignature, .missingOfferParams,
            .invalidOfferPrice:
            self.init(.offerNotAvailable, detail: detail)
        default:
            // `ineligibleForOffer` is iOS 14; its number is the same everywhere.
            self.init(error.code.rawValue == 18 ? .offerNotAvailable : .other, detail: detail)
        }
    }
}

extension TillProduct {
    /// What StoreKit 1 says of a product.
    init(_ product: SKProduct) {
        let locale = product.priceLocale
        var isFamilyShareable = false
        if #available(iOS 14, macOS 11, tvOS 14, watchOS 7, *) {
            isFamilyShareable = product.isFamilyShareable
        }
        let terms = product.subscriptionPeriod.map { period in
            SubscriptionTerms(
                groupID: product.subscriptionGroupIdentifier.map { SubscriptionGroupID($0) },
                period: BillingPeriod(period),
                introductoryOffer: product.introductoryPrice.map { OfferTerms($0) },
                promotionalOffers: product.discounts.map { OfferTerms($0) })
        }
        self.init(
            id: ProductID(product.productIdentifier),
            kind: product.subscriptionGroupIdentifier == nil ? nil : .autoRenewable,
            displayName: product.localizedTitle, description: product.localizedDescription,
            price: product.price as Decimal, currencyCode: locale.currencyCode,
            displayPrice: Self.words(for: product.price, in: locale),
            isFamilyShareable: isFamilyShareable,
            subscription: product.subscriptionGroupIdentifier == nil ? nil : terms)
    }

    static func words(for price: NSDecimalNumber, in locale: Locale) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = locale
        return formatter.string(from: price) ?? "\(price)"
    }
}

extension BillingPeriod {
    init(_ period: SKProductSubscriptionPeriod) {
        let unit: Unit
        switch period.unit {
        case .day: unit = .day
        case .week: unit = .week
        case .month: unit = .month
        case .year: unit = .year
        @unknown default: unit = .month
        }
        self.init(unit: unit, count: period.numberOfUnits)
    }
}

extension OfferTerms {
    init(_ discount: SKProductDiscount) {
        let mode: PaymentMode
        switch discount.paymentMode {
        case .freeTrial: mode = .freeTrial
        case .payAsYouGo: mode = .payAsYouGo
        case .payUpFront: mode = .payUpFront
        @unknown default: mode = .payAsYouGo
        }
        self.init(
            id: discount.identifier, paymentMode: mode, price: discount.price as Decimal,
            displayPrice: TillProduct.words(for: discount.price, in: discount.priceLocale),
            period: BillingPeriod(discount.subscriptionPeriod),
            periodCount: discount.numberOfPeriods)
    }
}

extension StoreTransaction {
    /// What StoreKit 1 says of a transaction.
    init(_ transaction: SKPaymentTransaction) {
        let payment = transaction.payment
        let id = transaction.transactionIdentifier.map { TransactionID($0) }
        let token = payment.applicationUsername.flatMap { UUID(uuidString: $0) }
        self.init(
            handle: Self.handle(of: transaction), state: Self.state(of: transaction),
            transactionID: id,
            originalTransactionID: transaction.original?.transactionIdentifier.map {
                TransactionID($0)
            }, productID: ProductID(payment.productIdentifier), quantity: payment.quantity,
            token: token.map { AppAccountToken($0.uuidString) },
            date: transaction.transactionDate.map { Timestamp($0) },
            originalDate: transaction.original?.transactionDate.map { Timestamp($0) })
    }

    /// By its id once it is paid; before that and without it by the object, which the front holds.
    static func handle(of transaction: SKPaymentTransaction) -> StoreHandle {
        if let id = transaction.transactionIdentifier { return StoreHandle(name: id) }
        return StoreHandle(name: "object \(ObjectIdentifier(transaction))")
    }

    private static func state(of transaction: SKPaymentTransaction) -> State {
        switch transaction.transactionState {
        case .purchasing: .purchasing
        case .purchased: .purchased
        case .restored: .restored
        case .deferred: .deferred
        case .failed:
            .failed(
                transaction.error.map { StoreFault(original: $0) } ?? StoreFault(.other))
        @unknown default: .purchasing
        }
    }
}
