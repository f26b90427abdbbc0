import AppStoreModel
import StoreWire
import Testing

@testable import LocalAppStore

@Suite struct FamilyTests {
    static let pro: ProductID = "com.example.pro.monthly"
    static let basic: ProductID = "com.example.basic.monthly"
    static let lifetime: ProductID = "com.example.lifetime"

    private func family() throws -> (world: StoreWorld, device: DeviceID) {
        var world = StoreWorld()
        let device = try world.device("mum")
        _ = try world.device("kid")
        _ = try world.state.apply(.setFamily("mum", ["kid"]))
        return (world, device)
    }

    @Test func `A member has a chain of their own that follows the purchaser's`() throws {
        var (world, device) = try family()
        try world.set { $0.gracePeriodDays = 3 }
        let bought = try world.bought(Self.pro, on: device)
        #expect(world.told(of: "kid") == ["SUBSCRIBED/INITIAL_BUY"])
        let kid = try #require(world.state.accounts["kid"])
        let shared = try #require(kid.transactions.first.flatMap { world.state.transactions[$0] })
        #expect(shared.id != bought.id && shared.originalID == shared.id)
        let payload = world.state.payload(shared)
        #expect(payload.inAppOwnershipType == .familyShared && payload.price == 0)
        #expect(payload.appTransactionID != world.state.payload(bought).appTransactionID)
        #expect(payload.expiresDate == bought.expiresDate)
        world.pass(to: 1, 10)
        #expect(world.told(of: "kid") == ["DID_RENEW"])
        try world.act(.setBilling, on: bought.id) { $0.fails = true }
        world.pass(to: 2, 20)
        #expect(
            world.told(of: "kid") == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED"])
        try world.act(.recover, on: bought.id)
        #expect(world.told(of: "kid") == ["DID_RENEW/BILLING_RECOVERY"])
        try world.act(.turnOff, on: bought.id)
        #expect(world.told(of: "kid").isEmpty)
        world.pass(to: 4, 1)
        #expect(world.told(of: "kid") == ["EXPIRED/VOLUNTARY"])
        #expect(try world.subscription(shared).status == .expired)
    }

    @Test func `A refund to the purchaser revokes every member's access`() throws {
        var (world, device) = try family()
        let bought = try world.bought(Self.pro, on: device)
        let lifetime = try world.bought(Self.lifetime, on: device)
        _ = world.told()
        try world.act(.refund, on: bought.id) { $0.reason = 1 }
        try world.act(.refund, on: lifetime.id)
        #expect(world.told() == ["REFUND", "REVOKE", "REFUND", "REVOKE"])
        let kid = try #require(world.state.accounts["kid"])
        let rows = kid.transactions.compactMap { world.state.transactions[$0] }
        #expect(rows.map { $0.revocation?.type } == [.familyRevoke, .familyRevoke])
        #expect(rows.first?.revocation?.reason == .appIssue)
        try world.act(.reverseRefund, on: lifetime.id)
        #expect(world.told() == ["REFUND_REVERSED", "ONE_TIME_CHARGE"])
    }

    @Test func `Who leaves loses access, and has it again on coming back`() throws {
        var (world, device) = try family()
        _ = try world.bought(Self.pro, on: device)
        _ = world.told()
        _ = try world.state.apply(.setFamily("mum", []))
        #expect(world.told() == ["REVOKE"])
        _ = try world.state.apply(.setFamily("mum", ["kid"]))
        #expect(world.told() == ["SUBSCRIBED/RESUBSCRIBE"])
        let kid = try #require(world.state.accounts["kid"])
        #expect(kid.subscriptions.count == 1 && kid.transactions.count == 2)
    }

    @Test func `What may not be shared is not, and a change to it ends the sharing`() throws {
        var (world, device) = try family()
        let basic = try world.bought(Self.basic, on: device)
        #expect(world.state.accounts["kid"]?.transactions.isEmpty == true)
        try world.buy(Self.pro, on: device)
        #expect(world.told(of: "kid") == ["SUBSCRIBED/INITIAL_BUY"])
        try world.act(.change, on: basic.id) { $0.productID = Self.basic }
        world.pass(to: 2, 10)
        #expect(world.told(of: "kid") == ["REVOKE"])
    }

    @Test func `A family has six people in one environment`() throws {
        var world = StoreWorld()
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            _ = try world.device(AccountID(name))
        }
        _ = try world.device("tester", .sandbox)
        _ = try world.state.apply(.setFamily("a", ["b", "c", "d", "e", "f"]))
        #expect(throws: StoreProblem.self) {
            try world.state.apply(.setFamily("a", ["b", "c", "d", "e", "f", "g"]))
        }
        #expect(throws: StoreProblem.self) { try world.state.apply(.setFamily("a", ["tester"])) }
        #expect(throws: StoreProblem.self) { try world.state.apply(.setFamily("g", ["b"])) }
    }

    @Test func `Members cannot be refunded or extended by themselves`() throws {
        var (world, device) = try family()
        _ = try world.bought(Self.pro, on: device)
        world.pass(to: 1, 10)
        let kid = try #require(world.state.accounts["kid"])
        let id = try #require(kid.subscriptions.first)
        #expect(throws: ExtensionRefusal.familyShared) { try world.state.extend(id, days: 3) }
        #expect(throws: StoreProblem.self) { try world.act(.refund, on: id) }
        #expect(throws: StoreProblem.self) { try world.act(.turnOff, on: id) }
    }
}
