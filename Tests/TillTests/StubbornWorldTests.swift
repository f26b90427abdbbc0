import AppStoreModel
import HTTPMessage
import Testing
import TillAPI

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Odd answers, odd files, several instances, and people who change their minds.
@Suite(.timeLimit(.minutes(1))) struct StubbornWorldTests {
    private static let odd: [FakeServer.Fault] = [
        .status(200, "<html>Welcome to the hotel</html>"), .status(200, #"{"results":[{"transac"#),
        .status(200), .status(204), .status(302, "moved"), .status(307), .status(304),
        .status(200, #"{"title":"no","status":422,"finish":true}"#), .status(200, "[]"),
        .status(200, "null"), .status(201, "1"), .status(418), .status(451, "<html>"),
        .status(511, "<html>"), .status(500, "{"), .status(404, #"{"status":404}"#),
        .status(422, #"{"status":"many","finish":true}"#),
    ]

    @Test(arguments: odd.indices, FakeStore.Flavor.allCases)
    func `an answer that is not plainly the server's keeps what was paid`(
        _ index: Int, _ flavor: FakeStore.Flavor
    ) async throws {
        let fault = Self.odd[index]
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        await world.server.plan("POST /v1/purchases", fault, fault, fault)
        switch await till.buy("coins600") {
        case .failed(let failure): #expect(failure.next == .deliveredLater)
        case .refused(let refusal): #expect(!refusal.isFinal)
        case let outcome: Issue.record("\(outcome)")
        }
        #expect(await world.store.queue.count == 1)
        #expect(world.files.orderCount == 1)
        await world.server.change { $0.faults = [:] }
        _ = try await world.launch(as: "alice")
        await world.expectAllDelivered(payments: 1)
        #expect(world.files.orderCount == 0)
    }

    @Test(arguments: odd.indices)
    func `an odd answer to an order costs nothing`(_ index: Int) async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        let fault = Self.odd[index]
        await world.server.plan("POST /v1/orders", fault, fault, fault)
        guard case .failed = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(await world.store.payments.isEmpty)
        #expect(world.files.orderCount == 0)
    }

    @Test func `numbers of any size do no harm`() async throws {
        let world = World()
        await world.server.change {
            $0.entitlementEnd = Timestamp(milliseconds: .max)
            $0.date = "Fri, 31 Dec 9999 23:59:59 GMT"
        }
        let till = world.launch {
            $0.offlineAgeSeconds = .max
            $0.offlineGraceSeconds = .max
        }
        try await till.login(customerToken: "token-alice", customerID: "alice")
        _ = await till.buy("monthly")
        #expect(await till.entitlements().isActive("monthly"))
        await world.server.plan(
            "POST /v1/purchases",
            .problem(ProblemDocument(.storageUnavailable, retryAfter: .max)),
            .problem(ProblemDocument(.storageUnavailable, retryAfter: .min)),
            .status(503, retryAfter: .max))
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.next == .deliveredLater)
    }

    @Test func `Retry-After holds for every way of trying again, and for an hour at the most`()
        async throws
    {
        for seconds in [600, 86_400] {
            let world = World()
            let (wakeUps, wake) = AsyncStream.makeStream(of: WakeUp.self)
            let till = world.launch(wakeUps: wakeUps)
            try await till.login(customerToken: "token-alice", customerID: "alice")
            await till.recover()
            await world.server.plan("POST /v1/purchases", .status(503, retryAfter: seconds))
            _ = await till.buy("coins600")
            let asked = await world.server.count("POST /v1/purchases")
            wake.yield(.cameForward)
            wake.yield(.networkReturned)
            await till.recover()
            try await till.login(customerToken: "token-alice", customerID: "alice")
            await till.recover()
            #expect(await world.server.count("POST /v1/purchases") == asked)
            await eventually { world.clock.sleepers >= 1 }
            world.clock.advance(milliseconds: Int64(min(seconds, 3_600)) * 1_000 + 1)
            await eventually { await world.store.queue.isEmpty }
            await world.expectAllDelivered(payments: 1)
        }
    }

    @Test func `Retry-After may be a date`() async throws {
        let fields = ["Sun, 17 Mar 2030 17:56:40 GMT": 600, "120": 120, "soon": nil, "-5": 0]
        for (text, seconds) in fields {
            var response = HTTPResponse(status: HTTPStatus(rawValue: 429))
            response.fields["Date"] = "Sun, 17 Mar 2030 17:46:40 GMT"
            response.fields["Retry-After"] = text
            do throws(DeskFailure) {
                let _: DeskAnswer<OrderDocument> = try ServerAnswer(response).read()
                Issue.record("an answer")
            } catch {
                #expect(error.retryAfterSeconds == seconds, "\(text)")
            }
        }
    }

    @Test func `a repeat of one customer's request is not taken for another's`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.server.plan("POST /v1/purchases", .answerLost)
        await world.store.add("coins600", isForged: true)
        await till.recover()
        try await till.login(customerToken: "token-bob", customerID: "bob")
        await till.recover()
        let exchanges = await world.server.exchanges.filter { $0.route == "POST /v1/purchases" }
        let keys = Set(exchanges.map { "\($0.customer ?? "") \($0.key ?? "")" })
        #expect(Set(exchanges.compactMap(\.key)).count == keys.count)
        #expect(Set(exchanges.map(\.customer)) == ["alice", "bob"])
    }

    @Test func `a token that is over is renewed once, however many ask`() async throws {
        let world = World()
        let renewals = Locked(0)
        let till = world.launch { configuration in
            configuration.renewToken = { _ in
                renewals.withLock { $0 += 1 }
                for _ in 0..<50 { await Task.yield() }
                return "newer"
            }
        }
        try await till.login(customerToken: "token-alice", customerID: "alice")
        await till.recover()
        await world.server.change {
            $0.tokens["token-alice"] = nil
            $0.tokens["newer"] = "alice"
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = await till.refresh() } }
        }
        #expect(await till.entitlements().basis == .server)
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test func `a login under another name than the token's is refused`() async throws {
        let till = World().launch()
        // {"sub":"bob"}
        let token = "e30.eyJzdWIiOiJib2IifQ.e30"
        await #expect(throws: LoginError(.otherCustomer)) {
            try await till.login(customerToken: token, customerID: "alice")
        }
        #expect(await till.customerID == nil)
        try await till.login(customerToken: token, customerID: "bob")
        #expect(await till.customerID == "bob")
    }

    @Test func `nothing is paid when another customer logs in while it is prepared`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.server.change {
            $0.interrupts["POST /v1/orders"] = {
                try? await till.login(customerToken: "token-bob", customerID: "bob")
            }
        }
        guard case .failed(let failure) = await till.buy("coins600") else {
            Issue.record("bought")
            return
        }
        #expect(failure.code == .customerChanged && failure.next == .tryAgain)
        #expect(await world.store.payments.isEmpty)
        #expect(world.files.orderCount == 0)
    }

    @Test func `one that the server cannot take holds up no other`() async throws {
        let world = World()
        for _ in 0..<9 { await world.store.add("coins600") }
        let block = await world.store.queue[5].transactionID?.rawValue
        await world.server.change { $0.stumblingBlock = block }
        let till = try await world.launch(as: "alice")
        await till.recover()
        #expect(await world.store.queue.map(\.transactionID?.rawValue) == [block])
        #expect(await world.grants.count == 8)
        await world.server.change { $0.stumblingBlock = nil }
        await till.recover()
        await world.expectAllDelivered(payments: 9)
    }

    @Test(arguments: FakeStore.Flavor.allCases)
    func `a restore of any size brings everything back`(_ flavor: FakeStore.Flavor) async throws {
        let world = World(flavor)
        let till = try await world.launch(as: "alice")
        for _ in 0..<700 {
            let handle = await world.store.add("forever").handle
            await world.store.finish(handle)
        }
        guard case .restored(let restoration) = await till.restore() else {
            Issue.record("not restored")
            return
        }
        #expect(restoration.originalTransactionIDs.count == 700)
        #expect(await world.grants.count == 700)
        #expect(await world.store.queue.isEmpty)
        for purchase in await world.server.purchases {
            #expect(purchase.signedTransactions.count <= APILimits.signedTransactions)
            #expect(purchase.transactionIDs.count <= APILimits.transactionIDs)
        }
    }

    @Test func `a refund that is undone is news, though the id was over before`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        guard case .granted(let delivery) = await till.buy("forever") else { return }
        let bought = await world.store.bought(delivery.transactionID)
        await world.store.revoke(delivery.transactionID)
        await eventually { await world.server.revoked.count == 1 }
        await eventually { await till.news.isEmpty }
        let asked = await world.server.count("POST /v1/purchases")
        await world.store.tell(.transaction(try #require(bought)))
        await eventually { await world.server.count("POST /v1/purchases") == asked + 1 }
    }

    // MARK: Files

    @Test func `drafts and strangers in the folder are no orders`() async throws {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins600")
        let name = try #require(world.files.names.first { $0.hasPrefix("order-") })
        world.files["\(name).77-1.new"] = world.files[name]
        world.files["order-nothing.json"] = Data("{}".utf8)
        world.files[name] = nil
        #expect(await world.launch().journal.view().orders.isEmpty)
        #expect(await world.launch().journal.view().unreadable.isEmpty)
    }

    @Test(arguments: [false, true])
    func `an order whose file is cut is asked for at the server, and guessed by nobody`(
        _ isAlices: Bool
    ) async throws {
        let world = World(.original)
        let first = try await world.launch(as: isAlices ? "alice" : "bob")
        await world.store.plan(.waitsForApproval)
        _ = await first.buy("coins600")
        let name = try #require(world.files.names.first { $0.hasPrefix("order-") })
        world.files[name] = world.files[name]?.prefix(20)
        await first.logout()
        await world.store.approve()
        await world.store.relaunch(forgetsTokens: true)
        let alice = try await world.launch(as: "alice")
        if isAlices {
            await world.expectAllDelivered(payments: 1)
            #expect(world.files.orderCount == 0)
            return
        }
        #expect(await world.grants.isEmpty)
        #expect(await alice.unclaimedPurchases().count == 1)
        await alice.logout()
        _ = try await world.launch(as: "bob")
        await world.expectAllDelivered(payments: 1, to: "bob")
    }

    @Test func `a second instance sees what the first one noted, and what it closed`() async throws
    {
        let world = World(.original)
        let app = try await world.launch(as: "alice")
        let files = LaunchDisk(files: world.files, life: KillSwitch())
        let other = Journal(disk: files)
        #expect(await other.view().orders.isEmpty)
        await world.store.plan(.waitsForApproval)
        _ = await app.buy("coins600")
        #expect(await other.view().orders.map(\.customerID) == ["alice"])
        await world.store.approve()
        await eventually { await world.store.queue.isEmpty }
        await eventually { world.files.orderCount == 0 }
        #expect(await other.view().orders.isEmpty)
    }

    @Test
    func `what the disk does not take holds for the launch, and a folder that fails hides nothing`()
        async throws
    {
        let world = World()
        let till = try await world.launch(as: "alice")
        await world.store.plan(.waitsForApproval)
        _ = await till.buy("coins600")
        let id = try #require(await till.journal.all().first?.orderID)
        world.files.breaks(true)
        await till.journal.update(id) { $0.transactionID = "7" }
        #expect(await till.journal.all().first?.transactionID == "7")
        #expect(await world.launch().journal.all().first?.transactionID == nil)
        world.files.hides(true)
        #expect(await till.journal.all().count == 1)
    }

    @Test func `a claim outlives the launch, and is its customer's alone`() async throws {
        let world = World(.original)
        await world.store.add("coins600")
        let careful: (inout TillConfiguration) -> Void = { $0.unattributedPurchases = .askFirst }
        let till = world.launch(KillSwitch(), careful)
        try await till.login(customerToken: "token-alice", customerID: "alice")
        let purchase = try #require(await till.unclaimedPurchases().first)
        await world.server.change { $0.isDown = true }
        guard case .failed(let failure) = await till.claim(purchase) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.next == .deliveredLater)
        await till.logout()
        await world.server.change { $0.isDown = false }
        let bob = world.launch(KillSwitch(), careful)
        try await bob.login(customerToken: "token-bob", customerID: "bob")
        await bob.recover()
        #expect(await world.grants.isEmpty)
        let alice = world.launch(KillSwitch(), careful)
        try await alice.login(customerToken: "token-alice", customerID: "alice")
        await alice.recover()
        await world.expectAllDelivered(payments: 1)
    }

    @Test func `names that go in circles end nowhere`() {
        var ties = Ties()
        ties.merge("a", into: "b")
        ties.merge("b", into: "c")
        ties.merge("c", into: "a")
        #expect(ties.canonical("a") == "c" && ties.canonical("c") == "c")
        let circle = Data(#"{"merged":{"a":"b","b":"a"},"claims":{}}"#.utf8)
        let damaged = try? JSONDecoder().decode(Ties.self, from: circle)
        #expect(damaged?.canonical("a") == "a")
        for number in 0..<1_000 {
            ties.claim(TransactionID("\(number)"), by: "a")
            ties.merge("x\(number)", into: "y")
        }
        #expect(ties.claims.count == Ties.claimLimit && ties.merged.count == Ties.mergeLimit)
    }
}
