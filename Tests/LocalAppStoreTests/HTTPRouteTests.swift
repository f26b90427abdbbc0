import AppStoreModel
import Foundation
import HTTPMessage
import HTTPServer
import StoreWire
import TestKit
import Testing

@testable import LocalAppStore

@Suite(.serialized) struct HTTPRouteTests {
    private static let parameters = [
        "device": "x", "intent": "x", "message": "x", "product": "x", "environment": "x",
        "account": "x", "item": "x", "transaction": "x", "subscription": "x", "notification": "x",
    ]

    private struct Row: Sendable {
        let method: String
        let path: String
        let pattern: String
    }

    private static let rows: [Row] =
        DeviceRoute.all.map {
            Row(method: $0.method, path: $0.path(parameters), pattern: $0.path)
        }
        + ControlRoute.all.map {
            Row(method: $0.method, path: $0.path(parameters), pattern: $0.path)
        }

    /// Bodies that no route takes.
    private static let garbage: [Data] = [
        Data(), Data("null".utf8), Data("[]".utf8), Data("{".utf8), Data([0xFF, 0x00, 0xFE]),
        Data("\"\\ud800\"".utf8), Data(String(repeating: "[", count: 20_000).utf8),
        Data("{\"productId\":{},\"rules\":1,\"errors\":7,\"action\":[],\"organizer\":[]}".utf8),
    ]

    @Test func `Every route is there, and bad input gets a problem document and never a failure`()
        async throws
    {
        try await HTTPWorld.run { world in
            for row in Self.rows {
                let takesBody = !["GET", "DELETE"].contains(row.method)
                for body in takesBody ? Self.garbage : [Data()] {
                    let answer = try await world.send(row.method, row.path, body)
                    let text = String(decoding: answer.body, as: UTF8.self)
                    #expect(answer.status.rawValue < 500, "\(row) \(text)")
                    guard answer.status.rawValue >= 400 else { continue }
                    #expect(
                        answer.fields["Content-Type"] == "application/problem+json", "\(row)")
                    let problem = try JSONDecoder().decode(StoreProblem.self, from: answer.body)
                    #expect(problem.code != .routeNotFound, "\(row)")
                    #expect(problem.status == answer.status.rawValue)
                    #expect(problem.code.title == problem.title, "\(row) \(text)")
                }
            }
        }
    }

    @Test func `Queries that cannot be read are refused, their neighbours taken`() async throws {
        try await HTTPWorld.run { world in
            for (query, status) in [
                ("?after=0&wait=0", 200), ("?after=-1", 422), ("?after=x", 422), ("?wait=31", 422),
                ("?wait=nan", 422), ("?wait=-1", 422), ("?after=%zz", 400),
                ("?after=99999999999999999999", 422), ("?after=", 200),
            ] {
                let answer = try await world.send("GET", "/control/v1/events" + query)
                #expect(answer.status.rawValue == status, "\(query)")
            }
            for (query, status) in [
                ("?environment=Sandbox", 200), ("?environment=moon", 422),
            ] {
                let answer = try await world.send("GET", "/control/v1/notifications" + query)
                #expect(answer.status.rawValue == status, "\(query)")
            }
            let nowhere = try await world.send("POST", "/device/v2/launch")
            #expect(nowhere.status == .notFound)
            let wrong = try await world.send("PUT", "/device/v1/launch")
            #expect(wrong.status == .methodNotAllowed)
        }
    }

    @Test func `A device and an account of no known environment are refused`() async throws {
        try await HTTPWorld.run { world in
            for body in ["{\"environment\":\"Moon\"}", "{\"environment\":\"\"}"] {
                let launch = try await world.send("POST", "/device/v1/launch", Data(body.utf8))
                #expect(launch.status.rawValue == 422, "\(body)")
                let account = try await world.send("POST", "/control/v1/accounts", Data(body.utf8))
                #expect(account.status.rawValue == 422, "\(body)")
            }
            let session: DeviceSession = try await world.call(
                DeviceRoute.launch, body: LaunchRequest(), in: .production)
            #expect(session.environment == .production)
        }
    }

    @Test func `Every call is in the log with its status and duration, but for reading the log`()
        async throws
    {
        try await HTTPWorld.run { world in
            _ = try await world.send("GET", "/nowhere?x=1")
            let _: ClockInfo = try await world.call(ControlRoute.clock, in: .production)
            let _: StoreEventsResponse = try await world.call(ControlRoute.events)
            let log: CallsResponse = try await world.call(ControlRoute.calls)
            #expect(log.calls.map(\.path) == ["/nowhere?x=1", "/control/v1/clock"])
            #expect(log.calls.map(\.status) == [404, 200])
            #expect(log.calls.map(\.environment) == [.sandbox, .production])
            #expect(log.calls.allSatisfy { $0.milliseconds > 0 && $0.date == StoreWorld.start })
            #expect(log.calls.map(\.sequence) == [1, 2] && log.cursor == 2)
        }
    }

    @Test func `Fifty devices that wait for events all hear of theirs`() async throws {
        try await HTTPWorld.run { world in
            var sessions: [DeviceSession] = []
            for number in 0..<50 {
                let account: AccountInfo = try await world.call(
                    ControlRoute.makeAccount,
                    body: AccountRequest(accountID: AccountID("a\(number)")))
                sessions.append(
                    try await world.call(
                        DeviceRoute.launch, body: LaunchRequest(accountID: account.accountID)))
            }
            let waiting = sessions
            let heard = try await withThrowingTaskGroup(of: Int.self) { group in
                for session in waiting {
                    group.addTask {
                        let page: EventPage = try await world.call(
                            DeviceRoute.events, ["device": session.deviceID.rawValue],
                            query: "?after=\(session.cursor)&wait=30")
                        return page.events.count
                    }
                }
                group.addTask {
                    for session in waiting {
                        let _: ControlBuyResponse = try await world.call(
                            ControlRoute.buy,
                            body: ControlBuyRequest(
                                productID: "com.example.coins20", accountID: session.accountID,
                                outsideApp: true))
                    }
                    return 1
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(heard.count == 51 && heard.allSatisfy { $0 > 0 })
        }
    }

    @Test func `A million random bytes on each port change nothing`() async throws {
        try await HTTPWorld.run { world in
            _ = try await world.buy("com.example.coins20")
            let before = try await state(of: world)
            for environment in [AppStoreEnvironment.sandbox, .production] {
                let port = try #require(world.url(environment).split(separator: ":").last)
                let number = try #require(Int(port))
                var random = SeededRandom(seed: UInt64(number))
                for size in [1, 100, 899_899, 50_000, 50_000] {
                    let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
                    await offPool {
                        guard let socket = RawSocket.connect(port: number) else { return }
                        // The store may hang up before all is sent.
                        _ = socket.send(bytes)
                        socket.endSending()
                        _ = socket.seesEnd()
                        socket.close()
                    }
                }
            }
            #expect(try await state(of: world) == before)
        }
    }

    private func state(of world: HTTPWorld) async throws -> [String] {
        let transactions = try await world.send("GET", "/control/v1/subscriptions")
        let events = try await world.send("GET", "/control/v1/events")
        let accounts = try await world.send("GET", "/control/v1/accounts")
        return [transactions, events, accounts].map { String(decoding: $0.body, as: UTF8.self) }
    }
}
