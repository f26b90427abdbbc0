import AppStoreClient
import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import Foundation
import StoreWire
import Testing

/// `verifyReceipt` over real HTTP against the local App Store.
@Suite(.serialized) struct StoreReceiptTests {
    private func receipt(_ bought: ControlBuyResponse) throws -> [UInt8] {
        let text = try #require(bought.receipt)
        return Array(try #require(Data(base64Encoded: text)))
    }

    private func fault(
        _ client: AppStoreClient, _ receipt: [UInt8], _ judgement: OwnJudgement = .genuine
    ) async -> AppStoreClientError? {
        await failure {
            try await client.verifyReceipt(receipt, judgement: judgement)
        }
    }

    @Test func `A receipt of either environment is found there, and says where it is from`()
        async throws
    {
        try await StoreShop.run { shop in
            let tester = try receipt(try await shop.buy("com.example.coins20"))
            let customer = try receipt(
                try await shop.buy("com.example.coins20", in: .production))
            let sandboxFirst = try shop.client { $0.environments = [.sandbox, .production] }
            for (client, bytes, environment, calls) in [
                (shop.client, customer, AppStoreEnvironment.production, 1),
                (shop.client, tester, .sandbox, 2), (sandboxFirst, tester, .sandbox, 1),
                (sandboxFirst, customer, .production, 2),
            ] {
                let before = try await shop.calls().count
                let opinion = try await client.verifyReceipt(bytes, judgement: .genuine)
                #expect(opinion.environment == environment)
                #expect(opinion.answer?.bundleID == "com.example.app")
                #expect(try await shop.calls().count == before + calls)
            }
            let productionOnly = try shop.client { $0.environments = [.production] }
            let refused = try await productionOnly.verifyReceipt(tester, judgement: .genuine)
            #expect(refused.refusal?.code == .otherEnvironment)
        }
    }

    @Test func `Subscriptions come with their periods and renewals, and a receipt that verifies`()
        async throws
    {
        try await StoreShop.run { shop in
            let bought = try await shop.buy("com.example.pro.monthly", in: .production)
            try await shop.pass(days: 70)
            let bytes = try receipt(bought)
            let opinion = try await shop.client.verifyReceipt(bytes, judgement: .genuine)
            let answer = try #require(opinion.answer)
            #expect(answer.latestTransactions.count == 4)
            #expect(answer.pendingRenewals.map(\.autoRenewStatus) == [.on])
            let latest = try #require(answer.unverifiedLatestReceipt)
            let verified = try shop.verifier.verifyReceipt(
                Array(try #require(Data(base64Encoded: latest))))
            #expect(verified.value.inApp.count == 4)
            let short = try await shop.client.verifyReceipt(
                bytes, judgement: .genuine, excludingOldTransactions: true)
            #expect(short.answer?.latestTransactions == [answer.latestTransactions[0]])
        }
    }

    @Test func `A wrong secret and a missing one are told, and mended the receipt is valid`()
        async throws
    {
        try await StoreShop.run { shop in
            let bytes = try receipt(
                try await shop.buy("com.example.pro.monthly", in: .production))
            let without = try shop.client { $0.sharedSecret = nil }
            #expect(await fault(without, bytes)?.code == .sharedSecretRefused)
            let wrong = try shop.client { $0.sharedSecret = .init("wrong") }
            let error = await fault(wrong, bytes)
            #expect(error?.remedy == .configuration([.sharedSecret]))
            #expect(error?.receiptStatus == .wrongSecret)
            #expect(await fault(shop.client, bytes) == nil)
        }
    }

    @Test func `A forged receipt is refused when our own verification says so too, and garbage is`()
        async throws
    {
        try await StoreShop.run { shop in
            var bytes = try receipt(try await shop.buy("com.example.coins20", in: .production))
            bytes[bytes.count - 1] ^= 1
            let opinion = try await shop.client.verifyReceipt(bytes, judgement: .notGenuine)
            #expect(opinion.refusal == ReceiptRefusal(code: .notGenuine, status: 21_003))
            #expect(await fault(shop.client, bytes, .notMade)?.code == .receiptDisputed)
            let garbage = try await shop.client.verifyReceipt([1, 2, 3], judgement: .unreadable)
            #expect(garbage.refusal == ReceiptRefusal(code: .unreadable, status: 21_002))
            let undecided = await fault(shop.client, [1, 2, 3], .notMade)
            #expect(undecided?.code == .receiptUndecided)
            #expect(undecided?.attempts == 4)
        }
    }

    @Test func `21002 once is trouble of Apple's, and for ever it is parked`() async throws {
        try await StoreShop.run { shop in
            let bytes = try receipt(try await shop.buy("com.example.coins20", in: .production))
            try await shop.set(
                FaultRule(kind: .error, on: "/verifyReceipt", times: 1, status: 21_002))
            #expect(await fault(shop.client, bytes) == nil)
            try await shop.set(FaultRule(kind: .error, on: "/verifyReceipt", status: 21_002))
            let error = await fault(shop.client, bytes)
            #expect(error?.isRetryable == true)
            #expect(error?.attempts == 4)
        }
    }

    @Test(arguments: ["is-retryable", "is_retryable"])
    func `Trouble passes when Apple's flag lets it, in both spellings`(_ key: String) async throws {
        try await StoreShop.run { shop in
            let bytes = try receipt(try await shop.buy("com.example.coins20", in: .production))
            for status in [21_005, 21_009, 21_100, 21_199] {
                for flag in [Bool?.none, true, false] {
                    try await shop.set(
                        FaultRule(
                            kind: .error, on: "/verifyReceipt", times: 2, status: status,
                            isRetryable: flag, retryableKey: key))
                    let opinion = try await shop.client.verifyReceipt(bytes, judgement: .genuine)
                    #expect((opinion.answer != nil) == (flag != false), "\(status)")
                    #expect((opinion.refusal?.code == .notRetryable) == (flag == false))
                }
            }
            try await shop.set(FaultRule(kind: .error, on: "/verifyReceipt", status: 21_010))
            let gone = try await shop.client.verifyReceipt(bytes, judgement: .genuine)
            #expect(gone.refusal?.code == .accountNotFound)
        }
    }

    @Test func `Mixed up addresses are told, and nobody runs in a circle`() async throws {
        try await StoreShop.run { shop in
            let bytes = try receipt(try await shop.buy("com.example.coins20"))
            // Both addresses are production's: each says that the receipt is the sandbox's.
            let mixed = try shop.client { $0.sandbox = $0.production }
            let error = await fault(mixed, bytes)
            #expect(error?.code == .environmentsDisagree)
            #expect(error?.remedy == .configuration([.addresses]))
            #expect(try await shop.calls() == ["Production 200", "Production 200"])
        }
    }

    @Test func `A receipt of iOS 6 is valid, and stays so when its subscription is over`()
        async throws
    {
        try await StoreShop.run { shop in
            let device = try await shop.launch(in: .production)
            let bought = try await shop.purchase("com.example.basic.weekly", on: device)
            let text = try #require(bought.item.transactionReceipt)
            let bytes = Array(try #require(Data(base64Encoded: text)))
            let now = try await shop.client.verifyReceipt(bytes, judgement: .genuine)
            #expect(now.answer?.isExpired == false)
            try await shop.pass(days: 40)
            let later = try await shop.client.verifyReceipt(bytes, judgement: .genuine)
            #expect(later.answer?.isExpired == true)
            #expect(later.answer?.latestTransactions.isEmpty == false)
        }
    }
}
