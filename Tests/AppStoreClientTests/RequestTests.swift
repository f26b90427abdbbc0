import AppStoreModel
import Foundation
import HTTPMessage
import Testing

@testable import AppStoreClient

/// What goes over the line for each call, and what is never sent.
@Suite struct RequestTests {
    private func sent(
        _ answer: Script.Answer, _ ask: (AppStoreClient) async throws -> Void
    ) async throws -> (line: String, body: JSONValue?, fields: HTTPFields) {
        let world = try ScriptedWorld([answer])
        try await ask(world.client)
        #expect(world.script.left == 0)
        let request = try #require(world.script.requests.first)
        let base =
            world.asked[0] == .sandbox
            ? "https://api.storekit-sandbox.apple.com" : "https://api.storekit.apple.com"
        #expect(request.target.hasPrefix(base + "/"))
        #expect(request.fields["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(request.fields["Accept"] == "application/json")
        let body =
            request.body.isEmpty
            ? nil : try JSONDecoder().decode(JSONValue.self, from: request.body)
        #expect((request.fields["Content-Type"] == "application/json") == (body != nil))
        return (
            "\(request.method.rawValue) \(request.target.dropFirst(base.count))", body,
            request.fields
        )
    }

    @Test func `Reading calls have Apple's paths and queries`() async throws {
        var filter = HistoryFilter()
        filter.startDate = Timestamp(milliseconds: 1_000)
        filter.endDate = Timestamp(milliseconds: 2_000)
        filter.productIDs = ["com.example.a", "com.example.b&c"]
        filter.productTypes = [.autoRenewable, .consumable]
        filter.subscriptionGroups = ["g 1"]
        filter.ownership = .familyShared
        filter.isRevoked = false
        filter.order = .descending
        let history = filter
        let rows: [(Script.Answer, String, (AppStoreClient) async throws -> Void)] = [
            (
                .transaction, "GET /inApps/v1/transactions/7",
                { _ = try await $0.transaction("7", in: .production) }
            ),
            (
                .json("{\"signedAppTransactionInfo\":\"a.b.c\"}"),
                "GET /inApps/v1/transactions/appTransactions/7",
                { _ = try await $0.appTransaction("7", in: .sandbox) }
            ),
            (
                .json("{}"), "GET /inApps/v2/history/7",
                { _ = try await $0.transactionHistory(of: "7", in: .production) }
            ),
            (
                .json("{}"),
                "GET /inApps/v2/history/7?startDate=1000&endDate=2000&productId=com.example.a"
                    + "&productId=com.example.b%26c&productType=AUTO_RENEWABLE"
                    + "&productType=CONSUMABLE&subscriptionGroupIdentifier=g%201"
                    + "&inAppOwnershipType=FAMILY_SHARED&sort=DESCENDING&revoked=false"
                    + "&revision=r%2B1",
                { _ = try await $0.transactionHistory(of: "7", history, after: "r+1") }
            ),
            (
                .json("{}"), "GET /inApps/v2/refund/lookup/7?revision=r",
                { _ = try await $0.refundHistory(of: "7", after: "r", in: .production) }
            ),
            (
                .json("{}"), "GET /inApps/v1/subscriptions/7?status=1&status=4",
                {
                    _ = try await $0.subscriptions(
                        of: "7", with: [.active, .billingGracePeriod], in: .production)
                }
            ),
            (
                .json("{\"status\":1}"), "GET /inApps/v1/lookup/MPX1",
                {
                    let order = try await $0.order("MPX1")
                    #expect(order == nil)
                }
            ),
            (
                .json("{\"signedPayload\":\"a.b.c\"}"), "GET /inApps/v1/notifications/test/t_1%2F",
                { _ = try await $0.testNotification("t_1/", in: .production) }
            ),
            (
                .json("{\"testNotificationToken\":\"t\"}"), "POST /inApps/v1/notifications/test",
                {
                    let token = try await $0.requestTestNotification(in: .sandbox)
                    #expect(token == "t")
                }
            ),
        ]
        for (answer, line, ask) in rows {
            let request = try await sent(answer, ask)
            #expect(request.line == line)
            #expect(request.body == nil)
        }
    }

    @Test func `Writing calls have Apple's paths and bodies`() async throws {
        let empty = Script.Answer.success(HTTPResponse(status: .ok))
        let accepted = Script.Answer.success(HTTPResponse(status: .accepted))
        let finish = try await sent(empty) { try await $0.finish("7", in: .production) }
        #expect(finish.line == "POST /inApps/v1/transactions/7/finish" && finish.body == nil)

        let token: AppAccountToken = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        let set = try await sent(empty) {
            try await $0.setAppAccountToken(token, of: "7", in: .production)
        }
        #expect(set.line == "PUT /inApps/v1/transactions/7/appAccountToken")
        #expect(set.body == ["appAccountToken": "7e3fb20b-4cdb-47cc-936d-99d65f608138"])

        let extended = try await sent(.json("{\"success\":true,\"effectiveDate\":5}")) {
            let answer = try await $0.extendSubscription(
                "7", byDays: 90, reason: .serviceIssueOrOutage, requestID: "r", in: .production)
            #expect(answer.content.isExtended)
            #expect(answer.content.effectiveDate == Timestamp(milliseconds: 5))
        }
        #expect(extended.line == "PUT /inApps/v1/subscriptions/extend/7")
        #expect(
            extended.body == ["extendByDays": 90, "extendReasonCode": 3, "requestIdentifier": "r"])

        var second = ConsumptionRequest()
        second.customerConsented = true
        second.sampleContentProvided = false
        second.deliveryStatus = .delivered
        second.consumptionPercentage = 50_000
        second.refundPreference = .decline
        let request = second
        let consumption = try await sent(accepted) {
            try await $0.sendConsumption(request, of: "7", in: .production)
        }
        #expect(consumption.line == "PUT /inApps/v2/transactions/consumption/7")
        #expect(
            consumption.body == [
                "customerConsented": true, "sampleContentProvided": false,
                "deliveryStatus": "DELIVERED", "consumptionPercentage": 50_000,
                "refundPreference": "DECLINE",
            ])
        let old = try await sent(accepted) {
            var first = ConsumptionRequestV1()
            first.customerConsented = true
            first.platform = 1
            try await $0.sendConsumption(first, of: "7", in: .production)
        }
        #expect(old.line == "PUT /inApps/v1/transactions/consumption/7")
        #expect(old.body == ["customerConsented": true, "platform": 1])
    }

    @Test func `The notifications of a time are asked for with filters and tokens`() async throws {
        var request = NotificationHistoryRequest()
        request.startDate = Timestamp(milliseconds: 1)
        request.endDate = Timestamp(milliseconds: 2)
        request.onlyFailures = true
        let wanted = request
        let history = try await sent(.json("{}")) {
            _ = try await $0.notificationHistory(wanted, after: "a/b", in: .production)
        }
        #expect(history.line == "POST /inApps/v1/notifications/history?paginationToken=a%2Fb")
        #expect(history.body == ["startDate": 1, "endDate": 2, "onlyFailures": true])
    }

    @Test func `What Apple would refuse anyway is not sent`() async throws {
        var history = NotificationHistoryRequest()
        history.startDate = Timestamp(milliseconds: 2)
        history.endDate = Timestamp(milliseconds: 2)
        var both = NotificationHistoryRequest()
        both.startDate = Timestamp(milliseconds: 1)
        both.endDate = Timestamp(milliseconds: 2)
        both.transactionID = "7"
        both.notificationType = .didRenew
        var silent = ConsumptionRequest()
        silent.sampleContentProvided = true
        silent.deliveryStatus = .delivered
        var tooMuch = silent
        tooMuch.customerConsented = true
        tooMuch.consumptionPercentage = 100_001
        var unsaid = ConsumptionRequest()
        unsaid.customerConsented = true
        let (sameDates, twoFilters) = (history, both)
        let consumptions = [silent, tooMuch, unsaid]
        var asks: [(AppStoreClient) async throws -> Void] = [
            { c in _ = try await c.order("../x") },
            { c in
                _ = try await c.notificationHistory(sameDates, in: .sandbox)
            },
            { c in
                _ = try await c.notificationHistory(twoFilters, in: .sandbox)
            },
            { c in
                _ = try await c.notificationHistory(NotificationHistoryRequest(), in: .sandbox)
            },
            { c in
                _ = try await c.setAppAccountToken("no-uuid", of: "7")
            },
            { c in
                _ = try await c.testNotification("", in: .sandbox)
            },
            { c in
                try await c.sendConsumption(ConsumptionRequestV1(), of: "7")
            },
        ]
        for id in ["", "7/finish", "7?x", "..", "7 8", "ä", String(repeating: "7", count: 65)] {
            asks.append { c in
                _ = try await c.transaction(TransactionID(id))
            }
        }
        for (days, requestID) in [
            (0, "r"), (91, "r"), (1, ""), (1, String(repeating: "r", count: 129)),
        ] {
            asks.append { c in
                _ = try await c.extendSubscription(
                    "7", byDays: days, reason: .other, requestID: requestID)
            }
        }
        for request in consumptions {
            asks.append { c in
                try await c.sendConsumption(request, of: "7")
            }
        }
        let world = try ScriptedWorld([])
        for (place, ask) in asks.enumerated() {
            let error = await failure {
                try await ask(world.client)
            }
            #expect(error?.code == .invalidRequest, "\(place)")
            #expect(error?.remedy == .final, "\(place)")
        }
        #expect(world.script.requests.isEmpty)
    }

    @Test func `Signed things that are missing make an answer unreadable`() async throws {
        let bodies = [
            "{}", "{\"signedTransactionInfo\":null}", "[]", "", "{\"signedTransactionInfo\":{}}",
        ]
        for body in bodies {
            let world = try ScriptedWorld([.json(body)], repeatsLast: true)
            let error = await failure {
                try await world.client.transaction("7", in: .production)
            }
            #expect(error?.code == .unreadableAnswer, "\(body)")
        }
        let status = try ScriptedWorld(
            [.json("{\"data\":[{\"lastTransactions\":[{\"status\":1}]}]}")], repeatsLast: true)
        let error = await failure {
            try await status.client.subscriptions(of: "7", in: .production)
        }
        #expect(error?.code == .unreadableAnswer)
    }

    private func page(_ ids: [String], next: String?, hasMore: Bool) -> Script.Answer {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let revision = next.map { ",\"revision\":\"\($0)\"" } ?? ""
        return .json("{\"signedTransactions\":[\(list)],\"hasMore\":\(hasMore)\(revision)}")
    }

    @Test func `Pages are read to their end in the environment that had the first`() async throws {
        let world = try ScriptedWorld([
            .error(4_040_010), page(["a", "b"], next: "1", hasMore: true),
            page(["c"], next: "2", hasMore: true), page([], next: "3", hasMore: false),
        ])
        var found: [String] = []
        let last = try await world.client.eachHistoryPage(of: "7") { page in
            #expect(page.environment == .sandbox)
            found += page.content.transactions.map(\.text)
            return true
        }
        #expect(found == ["a", "b", "c"])
        #expect(last == "3")
        #expect(world.asked == [.production, .sandbox, .sandbox, .sandbox])
        let revisions = world.script.requests.map { $0.query?["revision"] }
        #expect(revisions == [nil, nil, "1", "2"])
    }

    @Test func `Pages that lead nowhere end, and so does a reader who has enough`() async throws {
        for pages in [
            [page([], next: "1", hasMore: true), page([], next: "1", hasMore: true)],
            [page([], next: nil, hasMore: true)],
            [
                page([], next: "1", hasMore: true), page([], next: "2", hasMore: true),
                page([], next: "1", hasMore: true),
            ],
        ] {
            let world = try ScriptedWorld(pages)
            let error = await #expect(throws: AppStoreClientError.self) {
                try await world.client.eachRefundPage(of: "7", in: .production) { _ in true }
            }
            #expect(error?.code == .unreadableAnswer)
            #expect(world.script.left == 0)
        }
        let world = try ScriptedWorld([page(["a"], next: "1", hasMore: true)])
        let last = try await world.client.eachHistoryPage(of: "7", in: .production) { _ in false }
        #expect(last == "1")
    }
}
