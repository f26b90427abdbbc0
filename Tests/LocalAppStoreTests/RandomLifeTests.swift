import AppStoreModel
import StoreWire
import TestKit
import Testing

@testable import LocalAppStore

/// Any commands in any order leave books that make sense; a failure names its seed.
@Suite struct RandomLifeTests {
    @Test(arguments: 0..<24)
    func `Random commands never break what must always hold`(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var world = StoreWorld(seed: seed)
        var devices: [DeviceID] = []
        for (name, environment) in [
            ("a", .production), ("b", .production), ("c", .production), ("t", .sandbox),
        ] as [(AccountID, AppStoreEnvironment)] {
            devices.append(try world.device(name, environment))
        }
        for _ in 0..<100 {
            step(&world, &chance, devices)
            check(world.state)
        }
    }

    private func step(
        _ world: inout StoreWorld, _ chance: inout SeededRandom, _ devices: [DeviceID]
    ) {
        func pick<T>(_ list: [T]) -> T? {
            list.isEmpty ? nil : list[Int(chance.next() % UInt64(list.count))]
        }
        let products = world.state.catalog.products
        let command: StoreCommand?
        switch chance.next() % 12 {
        case 0...3:
            var order = PurchaseOrder(pick(products)?.id ?? "")
            if chance.next() % 4 == 0,
                let product = products.first(where: { $0.id == order.productID }),
                let offer = pick(product.subscription?.offers ?? [])
            {
                order.offerKind = offer.kind
                order.offerID = offer.id
            }
            var setting = PurchaseSetting(device: pick(devices) ?? "")
            setting.outcome = pick([.purchase, .purchase, .askToBuy, .interrupt]) ?? .purchase
            command = .purchase(order, setting)
        case 4:
            world.pass(days: Int64(chance.next() % 40))
            command = nil
        case 5...6:
            let kinds: [SubscriptionActionKind] = [
                .renewNow, .expireNow, .turnOff, .turnOn, .setBilling, .recover, .change,
                .undoChange, .increasePrice, .consent, .declinePrice, .extend, .stopSharing,
            ]
            var action = SubscriptionAction(action: pick(kinds) ?? .turnOff)
            action.productID = pick(products)?.id
            action.days = Int(chance.next() % 91)
            action.price = Int64(chance.next() % 30_000)
            action.fails = chance.next() % 2 == 0
            command = pick(world.state.subscriptions.rows).map { .actOnSubscription($0.id, action) }
        case 7:
            let kinds: [TransactionActionKind] = [
                .refund, .requestRefund, .declineRefund, .reverseRefund, .finish, .duplicate,
            ]
            let action = TransactionAction(action: pick(kinds) ?? .refund)
            command = pick(world.state.transactions.rows).map { .actOnTransaction($0.id, action) }
        case 8:
            command = pick(world.state.payments.rows.filter { $0.waits != nil })
                .map { .decide($0.id, pick([.approve, .decline, .resolve, .lapse]) ?? .lapse) }
        case 9:
            command = .setFamily("a", pick([[], ["b"], ["b", "c"]]) ?? [])
        case 10: command = pick(devices).map { .restore($0) }
        default:
            command = pick(world.state.payments.rows)
                .map { .finish($0.device, $0.account, [$0.id], []) }
        }
        if let command { _ = try? world.state.apply(command) }
    }

    private func check(_ state: StoreState) {
        for account in state.accounts.rows {
            var active: Set<SubscriptionGroupID> = []
            for id in account.subscriptions {
                guard let row = state.subscriptions[id],
                    let current = state.transactions[row.current]
                else {
                    Issue.record("a subscription without its period")
                    continue
                }
                #expect(row.account == account.id && current.originalID == row.id)
                #expect(current.productID == row.productID)
                if row.isRunning, !row.isFamilyShared {
                    #expect(active.insert(row.groupID).inserted, "two of one group")
                }
                if row.state == .active {
                    #expect(current.expiresDate == row.expires)
                    #expect(row.expires >= state.now, "an active period in the past")
                }
                if row.isServed { #expect(current.revocation == nil) }
                if row.state == .expired { #expect(!row.autoRenews) }
            }
            for id in account.transactions {
                guard let row = state.transactions[id] else { continue }
                #expect(row.account == account.id && row.environment == account.environment)
                #expect(state.transactions[row.originalID]?.account == account.id)
                #expect((row.refund == .refunded) == (row.revocation != nil && !row.isFamilyShared))
            }
        }
        let revisions = Set(state.transactions.rows.map(\.revision))
        #expect(revisions.count == state.transactions.count, "two changes of one number")
        #expect(Set(state.orders.keys).count == state.transactions.count)
        for alias in state.aliases.keys { #expect(state.transactions[alias] == nil) }
        let items = Set(
            state.transactions.rows.compactMap { row in
                row.lineItemID.map { "\(row.environment.rawValue) \($0.rawValue)" }
            })
        #expect(items.count == state.transactions.rows.filter { $0.lineItemID != nil }.count)
    }

    @Test func `The same seed and commands make the same state, another seed makes other names`()
        throws
    {
        func run(seed: UInt64) throws -> StoreWorld {
            var world = StoreWorld(seed: seed)
            var chance = SeededRandom(seed: 99)
            let devices = [try world.device("a"), try world.device("b")]
            _ = try world.device("c")
            for _ in 0..<120 { step(&world, &chance, devices) }
            return world
        }
        let one = try run(seed: 5).state
        let two = try run(seed: 5).state
        let other = try run(seed: 6).state
        #expect(one.notifications.rows.map(\.id) == two.notifications.rows.map(\.id))
        #expect(
            one.transactions.rows.map { one.payload($0) }
                == two.transactions.rows.map { two.payload($0) })
        #expect(one.log == two.log)
        #expect(one.notifications.rows.map(\.id) != other.notifications.rows.map(\.id))
    }
}
