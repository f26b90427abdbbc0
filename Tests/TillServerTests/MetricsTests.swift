import AppStoreModel
import Foundation
import HTTPMessage
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// `/metrics`: what is counted, for whom, and in what form.
@Suite struct MetricsTests {
    /// The lines of the shop's metrics, without those that explain.
    private func lines(_ shop: TestShop) async throws -> [String] {
        let response = try await shop.send(
            .get, "/metrics", as: nil,
            fields: ["Authorization": "Bearer \(TestShop.secretKey)"])
        try #require(response.status == .ok)
        #expect(response.fields["Content-Type"] == MetricsText.mediaType)
        return String(decoding: response.body, as: UTF8.self).split(separator: "\n")
            .map(String.init).filter { !$0.hasPrefix("#") }
    }

    private func notify(_ shop: TestShop, _ payload: String) async throws {
        let body = try JSONEncoder().encode(["signedPayload": payload])
        _ = try await shop.send(
            .post, "\(APIWire.apps)/\(TestShop.bundleID)/notifications", body, as: nil)
    }

    @Test func `nobody but a backend sees them`() async throws {
        let shop = try TestShop()
        #expect(try await shop.send(.get, "/metrics", as: nil).status.rawValue == 401)
        #expect(try await shop.send(.get, "/metrics", as: "anna").status.rawValue == 403)
    }

    @Test func `what became of transactions and proofs is counted`() async throws {
        let shop = try TestShop()
        let signed = try shop.signed("1")
        for customer in ["anna", "anna", "ben"] {
            _ = try await shop.purchase(.init(signedTransactions: [signed]), by: customer)
        }
        _ = try await shop.refusal(.init(signedTransactions: ["rubbish"]), by: "ben")
        let lines = try await lines(shop)
        let app = #"app="com.example.app",environment="Sandbox",by="app""#
        for (outcome, reason) in [
            ("granted", ""), ("alreadyGranted", ""), ("refused", "belongsToAnother"),
        ] {
            let line =
                #"till_transactions_total{\#(app),outcome="\#(outcome)",reason="\#(reason)"} 1"#
            #expect(lines.contains(line), "\(lines)")
        }
        #expect(lines.contains(#"till_refused_proofs_total{code="unreadable"} 1"#))
        let route = #"till_requests_total{route="recordPurchases""#
        #expect(lines.contains(#"\#(route),status="200",code=""} 3"#))
        #expect(lines.contains(#"\#(route),status="422",code="unreadable"} 1"#))
        #expect(lines.contains(#"till_request_seconds_count{route="recordPurchases"} 4"#))
        #expect(lines.contains("till_ready 1"))
    }

    @Test func `notifications are counted by what came of them, unknown types too`() async throws {
        let shop = try TestShop()
        let signed = try shop.authority.sign(
            NotificationTests.payload("FUTURE_X", uuid: "u-1"), nil, nil)
        for _ in 0..<2 { try await notify(shop, signed) }
        try await notify(shop, "rubbish")
        let lines = try await lines(shop)
        let place = #"till_notifications_total{app="com.example.app",type="FUTURE_X""#
        for repeated in [false, true] {
            #expect(
                lines.contains { $0.hasPrefix(place) && $0.hasSuffix(#"="\#(repeated)"} 1"#) },
                "\(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("till_refused_notifications_total{code=") })
    }

    @Test func `a receipt's answer is counted by Apple's status`() async throws {
        let shop = try TestShop()
        _ = try await shop.send(.post, "/verifyReceipt", Data("{}".utf8), as: nil)
        _ = try await shop.send(.get, "/verifyReceipt", as: nil)
        let lines = try await lines(shop)
        for status in [21_000, 21_002] {
            #expect(lines.contains(#"till_verify_receipt_answers_total{status="\#(status)"} 1"#))
        }
    }

    @Test func `work and deliveries are counted, and what waits is told`() async throws {
        let world = try WebhookShop(receiver: Receiver { _ in .status(500) })
        try await world.buy("1", by: "anna")
        let handler = TaskHandler("test.work") { _, _ in .failed("not yet") }
        try await world.shop.ledger.schedule([
            ScheduledTask("test.work", subject: "a", due: world.shop.clock.now)
        ])
        await world.drain(world.worker(handlers: [handler]))
        world.shop.clock.advance(seconds: 3)
        let lines = try await lines(world.shop)
        let place = #"app="com.example.app",endpoint="main""#
        for line in [
            #"till_webhook_deliveries_total{\#(place),result="failed"} 1"#,
            #"till_webhook_disabled{\#(place)} 0"#, #"till_webhook_dead{\#(place)} 0"#,
            #"till_webhook_oldest_waiting_seconds{\#(place)} 3"#,
            #"till_tasks_total{kind="test.work",result="failed"} 1"#,
            #"till_failing_tasks{kind="test.work"} 1"#,
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(lines.contains { $0.hasPrefix("till_webhook_waiting{\(place)} ") })
    }

    @Test func `a database that is gone is told, and the rest is told all the same`() async throws {
        let shop = try TestShop()
        try await shop.purchase(.init(signedTransactions: [try shop.signed("1")]), by: "anna")
        await shop.store.close()
        let lines = try await lines(shop)
        #expect(lines.contains("till_ready 0"))
        #expect(lines.contains(#"till_ledger_errors_total{code="closed"} 1"#))
        #expect(lines.contains { $0.hasPrefix("till_transactions_total{") })
    }

    @Test func `no words of strangers make the list grow without end`() throws {
        let metrics = Metrics()
        for number in 0..<(Metrics.mostSeries + 50) {
            metrics.count(.refusedProofs, ["code\(number)"])
        }
        metrics.count(.refusedProofs, ["code7"])
        let samples = metrics.samples().filter { $0.metric == .refusedProofs }
        #expect(samples.count == Metrics.mostSeries + 1)
        let counts = Dictionary(uniqueKeysWithValues: samples.map { ($0.values, $0.number) })
        #expect(counts[["other"]] == 50 && counts[["code7"]] == 2)
    }

    @Test func `each time has its bucket, and each bucket holds the smaller ones`() throws {
        var histogram = Histogram()
        for milliseconds in [0, 1, 3, 200, 60_000] { histogram.add(.milliseconds(milliseconds)) }
        let samples = histogram.samples(.requestTime, ["x"])
        func count(_ bound: Double) -> Double? { samples.first { $0.bound == bound }?.number }
        #expect(count(0.001) == 2 && count(0.005) == 3 && count(0.25) == 4 && count(10) == 4)
        #expect(count(.infinity) == 5)
        #expect(samples.first { $0.suffix == "_sum" }?.number == 60.204)
    }

    @Test func `the numbers of a process whose name is anything are found`() throws {
        let rest = (3...40).map(String.init).joined(separator: " ")
        let status = try #require(ProcessStatus("4711 (a ) b (c) \(rest)\n"))
        #expect(status.processorTicks == 14 + 15)
        #expect(status.startTicks == 22 && status.memoryPages == 24)
        #expect(ProcessStatus("4711 (a) R 1 2") == nil)
        #expect(ProcessStatus("") == nil)
    }

    @Test(.enabled(if: PrometheusParser.python != nil, "needs make peers"))
    func `Prometheus's own parser reads them as they are meant`() throws {
        let metrics = Metrics(version: "1.2.3")
        let odd = "a\"b\\c\nd é"
        metrics.count(.refusedProofs, [odd], by: 3)
        metrics.measure(.milliseconds(7), of: "openOrder")
        metrics.answered(status: 200)
        metrics.watch { 5 }
        let families = try PrometheusParser.read(MetricsText.text(metrics.samples()))
        func numbers(_ family: String) -> [JSONValue] {
            guard case .array(let samples)? = families[family]?["samples"] else { return [] }
            return samples
        }
        #expect(
            numbers("till_refused_proofs")
                == [["till_refused_proofs_total", ["code": .string(odd)], 3]])
        #expect(numbers("till_info") == [["till_info", ["version": "1.2.3"], 1]])
        #expect(numbers("till_http_connections") == [["till_http_connections", [:], 5]])
        #expect(families["till_request_seconds"]?["type"] == "histogram")
        #expect(families["till_http_responses"]?["type"] == "counter")
        #expect(families["process_open_fds"]?["type"] == "gauge")
        let buckets = numbers("till_request_seconds")
        #expect(
            buckets.contains([
                "till_request_seconds_bucket", ["route": "openOrder", "le": "0.01"], 1,
            ]))
        #expect(
            buckets.contains([
                "till_request_seconds_bucket", ["route": "openOrder", "le": "+Inf"], 1,
            ]))
    }

    @Test func `every metric is documented with its labels`() throws {
        let page = try String(
            contentsOfFile: "docs/server.md", encoding: .utf8)
        for metric in Metric.allCases {
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            let row = "| `\(metric.rawValue)` | \(labels) |".replacing("|  |", with: "| |")
            #expect(page.contains(row), "\(row)")
        }
    }
}

/// Prometheus's Python library, which reads what Prometheus reads.
private enum PrometheusParser {
    static let python = PythonPeer.path(with: "prometheus_client")

    /// What the parser makes of a page of metrics.
    static func read(_ text: String) throws -> JSONValue {
        let outcome = try TillProcess.run(
            [PythonPeer.script("read_metrics.py")], program: try #require(python),
            input: Data(text.utf8))
        guard outcome.exitCode == 0 else { throw Unreadable(said: outcome.complaints) }
        return try JSONDecoder().decode(JSONValue.self, from: outcome.output)
    }

    private struct Unreadable: Error {
        let said: String
    }
}
