import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WireStorefront {
    init(_ storefront: Storefront) {
        self.init(
            countryCode: storefront.countryCode, id: storefront.id, currency: storefront.currency)
    }
}

/// The books' rows as the device API says them.
extension LocalStore {
    func wire(_ product: Product, _ device: Device, _ account: Account?) -> WireProduct {
        let currency = (account.map { state.storefront($0) } ?? .usa).currency
        let text = product.localization(device.locale)
        return WireProduct(
            productID: product.id, type: product.type,
            displayName: product.displayName(device.locale), description: text?.description ?? "",
            price: product.price,
            displayPrice: PriceText.text(product.price, currency: currency), currency: currency,
            isFamilyShareable: product.isFamilyShareable,
            subscription: product.subscription.map { wire($0, product, currency, account) })
    }

    private func wire(
        _ terms: SubscriptionTerms, _ product: Product, _ currency: String, _ account: Account?
    ) -> WireSubscription {
        func offers(_ kind: OfferType) -> [WireOffer] {
            terms.offers.filter { $0.kind == kind }.map { WireOffer($0, currency: currency) }
        }
        var plans = terms.billingPlans.map { plan in
            WirePricingTerms(
                billingPlanType: plan.type.rawValue, billingPrice: plan.price,
                billingDisplayPrice: PriceText.text(plan.price, currency: currency),
                billingPeriod: plan.type == .monthly ? "P1M" : terms.period.description,
                commitmentPrice: plan.commitmentPrice,
                commitmentPeriod: terms.period.description)
        }
        if plans.isEmpty {
            plans = [
                WirePricingTerms(
                    billingPlanType: "BILLED_UPFRONT", billingPrice: product.price,
                    billingDisplayPrice: PriceText.text(product.price, currency: currency),
                    billingPeriod: terms.period.description, commitmentPrice: product.price,
                    commitmentPeriod: terms.period.description)
            ]
        }
        return WireSubscription(
            groupID: terms.groupID,
            groupDisplayName: state.catalog.group(terms.groupID)?.displayName ?? "",
            groupLevel: terms.level, period: terms.period.description,
            isEligibleForIntroOffer: account.map {
                state.isEligibleForIntroductoryOffer($0, terms.groupID)
            } ?? true,
            introductoryOffer: offers(.introductory).first,
            promotionalOffers: offers(.promotional), winBackOffers: offers(.winBack),
            pricingTerms: plans)
    }

    func wire(_ payment: Payment) throws(StoreProblem) -> QueueItem {
        let launches = state.devices[payment.device]?.launches ?? 0
        let remembers = payment.launch == launches && !payment.forgetsUsername
        var item = QueueItem(
            itemID: payment.id, state: payment.state, productID: payment.order.productID,
            quantity: payment.order.quantity,
            applicationUsername: remembers ? payment.order.applicationUsername : nil,
            offerID: payment.order.offerID, failure: payment.failure,
            isInterrupted: payment.waits == .resolution ? true : nil)
        guard let row = payment.transaction.flatMap({ state.transactions[$0] }) else { return item }
        item.transactionID = payment.alias ?? row.id
        item.transactionDate = payment.state == .restored ? payment.date : row.purchaseDate
        if payment.state == .restored || row.id != row.originalID {
            item.originalTransactionID = row.originalID
            item.originalTransactionDate = row.originalPurchaseDate
        }
        item.transaction = try signedTransaction(
            row, as: payment.alias, for: state.devices[payment.device])
        item.transactionReceipt = try legacy(row, state.devices[payment.device])
        return item
    }

    private func legacy(
        _ row: StoreTransaction, _ device: Device?
    ) throws(StoreProblem) -> String {
        do {
            let bytes = try signer.sign(state.legacyReceipt(row, device: device), flaws: .none)
            return Data(bytes).base64EncodedString()
        } catch {
            throw StoreProblem(.internalFault, detail: "signing failed: \(error)")
        }
    }

    func wire(_ row: DeviceEventRow, _ device: Device) throws(StoreProblem) -> DeviceEvent {
        var event = DeviceEvent(
            sequence: row.sequence, kind: row.kind, date: row.date, productIDs: row.productIDs,
            intent: row.intent, accountID: row.account, message: row.message)
        if let payment = row.item.flatMap({ state.payments[$0] }) {
            event.item = try wire(payment)
        }
        if let name = row.transaction, let found = state.transaction(name) {
            event.transaction = try signedTransaction(
                found, as: name == found.id ? nil : name, for: device)
        }
        if let subscription = row.subscription.flatMap({ state.subscriptions[$0] }) {
            event.status = try status(subscription, for: device)
        }
        if row.kind == .storefrontChanged || row.kind == .accountChanged {
            event.storefront = device.account.flatMap { state.accounts[$0] }
                .map { WireStorefront(state.storefront($0)) }
        }
        return event
    }
}

extension WireOffer {
    init(_ offer: Offer, currency: String) {
        let kind: WireOfferKind =
            switch offer.kind {
            case .introductory: .introductory
            case .promotional: .promotional
            case .winBack: .winBack
            default: .code
            }
        let mode: WirePaymentMode =
            switch offer.mode {
            case .freeTrial: .freeTrial
            case .payAsYouGo: .payAsYouGo
            default: .payUpFront
            }
        self.init(
            id: offer.id, type: kind, price: offer.price,
            displayPrice: PriceText.text(offer.price, currency: currency), paymentMode: mode,
            period: offer.period.description, periodCount: offer.periodCount)
    }
}

extension WireOfferKind {
    /// Apple's number of the kind.
    var offerType: OfferType? {
        switch self {
        case .introductory: .introductory
        case .promotional: .promotional
        case .code: .offerCode
        case .winBack: .winBack
        default: nil
        }
    }
}
