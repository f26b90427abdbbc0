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

/// Answers `verifyReceipt` from a table and notes who was asked.
private final class VerifyReceiptTable: HTTPFetching {
    private let answers: [String: String]
    private let asked = Locked<[(address: String, limit: Int)]>([])

    init(_ answers: [String: String]) { self.answers = answers }

    var addresses: [String] { asked.withLock { $0.map(\.address) } }
    var limits: Set<Int> { asked.withLock { Set($0.map(\.limit)) } }

    func fetch(
        _ request: HTTPRequest, limits: HTTPFetchLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        asked.withLock { $0.append((request.target, limits.totalMilliseconds)) }
        guard let answer = answers[request.target] else { throw HTTPFetchError(.timedOut) }
        return HTTPResponse(status: .ok, body: Data(answer.utf8))
    }
}

@Suite struct DevelopmentDeskTests {
    private static let production = "https://buy.itunes.apple.com/verifyReceipt"
    private static let sandbox = "https://sandbox.itunes.apple.com/verifyReceipt"

    private static func answer(
        bundle: String = "com.example.app", version: String = "7", product: String = "coins600"
    ) -> String {
        """
        {"status": 0, "environment": "Sandbox", "receipt": {"bundle_id": "\(bundle)",
        "application_version": "\(version)", "request_date_ms": "1900000000000",
        "in_app": [{"product_id": "\(product)", "transaction_id": "1001",
        "original_transaction_id": "1001", "purchase_date_ms": "1900000000000"}]}}
        """
    }

    private func desk(_ table: VerifyReceiptTable) -> DevelopmentDesk {
        var verifier = UnsafeDevelopmentVerifier()
        verifier.applicationVersion = "7"
        return DevelopmentDesk(
            verifier: verifier, bundleID: "com.example.app", fetcher: table,
            disk: LaunchDisk(files: DeviceFiles(), life: KillSwitch()))
    }

    private func submit(
        _ desk: DevelopmentDesk
    ) async throws(DeskFailure) -> TransactionReport? {
        try await desk.submit(
            PurchaseRequest(receipt: "cmVjZWlwdA==", transactionIDs: ["1001"]),
            products: ["1001": "coins600"], key: "k",
            for: Caller(customerID: "me", token: "t")
        ).value.results.first
    }

    @Test func `production is asked first, and the sandbox once when it says 21007`() async throws {
        let table = VerifyReceiptTable([
            Self.production: #"{"status": 21007}"#, Self.sandbox: Self.answer(),
        ])
        let desk = desk(table)
        let report = try await submit(desk)
        #expect(report?.outcome == .granted)
        #expect(report?.mayFinish == true)
        #expect(table.addresses == [Self.production, Self.sandbox])
        #expect(table.limits == [10_000])
        #expect(try await submit(desk)?.outcome == .alreadyGranted)
    }

    @Test(arguments: [21007, 21008])
    func `two stores that name each other are not asked in a circle`(_ status: Int) async throws {
        let table = VerifyReceiptTable([
            Self.production: #"{"status": 21007}"#, Self.sandbox: "{\"status\": \(status)}",
        ])
        await #expect(throws: DeskFailure.self) { try await submit(desk(table)) }
        #expect(table.addresses.count == 2)
    }

    @Test(arguments: [
        (answer(bundle: "com.other.app"), "wrongBundle", true),
        (answer(version: "8"), "wrongVersion", false),
        (#"{"status": 21003}"#, "verifyReceipt21003", true),
        (#"{"status": 21004}"#, "verifyReceipt21004", false),
    ])
    func `what does not match is refused`(
        _ answer: String, _ code: String, _ mayFinish: Bool
    ) async throws {
        let desk = desk(VerifyReceiptTable([Self.production: answer]))
        do {
            _ = try await submit(desk)
            Issue.record("not refused")
        } catch {
            guard case .refused(let refused) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(refused.code == code)
            #expect(refused.mayFinish == mayFinish)
        }
    }

    @Test func `another product and an absent transaction are not granted`() async throws {
        let other = desk(VerifyReceiptTable([Self.production: Self.answer(product: "coins20")]))
        let report = try await submit(other)
        #expect(report?.outcome == .refused)
        #expect(report?.reason == "wrongProduct")
        let empty =
            #"{"status": 0, "receipt": {"bundle_id": "com.example.app", "application_version": "7", "in_app": []}}"#
        #expect(try await submit(desk(VerifyReceiptTable([Self.production: empty]))) == nil)
    }

    @Test(arguments: [
        #"{"status": 21005}"#, #"{"status": 21100, "is-retryable": 1}"#, "<html>", nil,
    ])
    func `Apple's trouble keeps the transaction`(_ answer: String?) async throws {
        let table = VerifyReceiptTable(answer.map { [Self.production: $0] } ?? [:])
        do {
            _ = try await submit(desk(table))
            Issue.record("not refused")
        } catch {
            #expect(error.isWorthRepeating)
        }
    }
}
