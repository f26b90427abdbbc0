import AppStoreModel
import StoreWire

/// One change of the store: what its file records, and what replays it.
enum StoreCommand: Codable, Sendable {
    /// Time passes, and nothing else.
    case pass
    /// The clock is set back, while nothing was bought.
    case setBack(Timestamp)
    case launch(LaunchRequest, AppStoreEnvironment)
    case signIn(DeviceID, AccountID?)
    case makeAccount(AccountRequest)
    case changeAccount(AccountID, AccountRequest)
    case clearHistory(AccountID)
    case setFamily(AccountID, [AccountID])
    case purchase(PurchaseOrder, PurchaseSetting)
    case decide(String, WaitingDecisionKind)
    case finish(DeviceID?, AccountID, [String], [TransactionID])
    case restore(DeviceID)
    case refreshReceipt(DeviceID, ReceiptRefreshRequest)
    case redeem(String, DeviceID, AppAccountToken?)
    case makeCodes(OfferCodesRequest)
    case promote(PromoteRequest)
    case dropIntent(DeviceID, String)
    case dropMessage(DeviceID, String)
    case actOnTransaction(TransactionID, TransactionAction)
    case requestRefund(TransactionID, String?)
    case consumption(TransactionID, RefundPreference?)
    case actOnSubscription(TransactionID, SubscriptionAction)
    case extend(TransactionID, days: Int)
    case massExtend(
        MassExtension.Key, ProductID, days: Int, reason: ExtendReasonCode, storefronts: [String]?)
    case setToken(TransactionID, AppAccountToken)
    case changeEnvironment(AppStoreEnvironment, EnvironmentChange)
    case changeProduct(ProductID, ProductChange)
    case replaceCatalog(Catalog)
    case setErrors([String: String])
    case setFaults(FaultPlan)
    case strike(FaultOccasion)
    case testNotification(AppStoreEnvironment)
    case keepBody(String, String)
    case noteAttempt(String, StoreNotification.Attempt)
    case resend(String)
    case reset
}

/// What a command made or found.
enum StoreOutcome: Sendable {
    case nothing
    case name(String)
    case names([String])
    case finished(items: [String], transactions: [TransactionID])
    case refundStatus(DeviceRefundStatus)
    case refusedExtension(ExtensionRefusal)
    case date(Timestamp)
    case faults([FaultRule])

    var name: String {
        if case .name(let name) = self { name } else { "" }
    }
}

extension StoreState {
    /// Carries out a command; a thrown problem has changed nothing but names drawn.
    mutating func apply(_ command: StoreCommand) throws(StoreProblem) -> StoreOutcome {
        switch command {
        case .pass: return .nothing
        case .setBack(let date): try setBack(to: date)
        case .launch(let request, let environment):
            return .name(try launch(request, environment: environment).rawValue)
        case .signIn(let device, let account): try signIn(device, account)
        case .makeAccount(let request): return .name(try makeAccount(request).rawValue)
        case .changeAccount(let account, let request): try changeAccount(account, request)
        case .clearHistory(let account): try clearHistory(account)
        case .setFamily(let organizer, let members): try setFamily(organizer, members)
        case .purchase(let order, let setting): return .name(try purchase(order, setting))
        case .decide(let item, let decision): try decide(item, decision)
        case .finish(let device, let account, let items, let transactions):
            let done = finish(
                device: device, account: account, items: items, transactions: transactions)
            return .finished(items: done.items, transactions: done.transactions)
        case .restore(let device): return .names(try restore(device))
        case .refreshReceipt(let device, let request): try refreshReceipt(device, request)
        case .redeem(let code, let device, let token):
            return .name(try redeem(code, device: device, token: token))
        case .makeCodes(let request):
            return .names(
                try makeCodes(
                    product: request.productID, offer: request.offerID, custom: request.code,
                    count: request.count))
        case .promote(let request): return .name(try promote(request))
        case .dropIntent(let device, let intent):
            guard devices[device] != nil else { throw StoreProblem(.deviceNotFound) }
            devices.update(device) { $0.intents.removeAll { $0.intentID == intent } }
        case .dropMessage(let device, let message):
            guard devices[device] != nil else { throw StoreProblem(.deviceNotFound) }
            devices.update(device) { $0.messages.removeAll { $0.messageID == message } }
        default: return try applyRest(command)
        }
        return .nothing
    }

    private mutating func applyRest(
        _ command: StoreCommand
    ) throws(StoreProblem) -> StoreOutcome {
        switch command {
        case .actOnTransaction(let id, let action): try act(on: id, action)
        case .requestRefund(let id, let reason):
            return .refundStatus(try requestRefund(id, reason: reason))
        case .consumption(let id, let preference):
            change(id) { $0.preference = preference }
            note("consumption", transactions[id], preference?.rawValue)
        case .actOnSubscription(let id, let action): try act(on: id, action)
        case .extend(let id, let days):
            do {
                return .date(try extend(id, days: days))
            } catch {
                return .refusedExtension(error)
            }
        case .massExtend(let key, let product, let days, let reason, let storefronts):
            requestMassExtension(
                key, product: product, days: days, reason: reason, storefronts: storefronts)
        case .setToken(let id, let token): try setToken(id, token)
        case .changeEnvironment(let environment, let change):
            try changeEnvironment(environment, change)
        case .changeProduct(let id, let change): try changeProduct(id, change)
        case .replaceCatalog(let catalog): replaceCatalog(catalog)
        case .setErrors(let errors): self.errors = errors
        case .setFaults(let plan): try faults.set(plan)
        case .strike(let occasion): return .faults(faults.strike(occasion, at: now))
        case .testNotification(let environment):
            return .name(try sendTest(environment))
        case .keepBody(let id, let body): notifications.update(id) { $0.body = body }
        case .noteAttempt(let id, let attempt): noteAttempt(id, attempt)
        case .resend(let id): try resend(id)
        case .reset: reset()
        default: preconditionFailure("a command without a case")
        }
        return .nothing
    }
}
