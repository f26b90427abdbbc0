import AppStoreModel
import TestKit
import Testing
import TillLedger

/// Law L7 by example: what a customer has does not hang on the order or number of submissions.
@Suite struct PermutationTests {
    /// What a customer has at several moments, and what is known of every transaction.
    private struct Standing: Equatable {
        var balances: [Balance]
        var entitlements: [[EntitlementState]]
        var history: [TransactionID: TransactionOutcome]
        var states: [TransactionID: ObservedFields]
    }

    private static func standing(_ shop: Shop) async throws -> Standing {
        var entitlements: [[EntitlementState]] = []
        for day in [0, 10, 40, 80, 400] {
            let now = Sale.noon.later(days: day)
            // Which of two ids brought a period first is history, not standing.
            entitlements.append(
                try await shop.customer(at: now).entitlements.map {
                    EntitlementState(
                        entitlement: $0.entitlement, book: $0.book, isActive: $0.isActive,
                        expiresAt: $0.expiresAt, productID: $0.productID, transactionID: "")
                })
        }
        let snapshot = try await shop.customer()
        return Standing(
            balances: snapshot.balances, entitlements: entitlements,
            history: Dictionary(
                uniqueKeysWithValues: snapshot.history.map { ($0.transaction.id, $0.outcome) }),
            states: Dictionary(
                uniqueKeysWithValues: snapshot.history.compactMap { entry in
                    entry.state.map { (entry.transaction.id, $0.fields) }
                }))
    }

    /// A life of purchases, renewals, refunds, a reversal, an upgrade, restores and two ids of one period.
    private static let story: [VerifiedProof] = {
        let refund = Sale("1") {
            $0.revoked = Sale.noon.later(days: 2)
            $0.signed = Sale.noon.later(days: 2)
        }
        let reversal = Sale("1") { $0.signed = Sale.noon.later(days: 3) }
        let gone = Sale("2") {
            $0.revoked = Sale.noon.later(days: 2)
            $0.signed = Sale.noon.later(days: 2)
        }
        let lifetime = Sale("100") { $0.product = Sale.lifetime }
        let restored = Sale("101") {
            $0.product = Sale.lifetime; $0.original = "100"
        }
        let season = Sale("300") { $0.product = Sale.season }
        let nextSeason = Sale("301") {
            $0.product = Sale.season
            $0.purchased = Sale.noon.later(days: 20)
        }
        let upgraded = Sale.month(1) {
            $0.isUpgraded = true
            $0.signed = Sale.noon.later(days: 40)
        }
        let lifetimeGone = Sale("100") {
            $0.product = Sale.lifetime
            $0.revoked = Sale.noon.later(days: 50)
            $0.signed = Sale.noon.later(days: 50)
        }
        let signed = [
            Sale("1"), refund, reversal, Sale("2"), gone, lifetime, restored, season, nextSeason,
            Sale.month(0), Sale.month(0) { $0.id = "777" }, Sale.month(1), upgraded,
            Sale.month(2), lifetimeGone, Sale("9") { $0.environment = .sandbox },
        ]
        return signed.map(\.proof) + [
            Sale.receipt([Sale("1"), Sale("2"), Sale.month(0)]),
            Sale.receipt(
                [Sale("1"), gone, Sale.month(2), Sale.month(0), season],
                created: Sale.noon.later(days: 61)),
            Sale.receipt([]),
        ]
    }()

    @Test(arguments: StoreKind.allCases, 1...12 as ClosedRange<UInt64>)
    func `Any order and repetition of the same proofs ends in the same standing`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let straight = try await Shop(.memory)
        for proof in Self.story { try await Self.hand(proof, to: straight) }

        var random = SeededRandom(seed: seed)
        let shuffled = (Self.story + Self.story.shuffled(using: &random).prefix(7))
            .shuffled(using: &random)
        let shop = try await Shop(kind)
        for proof in shuffled { try await Self.hand(proof, to: shop) }

        #expect(try await Self.standing(shop) == Self.standing(straight))
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases, 1...4 as ClosedRange<UInt64>)
    func `Proofs handed in together, or at the same time, end in the same standing too`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let straight = try await Shop(.memory)
        for proof in Self.story { try await Self.hand(proof, to: straight) }

        var random = SeededRandom(seed: seed)
        let shuffled = Self.story.shuffled(using: &random)
        let together = try await Shop(kind)
        _ = try await together.ledger.record(
            PurchaseSubmission(customer: .anna, proofs: shuffled), now: Sale.noon)
        #expect(try await Self.standing(together) == Self.standing(straight))
        try await together.expectSound()

        let parallel = try await Shop(kind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for proof in shuffled { group.addTask { try await Self.hand(proof, to: parallel) } }
            try await group.waitForAll()
        }
        #expect(try await Self.standing(parallel) == Self.standing(straight))
        try await parallel.expectSound()
    }

    private static func hand(_ proof: VerifiedProof, to shop: Shop) async throws {
        _ = try await shop.ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [proof]), now: Sale.noon)
    }

    @Test func `The story has everything in it`() async throws {
        let shop = try await Shop(.memory)
        for proof in Self.story { try await Self.hand(proof, to: shop) }
        let standing = try await Self.standing(shop)
        #expect(standing.history["1"] == .granted)
        #expect(standing.history["2"] == .revoked)
        #expect(standing.history["101"] == .revoked)
        #expect(standing.balances.map(\.amount) == [600, 15, 600])
        let names = standing.entitlements.map { $0.filter(\.isActive).map(\.entitlement) }
        #expect(names == [["pro", "season"], ["pro", "season"], ["pro", "season"], ["pro"], []])
    }
}
