import AppStoreModel
import Foundation
import StoreWire

// The store's words put into StoreKit 2's.

extension Decimal {
    /// The amount of so many thousandths of a currency's unit.
    init(milliunits: Int64) { self = Decimal(milliunits) / 1_000 }
}

extension Timestamp {
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension Product {
    init(_ wire: WireProduct, locale: String) {
        id = wire.productID.rawValue
        type = ProductType(rawValue: wire.type.rawValue)
        displayName = wire.displayName
        description = wire.description
        price = Decimal(milliunits: wire.price)
        displayPrice = wire.displayPrice
        isFamilyShareable = wire.isFamilyShareable
        subscription = wire.subscription.flatMap { SubscriptionInfo($0) }
        priceFormatStyle = .currency(code: wire.currency).locale(
            Locale(identifier: "\(locale)@currency=\(wire.currency)"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A value that was decoded encodes; an empty text could only stand for a fault of Foundation's.
        jsonRepresentation = (try? encoder.encode(wire)) ?? Data()
    }
}

extension Product.SubscriptionInfo {
    init?(_ wire: WireSubscription) {
        guard let period = Product.SubscriptionPeriod(iso8601: wire.period) else { return nil }
        introductoryOffer = wire.introductoryOffer.flatMap { Product.SubscriptionOffer($0) }
        promotionalOffers = wire.promotionalOffers.compactMap { Product.SubscriptionOffer($0) }
        winBackOffers = wire.winBackOffers.compactMap { Product.SubscriptionOffer($0) }
        subscriptionGroupID = wire.groupID.rawValue
        subscriptionPeriod = period
        groupLevel = wire.groupLevel
        groupDisplayName = wire.groupDisplayName
        let offers =
            (introductoryOffer.map { [$0] } ?? []) + promotionalOffers + winBackOffers
        pricingTerms = wire.pricingTerms.compactMap { PricingTerms($0, offers: offers) }
    }
}

extension Product.SubscriptionInfo.PricingTerms {
    init?(_ wire: WirePricingTerms, offers: [Product.SubscriptionOffer]) {
        guard let billing = Product.SubscriptionPeriod(iso8601: wire.billingPeriod),
            let commitment = Product.SubscriptionPeriod(iso8601: wire.commitmentPeriod)
        else { return nil }
        billingPlanType = .init(rawValue: wire.billingPlanType)
        billingPrice = Decimal(milliunits: wire.billingPrice)
        billingDisplayPrice = wire.billingDisplayPrice
        billingPeriod = billing
        commitmentInfo = .init(
            price: Decimal(milliunits: wire.commitmentPrice), period: commitment)
        subscriptionOffers = billingPlanType == .upFront ? offers : []
    }
}

extension Product.SubscriptionOffer {
    init?(_ wire: WireOffer) {
        guard let period = Product.SubscriptionPeriod(iso8601: wire.period) else { return nil }
        id = wire.type == .introductory ? nil : wire.id
        type =
            switch wire.type {
            case .introductory: .introductory
            case .promotional: .promotional
            case .winBack: .winBack
            default: OfferType(rawValue: wire.type.rawValue)
            }
        price = Decimal(milliunits: wire.price)
        displayPrice = wire.displayPrice
        self.period = period
        periodCount = wire.periodCount
        paymentMode =
            switch wire.paymentMode {
            case .freeTrial: .freeTrial
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            default: PaymentMode(rawValue: wire.paymentMode.rawValue)
            }
    }
}

extension Product.SubscriptionPeriod {
    /// Reads `P1M` and its kin: one number and one unit.
    init?(iso8601 text: String) {
        guard text.hasPrefix("P"), let letter = text.last,
            let count = Int(text.dropFirst().dropLast()), count > 0
        else { return nil }
        switch letter {
        case "D": self.init(value: count, unit: .day)
        case "W": self.init(value: count, unit: .week)
        case "M": self.init(value: count, unit: .month)
        case "Y": self.init(value: count, unit: .year)
        default: return nil
        }
    }
}

extension Storefront {
    init(_ wire: WireStorefront) {
        countryCode = wire.countryCode
        id = wire.id
        currency = Locale.Currency(wire.currency)
    }
}

extension PurchaseIntent {
    init(_ item: PurchaseIntentItem, product: Product) {
        intentID = item.intentID
        self.product = product
        offer = item.offerID.flatMap { offerID in
            product.subscription?.winBackOffers.first { $0.id == offerID }
        }
    }
}

extension Message {
    init(_ wire: StoreMessage) {
        messageID = wire.messageID
        subject = wire.originalTransactionID.map {
            Subject(
                productID: wire.productID?.rawValue ?? "", originalTransactionID: $0.rawValue)
        }
        reason =
            switch wire.reason {
            case .priceIncreaseConsent: .priceIncreaseConsent
            case .billingIssue: .billingIssue
            case .winBackOffer: .winBackOffer
            default: .generic
            }
    }
}
