import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct RefundTests {
    static let coins: ProductID = "com.example.coins100"
    static let basic: ProductID = "com.example.basic.monthly"

    @Test func `A refund of the current period ends the subscription, of an old one it does not`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        world.pass(to: 1, 10)
        let second = try world.current(first)
        _ = world.told()
        try world.act(.refund, on: first.id)
        #expect(world.told() == ["REFUND"])
        #expect(try world.subscription(first).status == .active)
        try world.act(.refund, on: second.id) { $0.percentage = 40_000 }
        #expect(world.told() == ["REFUND"])
        #expect(try world.subscription(first).status == .revoked)
        let payload = world.state.payload(try #require(world.state.transactions[second.id]))
        #expect(payload.revocationType == .proratedRefund && payload.revocationPercentage == 40_000)
        world.pass(days: 90)
        #expect(world.told().isEmpty)
        #expect(throws: StoreProblem.self) { try world.act(.refund, on: second.id) }
    }

    @Test func `In the sandbox a request is granted at once, and declined when it says REJECT`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device("tim", .sandbox)
        let coins = try world.bought(Self.coins, on: device)
        let other = try world.bought(Self.coins, on: device)
        _ = world.told()
        guard
            case .refundStatus(let status) = try world.state.apply(
                .requestRefund(coins.id, "UNINTENDED_PURCHASE"))
        else { return }
        #expect(status == .success)
        #expect(world.told() == ["CONSUMPTION_REQUEST", "REFUND"])
        _ = try world.state.apply(.requestRefund(other.id, "REJECT"))
        #expect(world.told() == ["CONSUMPTION_REQUEST", "REFUND_DECLINED"])
        guard
            case .refundStatus(let again) = try world.state.apply(.requestRefund(coins.id, nil))
        else { return }
        #expect(again == .duplicateRequest)
    }

    @Test func `In production the App Store decides within two days`() throws {
        var world = StoreWorld()
        let device = try world.device()
        let first = try world.bought(Self.basic, on: device)
        _ = world.told()
        _ = try world.state.apply(.requestRefund(first.id, nil))
        #expect(
            world.told() == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST",
            ])
        world.pass(days: 1)
        try world.act(.askConsumptionAgain, on: first.id)
        #expect(world.told() == ["CONSUMPTION_REQUEST"])
        let names = world.state.notifications.rows.suffix(2).map(\.id)
        #expect(names[0] != names[1])
        world.pass(days: 2)
        #expect(world.told() == ["REFUND"])
    }

    @Test
    func `A declined request can be made again, a reversed refund gives back without a trace`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let coins = try world.bought(Self.coins, on: device)
        _ = try world.state.apply(.requestRefund(coins.id, nil))
        try world.act(.declineRefund, on: coins.id)
        #expect(throws: StoreProblem.self) { try world.act(.declineRefund, on: coins.id) }
        #expect(throws: StoreProblem.self) { try world.act(.reverseRefund, on: coins.id) }
        try world.act(.refund, on: coins.id) { $0.reason = 1 }
        let refunded = world.state.payload(try #require(world.state.transactions[coins.id]))
        #expect(refunded.revocationReason == .appIssue && refunded.revocationDate != nil)
        try world.act(.reverseRefund, on: coins.id)
        let back = world.state.payload(try #require(world.state.transactions[coins.id]))
        #expect(back.revocationDate == nil && back.revocationReason == nil)
        #expect(
            world.told() == [
                "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND_DECLINED", "REFUND",
                "REFUND_REVERSED",
            ])
    }

    @Test func `A reversal after the period is over gives no service back`() throws {
        var world = StoreWorld()
        let first = try world.bought(Self.basic, on: try world.device())
        try world.act(.refund, on: first.id)
        world.pass(to: 3, 1)
        try world.act(.reverseRefund, on: first.id)
        #expect(try world.subscription(first).status == .expired)
        #expect(world.told() == ["SUBSCRIBED/INITIAL_BUY", "REFUND", "REFUND_REVERSED"])
    }

    @Test func `A refund is unfinished anew, and a used up consumable stays out of the receipt`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let coins = try world.bought(Self.coins, on: device)
        _ = try world.state.apply(.finish(device, "anna", [], [coins.id]))
        try world.act(.refund, on: coins.id)
        #expect(world.state.transactions[coins.id]?.isFinished == false)
        let account = try #require(world.state.accounts["anna"])
        #expect(world.state.receipt(account, device: nil).inApp.isEmpty)
        _ = try world.state.apply(.finish(device, "anna", [], [coins.id]))
        try world.act(.reverseRefund, on: coins.id)
        #expect(world.state.transactions[coins.id]?.isFinished == false)
    }

    @Test func `Devices hear of what is taken back, of a consumable without lost entitlements`()
        throws
    {
        var world = StoreWorld()
        let device = try world.device()
        let coins = try world.bought(Self.coins, on: device)
        let basic = try world.bought(Self.basic, on: device)
        try world.act(.refund, on: coins.id)
        try world.act(.refund, on: basic.id)
        let events = try #require(world.state.devices[device]?.events)
        #expect(
            events.filter { $0.kind == .transactionUpdated }.map(\.transaction) == [
                coins.id, basic.id,
            ])
        #expect(events.filter { $0.kind == .revoked }.map(\.productIDs) == [[Self.basic]])
    }
}
