import AppStoreModel
import StoreWire

extension StoreState {
    /// Redeems a code; answers with the payment's name.
    mutating func redeem(
        _ text: String, device: DeviceID, token: AppAccountToken?
    ) throws(StoreProblem) -> String {
        guard let row = devices[device] else { throw StoreProblem(.deviceNotFound) }
        guard let name = row.account, let account = accounts[name] else {
            throw StoreProblem(.signedOut)
        }
        guard let code = codes[text] else {
            throw StoreProblem(.offerNotFound, detail: "no such code")
        }
        guard code.usesLeft > 0 else {
            throw StoreProblem(.notAllowedNow, detail: "the code was used")
        }
        let hasHad = codes.rows.contains {
            $0.offerID == code.offerID && $0.productID == code.productID
                && $0.redeemers.contains(name)
        }
        guard !hasHad else {
            throw StoreProblem(.notAllowedNow, detail: "one code for a customer and an offer")
        }
        guard let product = catalog.product(code.productID),
            let offer = product.offer(.offerCode, code.offerID)
        else { throw StoreProblem(.offerNotFound) }
        let standing: String =
            switch ownSubscription(of: account, product) {
            case nil: "new"
            case .some(let known): known.isRunning ? "existing" : "expired"
            }
        guard offer.eligibility.isEmpty || offer.eligibility.contains(standing) else {
            throw StoreProblem(.notAllowedNow, detail: "the offer is not for \(standing) customers")
        }
        if let known = ownSubscription(of: account, product), known.isRunning,
            let level = product.subscription?.level,
            let now = catalog.product(known.productID)?.subscription?.level, level > now
        {
            throw StoreProblem(.notAllowedNow, detail: "a code does not downgrade")
        }
        codes.update(text) {
            $0.usesLeft -= 1
            $0.redeemers.append(name)
        }
        var order = PurchaseOrder(product.id)
        order.offerKind = .offerCode
        order.offerID = code.offerID
        order.token = token
        var setting = PurchaseSetting(device: device)
        setting.isOutside = true
        setting.isTrusted = true
        return try purchase(order, setting)
    }

    /// Makes codes for an offer.
    mutating func makeCodes(
        product id: ProductID, offer name: String, custom: String?, count: Int
    ) throws(StoreProblem) -> [String] {
        guard let product = catalog.product(id) else { throw StoreProblem(.productNotFound) }
        guard product.offer(.offerCode, name) != nil else { throw StoreProblem(.offerNotFound) }
        guard (1...1_000).contains(count) else {
            throw StoreProblem(.invalidValue, detail: "count is from 1 to 1000")
        }
        if let custom {
            guard (1...64).contains(custom.utf8.count) else { throw StoreProblem(.invalidValue) }
            guard codes[custom] == nil else { throw StoreProblem(.alreadyExists, detail: custom) }
            codes.append(OfferCode(id: custom, productID: id, offerID: name, usesLeft: count))
            return [custom]
        }
        return (0..<count).map { _ in
            let code = ids.code()
            codes.append(OfferCode(id: code, productID: id, offerID: name, usesLeft: 1))
            return code
        }
    }
}
