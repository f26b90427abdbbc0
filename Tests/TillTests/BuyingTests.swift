import AppStoreModel
import Testing
import TillAPI

@testable import Till

@Suite(.timeLimit(.minutes(1))) struct BuyingTests {
    @Test(arguments: FakeStore.Flavor.allCases)
    func `one call opens the order, notes it down, pays, delivers and lets go`(
        _ flavor: FakeStore.Flavor
    ) async throws {
        let world = World(flavor)
        let life = KillSwitch()
        let till = try await world.launch(as: "alice", life)
        let outcome = await till.buy("coins600", track: ["screen": .text("shop")])
        guard case .granted(let delivery) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(delivery.productID == "coins600")
        #expect(delivery.balances == ["coins": 600])
        #expect(await till.balance(of: "coins") == 600)
        await world.expectAllDelivered(payments: 1)
        #expect(world.files.orderCount == 0)
        let steps = life.moments
        let order = try #require(steps.firstIndex(of: "after POST /v1/orders"))
        let note = try #require(steps.firstIndex(of: "after writing order"))
        let pay = try #require(steps.firstIndex(of: "before paying"))
        let handIn = try #require(steps.firstIndex(of: "after POST /v1/purchases"))
        let finish = try #require(steps.firstIndex(of: "before finishing"))
        let strike = try #require(steps.firstIndex(of: "before removing order"))
        #expect(order < note && note < pay && pay < handIn && handIn < finish && finish < strike)
        let payment = try #require(await world.store.payments.first)
        let purchase = try #require(await world.server.purchases.first)
        #expect(payment.orderID.uuid == purchase.orderID)
        #expect(purchase.transactionIDs == [delivery.transactionID])
        #expect(await world.server.tracks == [["screen": .text("shop")]])
    }
}
