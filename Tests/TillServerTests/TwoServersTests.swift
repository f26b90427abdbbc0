import AppStoreModel
import Foundation
import HTTPMessage
import TestKit
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// Two `till serve` processes over one PostgreSQL database, as they stand behind a load balancer.
@Suite(.serialized, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct TwoServersTests {
    private func folder(_ database: PostgresServer) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        try folder.write(
            TestShop.configuration(database: "file:database.address"), to: "till.json")
        try folder.write(database.address() + "\n", to: "database.address")
        return folder
    }

    @Test func `fifty uploads of one proof by five customers at two servers have one owner`()
        async throws
    {
        let database = try PostgresServer()
        let folder = try folder(database)
        // Both find an empty database, and make its tables once.
        async let first = ServeProcess.started(folder.file("till.json"))
        async let second = ServeProcess.started(folder.file("till.json"))
        let servers = [try await first, try await second]
        let clients = servers.map { ShopClient(url: $0.url) }
        let proof = try TestAuthority.shared.sign(
            TestShop.transaction("1", TestShop.monthly, type: .autoRenewable) {
                $0.expiresDate = TestClock.start.advanced(byMilliseconds: 2_592_000_000)
            })
        let reports = try await withThrowingTaskGroup(of: (String, TransactionReport?).self) {
            group in
            for number in 0..<50 {
                group.addTask {
                    let name = "customer-\(number % 5)"
                    let answer = try await clients[number % 2].purchase([proof], by: name)
                    return (name, answer.results.first)
                }
            }
            return try await group.reduce(into: [(String, TransactionReport?)]()) { $0.append($1) }
        }
        let granted = reports.filter { $0.1?.outcome == .granted }
        #expect(granted.count == 1)
        let owner = granted.first?.0
        for (name, report) in reports where name == owner {
            #expect(report?.outcome == .granted || report?.outcome == .alreadyGranted)
        }
        for (name, report) in reports where name != owner {
            #expect(report?.outcome == .refused)
            #expect(report?.reason == "belongsToAnother")
        }
        for number in 0..<5 {
            let name = "customer-\(number)"
            let seen = try await clients[0].customer(name)
            #expect(seen.entitlements.count == (name == owner ? 1 : 0))
            #expect(try await clients[1].customer(name) == seen)
        }
        for server in servers { #expect(server.terminate() == 0) }
    }

    @Test func `what one server granted, the other knows, and either may be killed`() async throws {
        let database = try PostgresServer()
        let folder = try folder(database)
        let first = try ServeProcess(configuration: folder.file("till.json"))
        let second = try ServeProcess(configuration: folder.file("till.json"))
        let proof = try TestAuthority.shared.sign(TestShop.transaction("1"))
        let granted = try await ShopClient(url: first.url).purchase([proof], by: "anna")
        #expect(granted.results.first?.outcome == .granted)
        first.kill()
        let client = ShopClient(url: second.url)
        let again = try await client.purchase([proof], by: "anna")
        #expect(again.results.first?.outcome == .alreadyGranted)
        #expect(again.customer.balances == ["coins": 600])

        database.kill()
        let body = try JSONEncoder().encode(PurchaseRequest(signedTransactions: [proof]))
        let away = try await client.send(.post, APIWire.purchases, body, as: "anna")
        #expect(away.status.rawValue == 503)
        #expect(away.fields["Retry-After"] != nil)
        let problem = try JSONDecoder().decode(ProblemDocument.self, from: away.body)
        #expect(problem.isRetryable)
        #expect(try await client.send(.get, "/readyz", as: nil).status.rawValue == 503)
        try database.start()
        for _ in 0..<3_000 {
            if try await client.send(.get, "/readyz", as: nil).status == .ok { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        let third = try await client.purchase([proof], by: "anna")
        #expect(third.customer.balances == ["coins": 600])
        #expect(second.terminate() == 0)
    }

    @Test func `a database that cannot be opened does not start, and the password is nowhere`()
        throws
    {
        let folder = try TemporaryFolder()
        try TestAuthority.shared.writeRoots(to: folder)
        for address in [
            "postgres://anna:swordfish@127.0.0.1:1/till",
            "postgres://anna:swordfish@host:port/till",
        ] {
            try folder.write(TestShop.configuration(database: address), to: "till.json")
            let (code, errors) = try ServeProcess.run(configuration: folder.file("till.json"))
            #expect(code == 74)
            #expect(errors.contains("cannot open postgres://anna:…@"))
            #expect(!errors.contains("swordfish"))
        }
    }
}

extension ServeProcess {
    /// Starts one off the cooperative pool, so that two may start at once.
    fileprivate static func started(_ configuration: String) async throws -> sending ServeProcess {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try ServeProcess(configuration: configuration) })
            }
        }
    }
}
