import AppStoreModel
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Purchases made by hand, and those that wait for somebody.
extension LocalStore {
    func buy(_ request: ControlBuyRequest) async throws(StoreProblem) -> ControlBuyResponse {
        guard state.catalog.product(request.productID) != nil else {
            throw StoreProblem(.productNotFound, detail: request.productID.rawValue)
        }
        let device = try device(for: request)
        var order = PurchaseOrder(request.productID)
        order.quantity = request.quantity
        if let token = request.appAccountToken {
            guard UUIDText.isValid(token.rawValue) else {
                throw StoreProblem(.invalidValue, detail: "appAccountToken is no UUID")
            }
            order.token = token
        }
        order.offerKind = request.offer?.kind.offerType
        order.offerID = request.offer?.offerID
        var setting = PurchaseSetting(device: device)
        setting.outcome = request.outcome ?? .purchase
        setting.failure = request.failure
        setting.isOutside = request.outsideApp
        setting.isTrusted = request.outcome != nil || request.outsideApp
        let payment = try perform(.purchase(order, setting)).name
        // A fault wants the notification to be there before the answer.
        let environment = state.devices[device]?.environment ?? .sandbox
        if !strike(.answer(environment)).isEmpty { await settle() }
        return try boughtByHand(payment)
    }

    private func device(for request: ControlBuyRequest) throws(StoreProblem) -> DeviceID {
        if let id = request.deviceID {
            _ = try device(id)
            return id
        }
        let environment = request.environment ?? .sandbox
        var account = request.accountID
        if account == "default", state.accounts["default"] == nil { account = nil }
        if let account {
            guard let row = state.accounts[account] else {
                throw StoreProblem(.accountNotFound, detail: account.rawValue)
            }
            if let wanted = request.environment, wanted != row.environment {
                throw StoreProblem(
                    .invalidValue, detail: "\(account) belongs to \(row.environment)")
            }
        }
        let owner = account.flatMap { state.accounts[$0] }
        if let known = state.devices.rows.first(where: {
            owner == nil
                ? $0.environment == environment && $0.account?.rawValue.hasPrefix("default") == true
                : $0.account == account
        }) {
            return known.id
        }
        let name = try perform(
            .launch(
                LaunchRequest(environment: owner?.environment ?? environment, accountID: account),
                environment)
        ).name
        return DeviceID(name)
    }

    private func boughtByHand(_ item: String) throws(StoreProblem) -> ControlBuyResponse {
        let answer = try response(to: item)
        guard let payment = state.payments[item] else { throw StoreProblem(.itemNotFound) }
        var receipt: String?
        if answer.outcome == .purchased, let account = state.accounts[payment.account] {
            let bytes = try signedReceipt(account, device: state.devices[payment.device])
            receipt = Data(bytes).base64EncodedString()
        }
        return ControlBuyResponse(
            outcome: answer.outcome, itemID: item, deviceID: payment.device,
            transactionID: answer.item.transactionID,
            originalTransactionID: answer.item.transaction?.originalTransactionID,
            signedTransactionInfo: answer.item.transaction?.signedTransactionInfo,
            signedRenewalInfo: answer.item.transaction?.signedRenewalInfo, receipt: receipt,
            failure: answer.failure)
    }

    func waitingPurchases() -> WaitingPurchasesResponse {
        catchUp()
        return WaitingPurchasesResponse(
            purchases: state.payments.rows.compactMap { payment in
                payment.waits.map { kind in
                    WaitingPurchase(
                        itemID: payment.id, kind: kind, accountID: payment.account,
                        deviceID: payment.device,
                        environment: state.accounts[payment.account]?.environment ?? .sandbox,
                        productID: payment.order.productID, quantity: payment.order.quantity,
                        date: payment.date, lapses: payment.lapses)
                }
            })
    }

    func decide(
        _ item: String, _ decision: WaitingDecision
    ) throws(StoreProblem) -> ControlBuyResponse {
        let before = state.payments.count
        try perform(.decide(item, decision.decision))
        // What was interrupted comes through as a payment of its own.
        let made =
            state.payments.count > before ? state.payments.rows.last?.id ?? item : item
        return try boughtByHand(made)
    }
}
