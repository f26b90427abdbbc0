import AppStoreClient
import AppStoreModel
import CryptoPrimitives
import Foundation
import StoreWire
import Testing

/// Faults of Apple's side over real HTTP.
@Suite(.serialized) struct StoreFaultTests {
    private func ask(
        _ client: AppStoreClient, _ id: TransactionID = "7"
    ) async -> AppStoreClientError? {
        await failure {
            try await client.transaction(id, in: .sandbox)
        }
    }

    private static let path = "/inApps/*"

    @Test func `Trouble that passes is passed over`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            for fault in [
                FaultRule(kind: .error, on: Self.path, times: 2, status: 503),
                FaultRule(kind: .error, on: Self.path, times: 1, errorCode: 5_000_001),
                FaultRule(kind: .error, on: Self.path, times: 1, errorCode: 4_040_002),
                FaultRule(kind: .rateLimit, on: Self.path, times: 1, milliseconds: 20),
                FaultRule(kind: .unauthorized, on: Self.path, times: 1),
                FaultRule(kind: .cut, on: Self.path, times: 1, bytes: 30),
            ] {
                let struck = try await shop.struck()
                try await shop.set(fault)
                // A connection of its own, so that no dead one is met.
                let client = try shop.client { _ in }
                #expect(await ask(client, id) == nil, "\(fault.kind)")
                #expect(try await shop.struck() - struck == fault.times, "\(fault.kind)")
            }
        }
    }

    @Test func `Trouble that stays is told, each kind in its own way`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            for (fault, code, isRetryable, attempts) in [
                (
                    FaultRule(kind: .error, on: Self.path, status: 503),
                    AppStoreClientError.Code.appleTrouble, true, 4
                ),
                (
                    FaultRule(kind: .error, on: Self.path, errorCode: 5_000_000), .appleTrouble,
                    true, 4
                ),
                (FaultRule(kind: .unauthorized, on: Self.path), .tokenRefused, false, 2),
                (
                    FaultRule(kind: .error, on: Self.path, errorCode: 4_040_010), .notFound, false,
                    1
                ),
                (
                    FaultRule(kind: .rateLimit, on: Self.path, milliseconds: 600_000),
                    .rateLimited, true, 1
                ),
            ] {
                try await shop.set(fault)
                let error = await ask(try shop.client { _ in }, id)
                #expect(error?.code == code)
                #expect(error?.isRetryable == isRetryable)
                #expect(error?.attempts == attempts)
            }
            try await shop.set()
            #expect(await ask(shop.client, id) == nil)
        }
    }

    @Test func `A 429 says when, and nobody asks before`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            try await shop.set(
                FaultRule(kind: .rateLimit, on: Self.path, times: 1, milliseconds: 600_000))
            let first = await ask(shop.client, id)
            guard case .retry(notBefore: let moment?)? = first?.remedy else {
                Issue.record("no moment")
                return
            }
            let ahead = Double(moment.milliseconds) / 1_000 - Date().timeIntervalSince1970
            #expect(ahead > 0 && ahead <= 600)
            // The fault is over, and still the client keeps still.
            let second = await ask(shop.client, id)
            #expect(second?.code == .rateLimited)
            #expect(try await shop.calls() == ["Sandbox 429"])
        }
    }

    @Test func `An answer that does not come in time, or is too long, ends the attempt`()
        async throws
    {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            try await shop.set(
                FaultRule(kind: .delay, on: Self.path, times: 1, milliseconds: 1_500))
            let hurried = try shop.client {
                $0.limits.attemptMilliseconds = 100
                $0.limits.repeats = 0
            }
            let late = await ask(hurried, id)
            #expect(late?.code == .noAnswer)
            #expect(late?.isRetryable == true)
            let narrow = try shop.client { $0.limits.responseBytes = 100 }
            let long = await ask(narrow, id)
            #expect(long?.code == .answerTooLarge)
            #expect(long?.remedy == .configuration([.limits]))
        }
    }

    @Test func `A key that is not the store's, or an address where nobody is, is told`()
        async throws
    {
        try await StoreShop.run { shop in
            let foreign = try PrivateKey.generate(.p256).pem
            for change in [
                { $0.serverKey?.privateKey = SecretText(foreign) },
                { $0.serverKey?.keyID = "ABCDEFGHIJ" },
                { $0.serverKey?.issuerID = "57246542-96fe-1a63-e053-0824d011072a" },
                { $0.bundleID = "com.example.other" },
            ] as [(inout AppStoreClient.Configuration) -> Void] {
                let error = await ask(try shop.client(change))
                #expect(error?.code == .tokenRefused)
                #expect(error?.attempts == 2)
            }
            let lost = try shop.client {
                $0.sandbox = .init(both: "http://127.0.0.1:1")
                $0.limits.repeats = 1
            }
            let error = await ask(lost)
            #expect(error?.code == .unreachable)
            #expect(error?.attempts == 2)
            let misled = try shop.client { $0.sandbox.serverAPI += "/nowhere" }
            #expect(await ask(misled)?.remedy == .configuration([.addresses]))
        }
    }

    @Test func `A cancelled call ends at once`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            try await shop.set(
                FaultRule(kind: .delay, on: Self.path, times: 1, milliseconds: 3_000))
            let task = Task { await ask(shop.client, id) }
            // The fault strikes when the call is on its way; not cancelled it would succeed.
            while try await shop.struck() == 0 { await Task.yield() }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(await ask(shop.client, id) == nil)
        }
    }

    @Test func `Many tasks share a budget, and all are served`() async throws {
        try await StoreShop.run { shop in
            let id = try await shop.bought("com.example.coins20")
            let failures = await withTaskGroup(of: AppStoreClientError?.self) { group in
                for _ in 0..<30 { group.addTask { await ask(shop.client, id) } }
                return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(failures.isEmpty)
        }
    }
}
