import AppStoreModel
import HTTPServer
import StoreWire

extension StoreRoutes {
    /// The device API: what an app's StoreKit says.
    mutating func addDeviceAPI() {
        let store = store
        answer(DeviceRoute.launch) { try await store.launch($0.body(), port: $0.environment) }
        answer(DeviceRoute.session) { try await store.session($0.device) }
        answer(DeviceRoute.products) { try await store.products($0.device, $0.body()) }
        answer(DeviceRoute.purchase) { try await store.purchase($0.device, $0.body()) }
        answer(DeviceRoute.events) {
            try await store.events($0.device, after: $0.cursor(), wait: $0.wait())
        }
        answer(DeviceRoute.queue) { try await store.queue($0.device) }
        answer(DeviceRoute.unfinished) { try await store.unfinished($0.device) }
        answer(DeviceRoute.finish) { try await store.finish($0.device, $0.body()) }
        answer(DeviceRoute.restore) { try await store.restore($0.device, $0.body()) }
        answer(DeviceRoute.receipt) { try await store.receipt($0.device) }
        answer(DeviceRoute.refreshReceipt) { try await store.refreshReceipt($0.device, $0.body()) }
        answer(DeviceRoute.transactions) {
            try await store.transactions(
                $0.device, product: $0.query("productId"),
                withFinishedConsumables: $0.flag("consumables"))
        }
        answer(DeviceRoute.entitlements) { try await store.entitlements($0.device) }
        answer(DeviceRoute.subscriptions) {
            try await store.subscriptionStatuses(
                $0.device, group: $0.query("groupId"), transaction: $0.query("transactionId"))
        }
        answer(DeviceRoute.introEligibility) { call in
            guard let group = try call.query("groupId") else {
                throw StoreProblem(.invalidValue, detail: "groupId is missing")
            }
            return try await store.introEligibility(call.device, group: .init(group))
        }
        answer(DeviceRoute.appTransaction) { try await store.appTransaction($0.device) }
        answer(DeviceRoute.redeemCode) { try await store.redeemCode($0.device, $0.body()) }
        answer(DeviceRoute.intents) { try await store.intents($0.device) }
        acknowledge(DeviceRoute.dropIntent) {
            try await store.dropIntent($0.device, $0.part("intent"))
        }
        answer(DeviceRoute.requestRefund) { try await store.requestRefund($0.device, $0.body()) }
        answer(DeviceRoute.priceConsent) {
            try await store.answerPriceConsent($0.device, $0.body())
        }
        answer(DeviceRoute.manageSubscription) {
            try await store.manageSubscription($0.device, $0.body())
        }
        answer(DeviceRoute.messages) { try await store.messages($0.device) }
        acknowledge(DeviceRoute.showMessage) {
            try await store.showMessage($0.device, $0.part("message"))
        }
    }
}
