import AppStoreModel
import Foundation
import Testing
import TillAPI

@testable import Till

/// What is signed about entitlements, and everything that is not believed.
@Suite(.timeLimit(.minutes(1))) struct SignedEntitlementTests {
    private static let day: Int64 = 86_400_000

    /// Alice owns something, and the server signs.
    private func world(_ change: (inout FakeNotary) -> Void = { _ in }) async throws -> (
        World, FakeNotary
    ) {
        let world = World()
        var notary = try FakeNotary.make()
        change(&notary)
        let signing = notary
        await world.server.change { $0.notary = signing }
        return (world, notary)
    }

    private func launch(
        _ world: World, _ proof: EntitlementProof, as customer: String? = "alice"
    ) async throws -> Till {
        let till = world.launch { $0.entitlementProof = proof }
        guard let customer else { return till }
        try await till.login(customerToken: "token-\(customer)", customerID: customer)
        await till.recover()
        return till
    }

    private func set(
        _ world: World, _ change: @escaping @Sendable (inout FakeNotary) -> Void
    ) async {
        await world.server.change { server in
            guard var notary = server.notary else { return }
            change(&notary)
            server.notary = notary
        }
    }

    @Test(arguments: [false, true])
    func `what is signed is believed, in this launch and offline in the next`(_ isPinned: Bool)
        async throws
    {
        let (world, notary) = try await world()
        let proof: EntitlementProof = isPinned ? .signed(by: notary.pinned) : .signedByServer
        let till = try await launch(world, proof)
        guard case .granted(let delivery) = await till.buy("forever") else {
            Issue.record("not granted")
            return
        }
        #expect(delivery.entitlements == ["forever"])
        #expect(await till.entitlements().isActive("forever"))
        #expect(await till.entitlements().distrust == nil)
        #expect(await world.server.count("GET /.well-known/jwks.json") == (isPinned ? 0 : 1))
        await world.server.change { $0.isDown = true }
        let next = try await launch(world, proof, as: nil)
        let view = await next.entitlements()
        #expect(view.basis == .remembered && view.isActive("forever"))
        #expect(view.asOf == Timestamp(seconds: notary.now))
    }

    @Test func `the keys of a set are read, and nothing that is no P-256 key`() throws {
        let notary = try FakeNotary.make()
        let set = KeySetDocument(keys: [notary.published])
        let text = String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
        #expect(EntitlementKey.keys(inKeySet: text) == notary.pinned)
        #expect(EntitlementKey.keys(inKeySet: text)?.first?.id == "first")
        for wrong in [
            text.replacing("P-256", with: "P-384"), text.replacing("ES256", with: "RS256"),
            text.replacing(#""kid":"first""#, with: #""kid":"""#), #"{"keys":[]}"#, "{", "<html>",
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"first"}]}"#,
        ] {
            #expect(EntitlementKey.keys(inKeySet: wrong) == nil, "\(wrong)")
        }
    }

    private static let faults: [(EntitlementDistrust, @Sendable (inout FakeNotary) -> Void)] = [
        (.unsigned, { $0.isSilent = true }),
        (.malformed, { $0.algorithm = "none" }),
        (.malformed, { $0.algorithm = "HS256" }),
        (.malformed, { $0.issuer = "somebody" }),
        (.malformed, { $0.lifetime = 0 }),
        (.malformed, { $0.now = 1 << 60 }),
        (.unknownKey, { $0.keyID = "other" }),
        (
            .wrongSignature,
            { notary in
                guard let other = try? FakeNotary.make() else { return }
                notary.key = other.key
            }
        ),
        (.wrongCustomer, { $0.subject = "bob" }),
        (
            .rolledBack,
            {
                $0.now -= 3_600; $0.knowsNonces = false
            }
        ),
    ]

    @Test(arguments: faults.indices)
    func `an answer that is not to be believed changes nothing and opens nothing`(_ index: Int)
        async throws
    {
        let (world, notary) = try await world()
        let (reason, change) = Self.faults[index]
        let till = try await launch(world, .signed(by: notary.pinned))
        await till.refresh()
        // The server means well, and what it says now cannot be believed.
        await set(world, change)
        let outcome = await till.buy("forever")
        guard case .granted(let delivery) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(delivery.entitlements.isEmpty)
        let view = await till.refresh()
        #expect(view.distrust == reason)
        #expect(view.active.isEmpty)
        // What was paid is let go of all the same: that is no matter of what may be used.
        await world.expectAllDelivered(payments: 1)
        await set(world) {
            let now = $0.now
            $0 = notary
            $0.now = max(now, notary.now) > 1 << 50 ? notary.now + 1 : max(now, notary.now) + 1
        }
        #expect(await till.refresh().isActive("forever"))
        #expect(await till.entitlements().distrust == nil)
    }

    @Test func `a first answer that is not believed opens nothing`() async throws {
        let (world, notary) = try await world { $0.isSilent = true }
        let till = try await launch(world, .signed(by: notary.pinned))
        _ = await till.buy("forever")
        let view = await till.refresh()
        #expect(view.basis == .unknown && view.distrust == .unsigned && view.active.isEmpty)
    }

    /// What somebody with access to the files does to what is remembered.
    private func tamper(
        _ world: World, _ change: (inout [String: Any]) -> Void
    ) throws {
        let bytes = try #require(world.files["customer.json"])
        var memory = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        change(&memory)
        world.files["customer.json"] = try JSONSerialization.data(withJSONObject: memory)
    }

    @Test func `what is changed in the file opens nothing`() async throws {
        let (world, notary) = try await world()
        let proof = EntitlementProof.signed(by: notary.pinned)
        _ = await (try launch(world, proof)).refresh()
        await world.server.change { $0.isDown = true }
        try tamper(world) { memory in
            guard var customer = memory["customer"] as? [String: Any] else { return }
            customer["entitlements"] = [
                [
                    "entitlement": "forever", "active": true, "productId": "forever",
                    "environment": "Sandbox",
                ]
            ]
            memory["customer"] = customer
        }
        // The nearest neighbour: without a signature this would open it.
        let trusting = try await launch(world, .connection, as: nil)
        #expect(await trusting.entitlements().isActive("forever"))
        let next = try await launch(world, proof, as: nil)
        #expect(await next.entitlements().active.isEmpty)
        try tamper(world) { memory in
            guard var customer = memory["customer"] as? [String: Any],
                let token = customer["signedEntitlements"] as? String
            else { return }
            var parts = token.split(separator: ".").map(String.init)
            parts[1] = FakeNotary.text(
                Data((Base64URL.decode(parts[1]) ?? Data()).dropLast()) + Data(" }".utf8))
            customer["signedEntitlements"] = parts.joined(separator: ".")
            memory["customer"] = customer
        }
        let last = try await launch(world, proof, as: nil)
        #expect(await last.entitlements().distrust == .wrongSignature)
        #expect(await last.entitlements().basis == .unknown)
    }

    @Test func `an older file that comes back is not believed`() async throws {
        let (world, notary) = try await world()
        let proof = EntitlementProof.signed(by: notary.pinned)
        let till = try await launch(world, proof)
        guard case .granted(let delivery) = await till.buy("forever") else { return }
        let old = world.files["customer.json"]
        await set(world) { $0.now += 600 }
        await world.store.revoke(delivery.transactionID)
        await eventually { await !till.entitlements().isActive("forever") }
        await world.server.change { $0.isDown = true }
        world.files["customer.json"] = old
        let next = try await launch(world, proof, as: nil)
        #expect(await next.entitlements().distrust == .rolledBack)
        #expect(await next.entitlements().active.isEmpty)
        // Nor where the record of what was seen is taken away with it.
        world.keychain["standing"] = nil
        let last = try await launch(world, proof, as: nil)
        #expect(await last.entitlements().distrust == .unrecorded)
    }

    @Test func `a no of the server is not taken back by a change in the file`() async throws {
        let (world, notary) = try await world()
        let proof = EntitlementProof.signed(by: notary.pinned)
        let till = try await launch(world, proof)
        _ = await till.buy("forever")
        await world.server.plan("GET /v1/customers", .status(403))
        #expect(await till.refresh().basis == .refused)
        await world.server.change { $0.isDown = true }
        try tamper(world) { $0["isRefused"] = false }
        let next = try await launch(world, proof, as: nil)
        #expect(await next.entitlements().basis == .refused)
    }

    @Test func `it is believed until it ends, and a clock that is set back does not prolong that`()
        async throws
    {
        let (world, notary) = try await world()
        let proof = EntitlementProof.signed(by: notary.pinned)
        let till = try await launch(world, proof)
        _ = await till.buy("forever")
        await world.server.change { $0.isDown = true }
        world.clock.advance(milliseconds: Self.day - 60_000)
        #expect(await till.entitlements().isActive("forever"))
        world.clock.restart(after: 0)
        world.clock.setDevice(by: -365 * Self.day)
        // And the file says that nothing has passed.
        try tamper(world) { memory in
            guard var time = memory["time"] as? [String: Any] else { return }
            time["certain"] = time["serverTime"]
            memory["time"] = time
        }
        let next = try await launch(world, proof, as: nil)
        #expect(await next.entitlements().isActive("forever"))
        world.clock.advance(milliseconds: 120_000)
        #expect(await next.entitlements().basis == .tooOld)
        #expect(await next.entitlements().active.isEmpty)
    }

    @Test func `a fresh answer is believed whatever the server's clock said before`() async throws {
        let (world, notary) = try await world { $0.now += 365 * 86_400 }
        let till = try await launch(world, .signed(by: notary.pinned))
        _ = await till.buy("forever")
        #expect(await till.entitlements().isActive("forever"))
        await set(world) { $0.now -= 365 * 86_400 }
        let view = await till.refresh()
        #expect(view.distrust == nil && view.isActive("forever"))
        #expect(view.asOf == Timestamp(seconds: 1_900_000_000))
    }

    @Test func `a new key of the server is fetched, once`() async throws {
        let (world, _) = try await world()
        let till = try await launch(world, .signedByServer)
        _ = await till.buy("forever")
        var next = try FakeNotary.make("second")
        next.now += 10
        let signing = next
        await world.server.change { $0.notary = signing }
        #expect(await till.refresh().distrust == nil)
        #expect(await till.refresh().isActive("forever"))
        #expect(await world.server.count("GET /.well-known/jwks.json") == 2)
        await world.server.change { $0.isDown = true }
        let offline = try await launch(world, .signedByServer, as: nil)
        #expect(await offline.entitlements().isActive("forever"))
    }

    @Test func `another customer's file opens nothing`() async throws {
        let (world, notary) = try await world()
        let proof = EntitlementProof.signed(by: notary.pinned)
        let alice = try await launch(world, proof)
        _ = await alice.buy("forever")
        let file = try #require(world.files["customer.json"])
        let bob = try await launch(world, proof, as: "bob")
        await bob.refresh()
        await world.server.change { $0.isDown = true }
        world.files["customer.json"] = Data(
            String(decoding: file, as: UTF8.self)
                .replacing(#""customerId":"alice""#, with: #""customerId":"bob""#).utf8)
        let next = try await launch(world, proof, as: nil)
        #expect(await next.entitlements().distrust == .wrongCustomer)
        #expect(await next.entitlements().active.isEmpty)
    }
}
