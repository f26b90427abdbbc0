import AppStoreModel
import Foundation
import HTTPMessage
import TestKit
import Testing

@testable import AppStoreClient

/// `verifyReceipt`: every status, and who is asked.
@Suite struct StatusTests {
    private static let receipt: [UInt8] = [1, 2, 3]

    private func opinion(
        _ world: ScriptedWorld, _ judgement: OwnJudgement = .notMade
    ) async throws -> ReceiptOpinion {
        try await world.client.verifyReceipt(Self.receipt, judgement: judgement)
    }

    @Test func `The request has the receipt in plain base64, the password, and no more`()
        async throws
    {
        let world = try ScriptedWorld([.validReceipt, .validReceipt])
        let bytes = [UInt8](repeating: 0xFB, count: 200)
        _ = try await world.client.verifyReceipt(bytes, judgement: .notMade)
        _ = try await world.client.verifyReceipt(
            bytes, judgement: .notMade, excludingOldTransactions: true)
        let sent = try world.script.requests.map {
            try JSONDecoder().decode(JSONValue.self, from: $0.body)
        }
        let base64 = JSONValue.string(Data(bytes).base64EncodedString())
        let secret = JSONValue.string(ScriptedWorld.secret)
        #expect(sent[0] == ["receipt-data": base64, "password": secret])
        #expect(
            sent[1] == [
                "receipt-data": base64, "password": secret, "exclude-old-transactions": true,
            ])
        for request in world.script.requests {
            #expect(request.method == .post)
            #expect(request.target == "https://buy.itunes.apple.com/verifyReceipt")
            #expect(request.fields["Authorization"] == nil)
        }
    }

    @Test func `Production is asked first and its 21007 leads to the sandbox, which says so`()
        async throws
    {
        let world = try ScriptedWorld([.status(21_007), .validSandboxReceipt])
        let opinion = try await opinion(world)
        #expect(opinion.environment == .sandbox)
        #expect(opinion.answer != nil)
        #expect(world.asked == [.production, .sandbox])
        let plain = try ScriptedWorld([.validReceipt])
        #expect(try await self.opinion(plain).environment == .production)
        #expect(plain.asked == [.production])
    }

    @Test func `A deployment that begins in the sandbox goes to production on 21008`() async throws
    {
        let world = try ScriptedWorld([.status(21_008), .validReceipt]) {
            $0.environments = [.sandbox, .production]
        }
        #expect(try await opinion(world).environment == .production)
        #expect(world.asked == [.sandbox, .production])
    }

    @Test(arguments: [
        [AppStoreEnvironment.production, .sandbox], [.sandbox, .production],
    ]) func `Nobody is sent in a circle`(_ order: [AppStoreEnvironment]) async throws {
        let isFirst = order[0] == .production
        let world = try ScriptedWorld([
            .status(isFirst ? 21_007 : 21_008), .status(isFirst ? 21_008 : 21_007),
        ]) { $0.environments = order }
        let error = await failure { try await opinion(world) }
        #expect(error?.code == .environmentsDisagree)
        #expect(error?.remedy == .configuration([.addresses]))
        #expect(world.asked == order)
        // The second says what only the first could: no third call either.
        let same = try ScriptedWorld([
            .status(isFirst ? 21_007 : 21_008), .status(isFirst ? 21_007 : 21_008),
        ]) { $0.environments = order }
        let again = await failure { try await opinion(same) }
        #expect(again?.code == .environmentsDisagree)
        #expect(same.asked == order)
        // And what leads to where one already is.
        let odd = try ScriptedWorld([.status(isFirst ? 21_008 : 21_007)]) {
            $0.environments = order
        }
        let first = await failure { try await opinion(odd) }
        #expect(first?.code == .environmentsDisagree)
        #expect(odd.asked == [order[0]])
    }

    @Test func `Where the other environment may not be asked, its receipts are refused`()
        async throws
    {
        let world = try ScriptedWorld([.status(21_007)]) { $0.environments = [.production] }
        let opinion = try await opinion(world)
        #expect(opinion.refusal == ReceiptRefusal(code: .otherEnvironment, status: 21_007))
        #expect(opinion.environment == .sandbox)
        #expect(world.asked == [.production])
    }

    /// What becomes of a status in production: by number, flag and judgement.
    private static func expected(
        _ status: Int64, _ flag: Bool?, _ judgement: OwnJudgement
    ) -> String {
        let isAgainst = judgement == .notGenuine || judgement == .unreadable
        switch status {
        case 21_000: return "configuration requestNotUnderstood"
        case 21_002: return isAgainst ? "refused unreadable" : "retry receiptUndecided"
        case 21_003: return isAgainst ? "refused notGenuine" : "configuration receiptDisputed"
        case 21_004: return "configuration sharedSecretRefused"
        case 21_005, 21_009, 21_100...21_199:
            return flag == false ? "refused notRetryable" : "retry appleTrouble"
        case 21_006: return "accepted"
        case 21_007: return "other environment"
        case 21_008: return "configuration environmentsDisagree"
        case 21_010: return "refused accountNotFound"
        default: return flag == false ? "refused notRetryable" : "retry receiptUndecided"
        }
    }

    private func outcome(_ world: ScriptedWorld, _ judgement: OwnJudgement) async -> String {
        do {
            let opinion = try await opinion(world, judgement)
            if let refusal = opinion.refusal { return "refused \(refusal.code)" }
            return opinion.environment == .sandbox ? "other environment" : "accepted"
        } catch let error as AppStoreClientError {
            switch error.remedy {
            case .retry: return "retry \(error.code)"
            case .configuration: return "configuration \(error.code)"
            case .final: return "final \(error.code)"
            }
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: ["is-retryable", "is_retryable"])
    func `Every status from 21000 to 21199 has its end, with the flag and without`(_ key: String)
        async throws
    {
        let body = ",\"receipt\":{\"bid\":\"com.example.app\",\"transaction_id\":\"1\"}"
        for status in Int64(21_000)...21_199 {
            for (flag, text) in [
                (Bool?.none, ""), (true, ",\"\(key)\":true"), (false, ",\"\(key)\":false"),
                (true, ",\"\(key)\":\"1\""), (false, ",\"\(key)\":0"),
            ] {
                // A judgement decides nothing above, and the hardest must not.
                let judgements = status <= 21_010 ? OwnJudgement.allCases : [.unreadable]
                for judgement in judgements {
                    let answer = Script.Answer.status(status, text + body)
                    let isHop = status == 21_007
                    let world = try ScriptedWorld(
                        isHop ? [answer, .validSandboxReceipt] : [answer], repeatsLast: !isHop
                    ) { $0.serverKey = nil }
                    let outcome = await outcome(world, judgement)
                    let expected = Self.expected(status, flag, judgement)
                    #expect(outcome == expected, "\(status) \(text) \(judgement)")
                    let attempts = expected.hasPrefix("retry") ? 4 : isHop ? 2 : 1
                    #expect(world.script.requests.count == attempts, "\(status) \(text)")
                    #expect(!StatusDecision.meaning(of: .init(rawValue: status)).isEmpty)
                }
            }
        }
    }

    @Test func `A status that passes is asked again, with longer pauses, until there is an answer`()
        async throws
    {
        for status: Int64 in [21_002, 21_005, 21_009, 21_104, 21_050] {
            let world = try ScriptedWorld([.status(status), .status(status), .validReceipt])
            #expect(try await opinion(world, .genuine).answer != nil)
            #expect(world.time.pauses == [375, 750])
        }
    }

    @Test func `21006 is a valid receipt whose subscription is over`() async throws {
        let item =
            "{\"bid\":\"com.example.app\",\"transaction_id\":\"7\",\"product_id\":\"com.example.vip\"}"
        let world = try ScriptedWorld([
            .status(21_006, ",\"receipt\":\(item),\"latest_expired_receipt_info\":\(item)")
        ])
        let answer = try #require(try await opinion(world).answer)
        #expect(answer.isExpired)
        #expect(answer.latestTransactions.map(\.transactionID) == ["7"])
    }

    @Test
    func `Latest transactions and pending renewals are handed on, the newest receipt unverified`()
        async throws
    {
        let world = try ScriptedWorld([
            .status(
                0,
                ",\"receipt\":{\"bundle_id\":\"com.example.app\"},\"latest_receipt\":\"AAAA\","
                    + "\"latest_receipt_info\":[{\"transaction_id\":\"2\"},{\"transaction_id\":\"1\"}],"
                    + "\"pending_renewal_info\":[{\"auto_renew_status\":\"1\"}]")
        ])
        let answer = try #require(try await opinion(world).answer)
        #expect(answer.latestTransactions.map(\.transactionID) == ["2", "1"])
        #expect(answer.pendingRenewals.map(\.autoRenewStatus) == [.on])
        #expect(answer.unverifiedLatestReceipt == "AAAA")
        #expect(!answer.isExpired)
    }

    @Test func `A valid receipt of another app is refused, whatever its style`() async throws {
        for receipt in [
            "{\"bundle_id\":\"com.example.App\"}", "{\"bundle_id\":\"com.example.ap\"}", "{}",
            "{\"bid\":\"com.other\",\"transaction_id\":\"1\"}",
        ] {
            let world = try ScriptedWorld([.status(0, ",\"receipt\":\(receipt)")])
            #expect(try await opinion(world).refusal?.code == .otherApp, "\(receipt)")
        }
    }

    @Test(arguments: [
        "{\"receipt\":{\"bundle_id\":\"com.example.app\"}}",
        "{\"status\":null,\"receipt\":{\"bundle_id\":\"com.example.app\"}}", "{\"code\":503}",
        "{\"status\":null}", "{}", "[]", "", "<html>", "{\"status\":\"x\"}",
        "{\"status\":0}", "{\"status\":0,\"receipt\":null}", "{\"status\":0,\"receipt\":{",
    ]) func `What is no answer decides nothing`(_ body: String) async throws {
        let world = try ScriptedWorld([.json(body)], repeatsLast: true)
        let error = await failure {
            try await opinion(world, .unreadable)
        }
        #expect(error?.code == .unreadableAnswer)
        #expect(error?.isRetryable == true)
        #expect(error?.attempts == 4)
    }

    @Test func `An environment that answers for the other is a mistake in the addresses`()
        async throws
    {
        let world = try ScriptedWorld([.validSandboxReceipt])
        let error = await failure { try await opinion(world) }
        #expect(error?.code == .environmentsDisagree)
    }

    @Test func `A missing secret is named, and 21003 makes nobody a forger by itself`()
        async throws
    {
        for status: Int64 in [21_003, 21_004] {
            let world = try ScriptedWorld([.status(status)]) { $0.sharedSecret = nil }
            let error = await failure { try await opinion(world) }
            #expect(error?.remedy == .configuration([.sharedSecret]))
            #expect(error?.detail.contains("No shared secret") == true)
            #expect(error?.receiptStatus?.rawValue == status)
            let other = try ScriptedWorld([.status(status)])
            let known = await failure {
                try await opinion(other, .genuine)
            }
            #expect(known?.remedy == .configuration([.sharedSecret]))
            #expect(known?.detail.contains("No shared secret") == false)
        }
    }

    @Test func `No receipt at all is not sent, one byte is`() async throws {
        let world = try ScriptedWorld([.status(21_002)], repeatsLast: true)
        let error = await failure {
            try await world.client.verifyReceipt([], judgement: .notMade)
        }
        #expect(error?.code == .invalidRequest)
        #expect(world.script.requests.isEmpty)
        let opinion = try await world.client.verifyReceipt([0], judgement: .unreadable)
        #expect(opinion.refusal?.code == .unreadable)
    }

    @Test func `HTTP errors of verifyReceipt are no statuses`() async throws {
        for (status, code, isRetryable) in [
            (500, AppStoreClientError.Code.appleTrouble, true), (503, .appleTrouble, true),
            (429, .rateLimited, true), (404, .unreadableAnswer, false),
            (403, .unreadableAnswer, false), (401, .unreadableAnswer, false),
            (302, .unreadableAnswer, false), (413, .refused, false),
        ] {
            let world = try ScriptedWorld([.bare(status)], repeatsLast: true)
            let error = await failure {
                try await opinion(world, .unreadable)
            }
            #expect(error?.code == code, "\(status)")
            #expect(error?.isRetryable == isRetryable, "\(status)")
            #expect(error?.httpStatus == status)
        }
    }

    @Test(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
    func `Answers that Apple gave are read, each in its style`() async throws {
        let names = AppleSamples.names(in: "verifyreceipt").filter { $0.hasSuffix(".json") }
        #expect(names.count >= 10)
        for name in names {
            let text = try AppleSamples.text("verifyreceipt/" + name)
            let answer = try JSONDecoder().decode(
                VerifyReceiptResponse.self, from: Data(text.utf8))
            let known = UnsignedReceiptAnswer(response: answer)
            let isOfSandbox = answer.environment == .sandbox
            let script: [Script.Answer] =
                isOfSandbox ? [.status(21_007), .json(text)] : [.json(text)]
            for isOurs in [true, false] {
                let world = try ScriptedWorld(script) {
                    $0.serverKey = nil
                    if isOurs, let bundleID = known.bundleID { $0.bundleID = bundleID }
                    if !isOurs { $0.bundleID = "com.example.nobody" }
                }
                if answer.status == .notAuthentic {
                    let error = await failure { try await self.opinion(world, .genuine) }
                    #expect(error?.code == .receiptDisputed, "\(name)")
                    continue
                }
                let opinion = try await opinion(world, .genuine)
                #expect(opinion.environment == (isOfSandbox ? .sandbox : .production), "\(name)")
                #expect((opinion.answer != nil) == isOurs, "\(name)")
                #expect(opinion.answer?.isExpired == (isOurs ? answer.status == .expired : nil))
                #expect((opinion.refusal?.code == .otherApp) == !isOurs, "\(name)")
            }
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `A damaged answer never makes a forger, nor a valid receipt of another app`(
        _ seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let whole =
            "{\"status\":0,\"environment\":\"Production\",\"receipt\":{\"bundle_id\":"
            + "\"com.example.app\",\"in_app\":[{\"transaction_id\":\"1\",\"quantity\":\"1\"}]},"
            + "\"latest_receipt_info\":[{\"transaction_id\":\"1\"}],\"is-retryable\":false}"
        let damaged = String(decoding: random.mutate(Array(whole.utf8)), as: UTF8.self)
        let world = try ScriptedWorld([.json(damaged)], repeatsLast: true) { $0.serverKey = nil }
        do {
            let opinion = try await opinion(world, .genuine)
            if let answer = opinion.answer {
                #expect(answer.bundleID == "com.example.app")
                #expect(opinion.environment == .production)
            }
            #expect(opinion.refusal?.code != .notGenuine && opinion.refusal?.code != .unreadable)
        } catch let error as AppStoreClientError {
            #expect(error.remedy != .final, "\(damaged)")
        }
    }
}
