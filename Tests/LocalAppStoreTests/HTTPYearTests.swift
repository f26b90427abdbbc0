import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import Foundation
import StoreWire
import Testing

@testable import LocalAppStore

@Suite(.serialized) struct HTTPYearTests {
    private static let day: Int64 = 86_400_000

    /// A person at the control API, and the server that hears of it.
    private struct Year {
        let world: HTTPWorld
        let id: TransactionID

        func pass(_ days: Int64) async throws {
            let _: ClockInfo = try await world.call(
                ControlRoute.moveClock,
                body: ClockChange(advanceMilliseconds: days * HTTPYearTests.day))
        }

        func act(
            _ action: SubscriptionActionKind, _ fill: (inout SubscriptionAction) -> Void = { _ in }
        ) async throws {
            var wanted = SubscriptionAction(action: action)
            fill(&wanted)
            let _: SubscriptionInfo = try await world.call(
                ControlRoute.actOnSubscription, ["subscription": id.rawValue], body: wanted)
        }

        func act(_ action: TransactionActionKind, on id: TransactionID) async throws {
            let _: TransactionRecord = try await world.call(
                ControlRoute.actOnTransaction, ["transaction": id.rawValue],
                body: TransactionAction(action: action))
        }
    }

    @Test
    func `A year of a monthly subscription tells each trouble once, in order, to a real server`()
        async throws
    {
        let receiver = try NotificationReceiver()
        try await HTTPWorld.run(notificationURL: receiver.url) { world in
            let _: EnvironmentInfo = try await world.call(
                ControlRoute.changeEnvironment, ["environment": "Production"],
                body: EnvironmentChange(gracePeriodDays: 16))
            let first = try await world.buy("com.example.basic.monthly", in: .production)
            let year = Year(world: world, id: try #require(first.originalTransactionID))
            // January: the free week ends, the first month is paid.
            try await year.pass(8)
            // February: a payment fails and is repaired within the grace period.
            try await year.act(.setBilling) { $0.fails = true }
            try await year.pass(33)
            try await year.act(.recover)
            // March: off and on again, a downgrade that is taken back, an upgrade at once.
            try await year.act(.turnOff)
            try await year.act(.turnOn)
            try await year.act(.change) { $0.productID = "com.example.basic.weekly" }
            try await year.act(.undoChange)
            try await year.act(.change) { $0.productID = "com.example.pro.monthly" }
            // April: a dearer price, agreed to.
            try await year.pass(3)
            try await year.act(.increasePrice) {
                $0.price = 14_990
                $0.needsConsent = true
            }
            try await year.act(.consent)
            try await year.pass(30)
            // May to August: payments fail for good.
            try await year.act(.setBilling) { $0.fails = true }
            try await year.pass(100)
            // September: back again, paid back, and the refund taken back.
            try await year.act(.setBilling) { $0.fails = false }
            let again = try await world.buy("com.example.pro.monthly", in: .production)
            let second = try #require(again.transactionID)
            try await year.act(.refund, on: second)
            try await year.act(.reverseRefund, on: second)
            // The last months: turned off, and over.
            try await year.act(.turnOff)
            try await year.pass(60)
            await world.server.store.settle()

            #expect(
                try receiver.words() == [
                    "SUBSCRIBED/INITIAL_BUY", "DID_RENEW",
                    "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_RENEW/BILLING_RECOVERY",
                    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
                    "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
                    "DID_CHANGE_RENEWAL_PREF/UPGRADE", "PRICE_INCREASE/PENDING",
                    "PRICE_INCREASE/ACCEPTED", "DID_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
                    "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY", "SUBSCRIBED/RESUBSCRIBE",
                    "REFUND", "REFUND_REVERSED",
                    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
                ])
            // Each verifies, and none came twice.
            let verifier = ProofVerifier(
                configuration: try .unsafeAnyApp(
                    extraRoots: [
                        ExtraRoot(name: "store", certificate: try HTTPWorld.authority.get().root)
                    ]))
            let ids = try receiver.signed().map {
                try verifier.verifyNotification($0).notification.value.notificationUUID
            }
            #expect(Set(ids).count == ids.count)
        }
        await receiver.stop()
    }
}
