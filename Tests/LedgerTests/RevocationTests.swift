import AppStoreModel
import Testing
import TillLedger

@Suite struct RevocationTests {
    private let refunded = Sale("1") {
        $0.revoked = Sale.noon.later(days: 1)
        $0.signed = Sale.noon.later(days: 1)
    }
    private let reversed = Sale("1") { $0.signed = Sale.noon.later(days: 2) }

    @Test(arguments: StoreKind.allCases)
    func `A refund takes back once what was given`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"), Sale("2"))
        for _ in 0..<3 {
            let results = try await shop.show(refunded)
            #expect(results.map(\.outcome) == [.revoked])
            #expect(results.map(\.mayFinish) == [true])
            #expect(try await shop.balance() == 600)
        }
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund that comes first leaves nothing to grant`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        #expect(try await shop.show(refunded).map(\.outcome) == [.revoked])
        // Signed before the refund, so it proves nothing any more.
        #expect(try await shop.show(Sale("1")).map(\.outcome) == [.revoked])
        #expect(try await shop.balance() == 0)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund that Apple reversed is given back once`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale("1"))
        try await shop.show(refunded)
        #expect(try await shop.show(reversed).map(\.outcome) == [.granted])
        #expect(try await shop.show(reversed).map(\.outcome) == [.alreadyGranted])
        // The old refund, shown again, is older than the reversal.
        #expect(try await shop.show(refunded).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance() == 600)
        try await shop.expectSound()
    }

    @Test(arguments: StoreKind.allCases)
    func `A refund of an old period leaves the new one`(kind: StoreKind) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0), Sale.month(1))
        let old = Sale.month(0) {
            $0.revoked = Sale.noon.later(days: 35)
            $0.signed = Sale.noon.later(days: 35)
        }
        #expect(try await shop.show(old).map(\.outcome) == [.revoked])
        #expect(try await shop.active(at: Sale.noon.later(days: 40)) == ["pro"])
        #expect(try await shop.balance(.anna, "gems") == 5)
        let new = Sale.month(1) {
            $0.revoked = Sale.noon.later(days: 41)
            $0.signed = Sale.noon.later(days: 41)
        }
        #expect(try await shop.show(new).map(\.outcome) == [.revoked])
        #expect(try await shop.active(at: Sale.noon.later(days: 41)) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `An entitlement with two grantors survives the loss of one`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0), Sale("5") { $0.product = Sale.lifetime })
        let refund = Sale("5") {
            $0.product = Sale.lifetime
            $0.revoked = Sale.noon.later(days: 1)
            $0.signed = Sale.noon.later(days: 1)
        }
        let end = Sale.noon.later(days: 31)
        #expect(try await shop.active(at: end) == ["pro"])
        try await shop.show(refund)
        #expect(try await shop.active(at: Sale.noon.later(days: 2)) == ["pro"])
        #expect(try await shop.active(at: end) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A period that an upgrade replaced entitles to nothing, and is no refund`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        try await shop.show(Sale.month(0))
        let upgraded = Sale.month(0) {
            $0.isUpgraded = true
            $0.signed = Sale.noon.later(days: 5)
        }
        let yearly = Sale.month(1) {
            $0.product = Sale.yearly
            $0.purchased = Sale.noon.later(days: 5)
            $0.expires = Sale.noon.later(days: 370)
            $0.signed = Sale.noon.later(days: 5)
        }
        #expect(try await shop.show(upgraded).map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.active(at: Sale.noon.later(days: 6)) == [])
        #expect(try await shop.show(yearly).map(\.outcome) == [.granted])
        #expect(try await shop.active(at: Sale.noon.later(days: 6)) == ["extra", "pro"])
        // The receipt writes a cancellation date on the replaced period.
        let listed = Sale.month(0) { $0.revoked = Sale.noon.later(days: 5) }
        let answer = try await shop.showReceipt([listed], created: Sale.noon.later(days: 7))
        #expect(answer.results.map(\.outcome) == [.alreadyGranted])
        #expect(try await shop.balance(.anna, "gems") == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func `An order tells that its goods were taken back and given back`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let order = try await shop.order()
        try await shop.show(Sale("1"), order: order.order.id)
        var statuses: [OrderStatus] = []
        for sale in [Sale("1"), refunded, reversed] {
            try await shop.show(sale)
            let now = try await shop.ledger.order(order.order.id, of: .anna)
            statuses += [now?.status(at: Sale.noon) ?? .open]
        }
        #expect(statuses == [.fulfilled, .refunded, .fulfilled])
        let other = try await shop.order()
        let gone = Sale("2") {
            $0.token = other.order.id.rawValue
            $0.revoked = Sale.noon.later(days: 1)
        }
        #expect(try await shop.show(gone, gone).map(\.outcome) == [.revoked])
        let now = try await shop.ledger.order(other.order.id, of: .anna)
        #expect(now?.status(at: Sale.noon) == .refunded)
        #expect(now?.events.map(\.kind) == [.paid, .refunded])
    }

    @Test func `The newest word of Apple wins, whatever order it came in`() throws {
        let digest = try #require(ProofDigest(rawValue: [UInt8](repeating: 1, count: 32)))
        var plain = ObservedFields(source: .transaction)
        plain.price = 990
        var taken = plain
        taken.revocationDate = Sale.noon
        taken.price = nil
        let early = Observation(number: 0, signedAt: Sale.noon, fields: plain, proof: digest)
        let late = Observation(
            number: 1, signedAt: Sale.noon.later(minutes: 1), fields: taken, proof: digest)
        for order in [[early, late], [late, early]] {
            let state = try #require(TransactionState(order))
            #expect(state.isRevoked)
            // What the newer one does not say is still known.
            #expect(state.fields.price == 990)
        }
        #expect(TransactionState([early])?.isRevoked == false)
        #expect(TransactionState([Observation]()) == nil)
        let same = Observation(number: 1, signedAt: Sale.noon, fields: taken, proof: digest)
        #expect(TransactionState([same, early])?.isRevoked == true)
        #expect(TransactionState([early, same])?.isRevoked == true)
    }
}
