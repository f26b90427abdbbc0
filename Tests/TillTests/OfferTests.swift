import AppStoreModel
import Testing
import TillAPI

@testable import Till

/// Offers: who may have them, and how the server's word reaches the store.
@Suite(.timeLimit(.minutes(1))) struct OfferTests {
    @Test func `both forms of the signature reach the store as the server made them`() async throws
    {
        for (old, new) in [(true, false), (true, true), (false, true)] {
            let world = World()
            await world.server.change {
                $0.signsOldForm = old
                $0.signsNewForm = new
            }
            let till = try await world.launch(as: "alice")
            _ = await till.buy("monthly", offer: .promotional(id: "half"))
            guard case .signed(let offer)? = await world.store.payments.first?.offer else {
                Issue.record("no offer")
                continue
            }
            #expect(offer.offerID == "half" && offer.keyID == "KEY")
            #expect((offer.signature != nil) == old)
            #expect((offer.compactJWS != nil) == new)
        }
        let world = World()
        await world.server.change { $0.signsOldForm = false }
        let till = try await world.launch(as: "alice")
        guard
            case .failed(let failure) = await till.buy("monthly", offer: .promotional(id: "half"))
        else {
            Issue.record("bought")
            return
        }
        #expect(failure.next == .tryAgain)
        #expect(await world.store.payments.isEmpty)
    }

    @Test func `the introductory offer is bought on the server's word, which names the person`()
        async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        _ = await till.buy("monthly", offer: .introductory)
        #expect(await world.store.payments.first?.offer == .introductory(token: "a.b.c"))
        let asked = await world.server.bodies.first { $0.route == "POST /v1/offers/signatures" }
        #expect(asked?.text.contains(#""transactionId":"copy-1""#) == true)
        #expect(asked?.text.contains(#""kind":"introductoryEligibility""#) == true)
    }

    @Test func `the regular price is never paid for an offer that is not to be had`() async throws {
        let world = World()
        await world.server.change { $0.allowsIntroductoryOffer = false }
        let till = try await world.launch(as: "alice")
        guard case .failed(let failure) = await till.buy("monthly", offer: .introductory) else {
            Issue.record("bought")
            return
        }
        #expect(failure.code == .offerNotAvailable && failure.next == .fixTheCause)
        let original = World(.original)
        let older = try await original.launch(as: "alice")
        guard case .failed(let no) = await older.buy("monthly", offer: .introductory) else {
            Issue.record("bought")
            return
        }
        #expect(no.code == .offerNotAvailable)
        #expect(await original.store.payments.isEmpty)
        #expect(await world.store.payments.isEmpty)
    }

    @Test func `a page shows the introductory offer to whom may have it, and to nobody else`()
        async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        for (says, isShown) in [(true, true), (false, false)] {
            await world.store.change { $0.eligibility = says }
            let shown = try await till.productsOnSale(["monthly", "coins600", "no.such"])
            #expect(shown.map(\.product.id) == ["monthly", "coins600"])
            #expect((shown[0].introductoryOffer != nil) == isShown)
            #expect(shown[1].introductoryOffer == nil)
        }
        await world.store.change {
            $0.eligibility = nil
            $0.isReachable = false
        }
        let next = world.launch()
        await next.start()
        #expect(await next.introductoryOfferEligibility("monthly") == .unknown)
    }
}
