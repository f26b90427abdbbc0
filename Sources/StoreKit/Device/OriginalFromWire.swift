import AppStoreModel
import Foundation
import StoreWire

// The store's words put into the original StoreKit's.

extension SKPaymentTransaction {
    /// A payment that the store brought, without the username that it has forgotten.
    convenience init(_ item: QueueItem) {
        let payment = SKPayment()
        payment.terms.productIdentifier = item.productID.rawValue
        payment.terms.quantity = item.quantity
        payment.terms.applicationUsername = item.applicationUsername
        self.init(
            payment: payment, progress: Progress(item),
            original: SKPaymentTransaction(originalOf: item, payment: payment))
    }

    /// The first purchase of what was restored or renewed.
    private convenience init?(originalOf item: QueueItem, payment: SKPayment) {
        guard let originalID = item.originalTransactionID,
            item.state == .restored || originalID != item.transactionID
        else { return nil }
        self.init(
            payment: payment,
            progress: Progress(
                state: .purchased, date: item.originalTransactionDate?.date,
                identifier: originalID.rawValue))
    }
}

extension SKPaymentTransaction.Progress {
    init(_ item: QueueItem) {
        switch item.state {
        case .purchased: state = .purchased
        case .failed: state = .failed
        case .restored: state = .restored
        case .deferred: state = .deferred
        default: state = .purchasing
        }
        if state == .failed {
            error = SKErrorBox(item.failure?.original ?? SKError(.unknown))
        } else {
            date = item.transactionDate?.date
            identifier = item.transactionID?.rawValue
            receipt = item.transactionReceipt.flatMap { Data(base64Encoded: $0) }
        }
    }
}

extension QueueItem {
    /// Whether an observer that knows `other` learns nothing from this.
    func isSameNews(as other: QueueItem) -> Bool {
        state == other.state && transactionID == other.transactionID
    }
}

extension PurchaseRequest {
    /// What a payment asks for.
    init(_ payment: SKPayment) {
        self.init(
            productID: .init(payment.productIdentifier), quantity: payment.quantity,
            requestID: UUID().uuidString, applicationUsername: payment.applicationUsername,
            simulatesAskToBuy: payment.simulatesAskToBuyInSandbox)
        guard let discount = payment.paymentDiscount else { return }
        offer = PurchaseOffer(
            kind: .promotional, offerID: discount.identifier, keyID: discount.keyIdentifier,
            nonce: discount.nonce.uuidString.lowercased(),
            timestamp: discount.timestamp.int64Value, signature: discount.signature)
    }
}

extension SKProduct {
    convenience init(_ wire: WireProduct, locale: String) {
        let priceLocale = Locale(identifier: "\(locale)@currency=\(wire.currency)")
        self.init(
            listing: Listing(
                productIdentifier: wire.productID.rawValue, localizedTitle: wire.displayName,
                localizedDescription: wire.description, price: Decimal(milliunits: wire.price),
                priceLocale: priceLocale, isFamilyShareable: wire.isFamilyShareable,
                subscriptionGroupIdentifier: wire.subscription?.groupID.rawValue),
            period: wire.subscription.flatMap { SKProductSubscriptionPeriod(iso8601: $0.period) },
            introductory: wire.subscription?.introductoryOffer.map {
                SKProductDiscount($0, locale: priceLocale)
            },
            promotional: (wire.subscription?.promotionalOffers ?? []).map {
                SKProductDiscount($0, locale: priceLocale)
            })
    }
}

extension SKProductDiscount {
    convenience init(_ offer: WireOffer, locale: Locale) {
        let mode: PaymentMode =
            switch offer.paymentMode {
            case .freeTrial: .freeTrial
            case .payUpFront: .payUpFront
            default: .payAsYouGo
            }
        self.init(
            terms: Terms(
                identifier: offer.type == .introductory ? nil : offer.id,
                type: offer.type == .introductory ? .introductory : .subscription,
                price: Decimal(milliunits: offer.price), priceLocale: locale,
                numberOfPeriods: offer.periodCount, paymentMode: mode),
            period: SKProductSubscriptionPeriod(iso8601: offer.period)
                ?? SKProductSubscriptionPeriod())
    }
}

extension SKProductSubscriptionPeriod {
    convenience init?(iso8601 text: String) {
        guard let period = Product.SubscriptionPeriod(iso8601: text) else { return nil }
        let unit: SKProduct.PeriodUnit =
            switch period.unit {
            case .day: .day
            case .week: .week
            case .month: .month
            case .year: .year
            }
        self.init(count: period.value, unit: unit)
    }
}
