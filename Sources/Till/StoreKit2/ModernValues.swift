import AppStoreModel
import Foundation
import StoreKit

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
extension StoreTransaction {
    /// What StoreKit 2 says of a transaction.
    init(_ transaction: StoreKit.Transaction, signedForm: String) {
        self.init(
            handle: StoreHandle(name: "\(transaction.id)"), state: .purchased,
            transactionID: TransactionID("\(transaction.id)"),
            originalTransactionID: TransactionID("\(transaction.originalID)"),
            productID: ProductID(transaction.productID),
            quantity: transaction.purchasedQuantity,
            token: transaction.appAccountToken.map { AppAccountToken($0.uuidString) },
            date: Timestamp(transaction.purchaseDate),
            originalDate: Timestamp(transaction.originalPurchaseDate),
            expiresDate: transaction.expirationDate.map { Timestamp($0) },
            revocationDate: transaction.revocationDate.map { Timestamp($0) },
            kind: AppStoreModel.ProductType(rawValue: transaction.productType.rawValue),
            signedForm: signedForm)
    }
}

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
extension StoreFault {
    /// What an error of StoreKit 2 means.
    init(modern error: any Error) {
        if let error = error as? StoreKitError {
            switch error {
            case .userCancelled: self.init(.cancelled)
            case .networkError: self.init(.unreachable, detail: "\(error)")
            case .notAvailableInStorefront:
                self.init(.productNotAvailable, detail: "\(error)")
            default: self.init(.other, detail: "\(error)")
            }
        } else if let error = error as? Product.PurchaseError {
            switch error {
            case .purchaseNotAllowed: self.init(.paymentsNotAllowed, detail: "\(error)")
            case .productUnavailable, .invalidQuantity:
                self.init(.productNotAvailable, detail: "\(error)")
            case .ineligibleForOffer, .invalidOfferIdentifier, .invalidOfferPrice,
                .invalidOfferSignature, .missingOfferParameters:
                self.init(.offerNotAvailable, detail: "\(error)")
            @unknown default: self.init(.other, detail: "\(error)")
            }
        } else {
            self.init(original: error)
        }
    }
}

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
    @available(iOS 16.4, macOS 14.4, *)
    extension PromotedPurchase {
        /// What a person began on the App Store's page, with the offer that was chosen there.
        init(_ intent: PurchaseIntent) {
            self.init(productID: ProductID(intent.product.id))
            if #available(iOS 18, macOS 15, *), let chosen = intent.offer, let id = chosen.id {
                offer = chosen.type == .winBack ? .winBack(id: id) : .promotional(id: id)
            }
        }
    }
#endif

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
extension TillProduct {
    /// What StoreKit 2 says of a product.
    init(_ product: Product) {
        let terms = product.subscription.map { info in
            var terms = SubscriptionTerms(
                groupID: SubscriptionGroupID(info.subscriptionGroupID),
                period: BillingPeriod(info.subscriptionPeriod),
                introductoryOffer: info.introductoryOffer.map { OfferTerms($0) },
                promotionalOffers: info.promotionalOffers.map { OfferTerms($0) })
            if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, *) {
                terms.winBackOffers = info.winBackOffers.map { OfferTerms($0) }
            }
            return terms
        }
        var currency: String?
        if #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) {
            currency = product.priceFormatStyle.currencyCode
        }
        self.init(
            id: ProductID(product.id),
            kind: AppStoreModel.ProductType(rawValue: product.type.rawValue),
            displayName: product.displayName, description: product.description,
            price: product.price, currencyCode: currency, displayPrice: product.displayPrice,
            isFamilyShareable: product.isFamilyShareable, subscription: terms)
    }
}

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
extension BillingPeriod {
    init(_ period: Product.SubscriptionPeriod) {
        let unit: Unit
        switch period.unit {
        case .day: unit = .day
        case .week: unit = .week
        case .month: unit = .month
        case .year: unit = .year
        @unknown default: unit = .month
        }
        self.init(unit: unit, count: period.value)
    }
}

@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
extension OfferTerms {
    init(_ offer: Product.SubscriptionOffer) {
        let mode: PaymentMode
        switch offer.paymentMode {
        case .freeTrial: mode = .freeTrial
        case .payUpFront: mode = .payUpFront
        default: mode = .payAsYouGo
        }
        self.init(
            id: offer.id, paymentMode: mode, price: offer.price,
            displayPrice: offer.displayPrice, period: BillingPeriod(offer.period),
            periodCount: offer.periodCount)
    }
}
