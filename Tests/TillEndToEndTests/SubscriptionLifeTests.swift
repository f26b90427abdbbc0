import AppStoreModel
import StoreWire
import TestKit
import Testing
import TillLedger

@testable import LocalAppStore

/// A life that a subscription can have.
enum Life: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case renewed, cancelled, ended, enabledAgain, boughtAgain
    case inGrace, graceOver, retried, givenUp, recoveredInGrace, recoveredLate, cancelledInRetry
    case priceAgreed, priceDeclined, notForSale
    case upgraded, downgraded, downgradeTaken, downgradeUndone, upgradeRefunded
    case refunded, oldPeriodRefunded, refundReversed, refundDeclined, refundRequested
    case extended, sharingStopped, sharedRefunded

    var testDescription: String { rawValue }

    private static let basic: ProductID = "com.example.basic.monthly"
    private static let pro: ProductID = "com.example.pro.monthly"
    private static let yearly: ProductID = "com.example.pro.yearly"

    /// Plays it; every step is told to the Till as it happens.
    func play(in world: LifeWorld) async throws -> TransactionID {
        if self == .sharingStopped || self == .sharedRefunded { return try await share(in: world) }
        if isAboutGrace {
            _ = try await world.store.changeEnvironment(
                .sandbox, EnvironmentChange(gracePeriodDays: 16))
        }
        let first = try await world.buy(startsHigh ? Self.pro : Self.basic)
        let id = try #require(first.originalTransactionID)
        // The free week is over, and a month is paid until the eighth of February.
        try await world.pass(days: 10)
        try await live(id, in: world)
        return id
    }

    private var isAboutGrace: Bool {
        [.inGrace, .graceOver, .recoveredInGrace].contains(self)
    }

    private var startsHigh: Bool {
        [.downgraded, .downgradeTaken, .downgradeUndone].contains(self)
    }

    private func live(_ id: TransactionID, in world: LifeWorld) async throws {
        switch self {
        case .renewed: try await world.pass(days: 100)
        case .cancelled, .ended, .enabledAgain, .boughtAgain: try await stop(id, in: world)
        case .inGrace, .graceOver, .retried, .givenUp, .recoveredInGrace, .recoveredLate,
            .cancelledInRetry:
            try await fail(id, in: world)
        case .priceAgreed, .priceDeclined:
            try await world.act(.increasePrice, on: id) {
                $0.price = 9_990
                $0.needsConsent = true
            }
            try await world.act(self == .priceAgreed ? .consent : .declinePrice, on: id)
            try await world.pass(days: 40)
        case .notForSale:
            _ = try await world.store.changeProduct(
                Self.basic, ProductChange(isForSale: false))
            try await world.pass(days: 40)
        case .upgraded, .upgradeRefunded, .downgraded, .downgradeTaken, .downgradeUndone:
            try await change(id, in: world)
        case .refunded, .oldPeriodRefunded, .refundReversed, .refundDeclined, .refundRequested:
            try await payBack(id, in: world)
        case .extended:
            // Another period has to be paid before the one that is extended.
            try await world.pass(days: 31)
            try await world.act(.extend, on: id) { $0.days = 20 }
            try await world.pass(days: 35)
        case .sharingStopped, .sharedRefunded: break
        }
    }

    private func stop(_ id: TransactionID, in world: LifeWorld) async throws {
        try await world.act(.turnOff, on: id)
        if self == .enabledAgain { try await world.act(.turnOn, on: id) }
        try await world.pass(days: self == .cancelled ? 5 : 40)
        if self == .boughtAgain { _ = try await world.buy(Self.pro) }
    }

    private func fail(_ id: TransactionID, in world: LifeWorld) async throws {
        try await world.act(.setBilling, on: id) { $0.fails = true }
        try await world.pass(days: 33)
        if self == .recoveredInGrace { try await world.act(.recover, on: id) }
        if self == .inGrace { return }
        try await world.pass(days: self == .givenUp ? 100 : 20)
        if self == .recoveredLate { try await world.act(.recover, on: id) }
        if self == .cancelledInRetry { try await world.act(.turnOff, on: id) }
    }

    private func change(_ id: TransactionID, in world: LifeWorld) async throws {
        switch self {
        case .upgraded, .upgradeRefunded:
            try await world.act(.change, on: id) { $0.productID = Self.pro }
            if self == .upgradeRefunded {
                try await world.act(.refund, on: try await world.current(id))
            }
        default:
            try await world.act(.change, on: id) { $0.productID = Self.basic }
            if self == .downgradeUndone { try await world.act(.undoChange, on: id) }
            if self == .downgradeTaken { try await world.pass(days: 40) }
        }
    }

    private func payBack(_ id: TransactionID, in world: LifeWorld) async throws {
        switch self {
        case .oldPeriodRefunded:
            let old = try await world.current(id)
            try await world.pass(days: 40)
            try await world.act(.refund, on: old)
        case .refundDeclined:
            try await world.act(.requestRefund, on: try await world.current(id), reason: "REJECT")
        case .refundRequested:
            try await world.act(
                .requestRefund, on: try await world.current(id), reason: "LEGAL")
        default:
            let current = try await world.current(id)
            try await world.act(.refund, on: current)
            if self == .refundReversed { try await world.act(.reverseRefund, on: current) }
        }
    }

    private func share(in world: LifeWorld) async throws -> TransactionID {
        _ = try await world.store.makeAccount(
            AccountRequest(accountID: "mum", environment: .sandbox))
        _ = try await world.store.makeAccount(
            AccountRequest(accountID: "kid", environment: .sandbox))
        _ = try await world.store.setFamily(FamilyRequest(organizer: "mum", members: ["kid"]))
        let bought = try await world.buy(Self.yearly, as: "mum")
        let id = try #require(bought.originalTransactionID)
        try await world.claim(of: "kid", as: "kim")
        try await world.pass(days: 10)
        if self == .sharedRefunded {
            try await world.act(.refund, on: try await world.current(id))
        } else {
            try await world.pass(minutes: 1)
            _ = try await world.store.setFamily(FamilyRequest(organizer: "mum", members: []))
            await world.store.settle()
        }
        return id
    }
}

/// The store plays a life, its notifications reach a Till over HTTP, and both must see the same end.
@Suite struct SubscriptionLifeTests {
    private func expectSame(
        _ till: LifeTill, _ world: LifeWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let now = await world.now
        let rows = await world.store.state.subscriptions.rows
        #expect(!rows.isEmpty)
        for row in rows {
            let customer = row.isFamilyShared ? "kim" : "alice"
            let state = try #require(
                try await till.subscription(row.id, of: customer, at: now),
                sourceLocation: sourceLocation)
            // What Get All Subscription Statuses answers.
            let item = try await world.store.statuses(of: row.id.rawValue, in: .sandbox)
                .first { $0.originalTransactionID == row.id }
            let numbers: [SubscriptionStanding: SubscriptionStatus] = [
                .active: .active, .expired: .expired, .inBillingRetry: .billingRetry,
                .inGracePeriod: .billingGracePeriod, .revoked: .revoked,
            ]
            #expect(numbers[state.standing] == item?.status, sourceLocation: sourceLocation)
            #expect(item?.groupID == state.groupID, sourceLocation: sourceLocation)
            #expect(row.current == state.transactionID, sourceLocation: sourceLocation)
            #expect(row.productID == state.productID, sourceLocation: sourceLocation)
            #expect(row.expires == state.expiresAt, sourceLocation: sourceLocation)
            if state.standing != .revoked {
                #expect(row.autoRenews == state.isAutoRenewing, sourceLocation: sourceLocation)
                #expect(row.nextProductID == state.autoRenewProductID)
            }
            if state.standing == .expired {
                #expect(row.intent == state.endingReason, sourceLocation: sourceLocation)
            }
            let id = try #require(CustomerID(rawValue: customer))
            let entitled = try await till.ledger.customer(id, now: now).entitlements
                .contains(where: \.isActive)
            #expect(entitled == row.isServed, sourceLocation: sourceLocation)
        }
        #expect(
            try await till.ledger.rebuild().discrepancies == [], sourceLocation: sourceLocation)
    }

    @Test(arguments: Life.allCases)
    func `a life that the store tells of ends in the ledger as it ends in the store`(
        life: Life
    ) async throws {
        let world = try await LifeWorld()
        _ = try await life.play(in: world)
        await world.store.settle()
        let told = await world.store.state.notifications.rows
        #expect(told.allSatisfy { $0.attempts.map(\.result) == [.success] })
        try await expectSame(world.till, world)

        // The same in the opposite order, each twice.
        let bodies = await world.bodies()
        let now = await world.now
        let backwards = try await world.anotherTill()
        for body in bodies.reversed() {
            for _ in 0..<2 { #expect(await backwards.take(body) == 200) }
        }
        try await expectSame(backwards, world)
        #expect(
            try await backwards.ledger.export(at: now)
                == (try await world.till.ledger.export(at: now)))

        // And in two orders of chance together with what the apps show.
        var exports: Set<String> = []
        for seed in [1, 2] as [UInt64] {
            let both = try await world.anotherTill()
            var random = SeededRandom(seed: seed)
            let accounts: [AccountID] = await world.store.state.accounts.rows.map(\.id)
            var events = bodies.map { ($0, "") }
            for account in accounts {
                let customer = account == "kid" ? "kim" : "alice"
                events += try await world.transactions(of: account).map { ($0, customer) }
            }
            for (text, customer) in events.shuffled(using: &random) {
                let status =
                    customer.isEmpty
                    ? await both.take(text) : try await both.upload(text, by: customer)
                #expect(status == 200)
            }
            try await expectSame(both, world)
            exports.insert(try await both.ledger.export(at: now))
        }
        #expect(exports.count == 1)
        await world.close()
    }

    @Test func `what the store sells once is granted by its notification alone`() async throws {
        let world = try await LifeWorld()
        let bought = try await world.buy("com.example.lifetime")
        let id = try #require(CustomerID(rawValue: "alice"))
        let alice = try await world.till.ledger.customer(id, now: await world.now)
        #expect(alice.entitlements.map(\.isActive) == [true])
        try await world.act(.refund, on: try #require(bought.transactionID))
        let after = try await world.till.ledger.customer(id, now: await world.now)
        #expect(after.entitlements.allSatisfy { !$0.isActive })
        await world.close()
    }
}
