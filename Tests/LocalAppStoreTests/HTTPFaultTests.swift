import AppStoreModel
import Foundation
import HTTPFetch
import HTTPMessage
import StoreWire
import Testing

@testable import LocalAppStore

@Suite(.serialized) struct HTTPFaultTests {
    private func launch(_ world: HTTPWorld) async throws -> DeviceSession {
        try await world.call(DeviceRoute.launch, body: LaunchRequest())
    }

    /// Buys over a connection of its own: on a used one, libcurl asks again where nothing comes back.
    private func purchase(_ world: HTTPWorld, _ session: DeviceSession) async throws -> HTTPResponse
    {
        let path = DeviceRoute.purchase.path(["device": session.deviceID.rawValue])
        return try await CurlFetcher().fetch(
            HTTPRequest(
                method: .post, target: world.url() + path,
                body: try JSONEncoder().encode(PurchaseRequest(productID: "com.example.coins20"))))
    }

    private func bought(_ world: HTTPWorld) async throws -> Int {
        let page: TransactionsPage = try await world.call(ControlRoute.transactions)
        return page.total
    }

    @Test func `A refused call does no work, a dropped one does, and both leave no answer`()
        async throws
    {
        try await HTTPWorld.run { world in
            let session = try await launch(world)
            try await world.set(FaultRule(kind: .refuse, on: "/device/*", times: 1))
            await #expect(throws: HTTPFetchError.self) { try await purchase(world, session) }
            #expect(try await bought(world) == 0)
            try await world.set(FaultRule(kind: .drop, on: "/device/*", times: 1))
            await #expect(throws: HTTPFetchError.self) { try await purchase(world, session) }
            #expect(try await bought(world) == 1)
            #expect(try await purchase(world, session).status == .ok)
            #expect(try await bought(world) == 2)
            let log: CallsResponse = try await world.call(ControlRoute.calls)
            let faulty = log.calls.filter { $0.fault != nil }
            #expect(faulty.map(\.fault) == ["refuse", "drop"])
            #expect(faulty.allSatisfy { $0.status == nil })
        }
    }

    @Test func `A cut answer ends too early and a whole one follows`() async throws {
        try await HTTPWorld.run { world in
            let session = try await launch(world)
            try await world.set(FaultRule(kind: .cut, on: "/device/*", times: 1, bytes: 10))
            await #expect(throws: HTTPFetchError.self) { try await purchase(world, session) }
            #expect(try await purchase(world, session).status == .ok)
        }
    }

    @Test func `Errors, refusals of tokens and rates come in the form of the API that they strike`()
        async throws
    {
        try await HTTPWorld.run { world in
            let session = try await launch(world)
            try await world.set(
                FaultRule(kind: .error, on: "/device/*", times: 1, status: 503),
                FaultRule(kind: .error, on: "/inApps/*", times: 1, errorCode: 5_000_001),
                FaultRule(kind: .rateLimit, on: "/inApps/*", skip: 1, times: 1),
                FaultRule(kind: .unauthorized, on: "/inApps/*", skip: 2, times: 1))
            let device = try await purchase(world, session)
            #expect(device.status == .serviceUnavailable)
            #expect(device.fields["Content-Type"] == "application/problem+json")
            let path = "/inApps/v1/transactions/1"
            let failed = try await world.send("GET", path)
            #expect(failed.status.rawValue == 500)
            #expect(failed.fields["Content-Type"] == "application/json")
            #expect(String(decoding: failed.body, as: UTF8.self).contains("5000001"))
            let limited = try await world.send("GET", path)
            #expect(limited.status == .tooManyRequests)
            let retry = try #require(limited.fields["Retry-After"].flatMap { Int64($0) })
            #expect(Double(retry) / 1_000 > Date().timeIntervalSince1970 - 60)
            let unknown = try await world.send("GET", path)
            #expect(unknown.status == .unauthorized)
            #expect(String(decoding: unknown.body, as: UTF8.self) == "Unauthenticated\n")
            #expect(unknown.fields["Content-Type"] == "text/plain")
        }
    }

    @Test func `A delayed answer comes late and the fault counts its strikes`() async throws {
        try await HTTPWorld.run { world in
            try await world.set(
                FaultRule(kind: .delay, on: "/device/v1/launch", times: 1, milliseconds: 150))
            let began = ContinuousClock().now
            _ = try await launch(world)
            #expect(ContinuousClock().now - began >= .milliseconds(150))
            let faults: FaultsResponse = try await world.call(ControlRoute.faults)
            #expect(faults.struck.map(\.kind) == [.delay])
        }
    }

    @Test func `No fault keeps anybody from the control API`() async throws {
        try await HTTPWorld.run { world in
            try await world.set(FaultRule(kind: .refuse, on: "*"))
            await #expect(throws: HTTPFetchError.self) {
                try await CurlFetcher().fetch(
                    HTTPRequest(method: .post, target: world.url() + "/device/v1/launch"))
            }
            try await world.set()
            _ = try await launch(world)
        }
    }
}
