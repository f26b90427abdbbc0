import AppStoreModel
import Foundation
import Testing
import TillAPI
import TillLedger

@testable import TillServer

/// What another system kept, taken in bulk.
@Suite struct ImportTests {
    private func run(
        _ shop: TestShop, _ text: String, customer: String? = nil
    ) async throws -> [Importer.LineReport] {
        let importer = try Importer(
            configuration: shop.configuration, ledger: shop.service.ledger,
            clock: { shop.clock.now })
        var reports: [Importer.LineReport] = []
        try await importer.run(
            text.split(separator: "\n", omittingEmptySubsequences: false),
            customer: customer.flatMap { CustomerID(rawValue: $0) }, parallel: 3
        ) { reports.append($0) }
        return reports
    }

    @Test func `proofs come in with their customers, once however often`() async throws {
        let shop = try TestShop()
        let text = """
            anna\t\(try shop.signed("1"))

            {"customerId": "ben", "receipt": "\(try shop.receipt([("2", TestShop.coins), ("3", TestShop.gems)]))"}
            {"app_user_id": "cleo", "fetch_token": "\(try shop.receipt([("4", TestShop.pro)]))"}
            \(try shop.signed("5"))
            """
        for round in 0..<2 {
            let reports = try await run(shop, text, customer: "dora")
            #expect(reports.map(\.line) == [1, 3, 4, 5])
            #expect(reports.map(\.customer) == ["anna", "ben", "cleo", "dora"])
            let outcomes = Set(reports.flatMap(\.results).map(\.outcome))
            #expect(outcomes == [round == 0 ? .granted : .alreadyGranted])
        }
        #expect(try await shop.customer("anna").balances == ["coins": 600])
        #expect(try await shop.customer("ben").balances == ["coins": 600, "gems": 10])
        #expect(try await shop.customer("cleo").entitlements.map(\.entitlement) == ["pro"])
        #expect(try await shop.customer("dora").balances == ["coins": 600])
        #expect(try await shop.service.ledger.rebuild().discrepancies == [])
    }

    @Test func `a byte order mark is no part of the first customer's name`() async throws {
        let shop = try TestShop()
        let reports = try await run(shop, "\u{feff}anna\t\(try shop.signed("1"))")
        #expect(reports.map(\.customer) == ["anna"])
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `a list of objects takes nothing, since its customers would be lost`() async throws {
        let shop = try TestShop()
        let list = #"[ {"customerId": "anna", "receipt": "\#(try shop.signed("1"))"}]"#
        let reports = try await run(shop, list)
        #expect(reports.map(\.results) == [[]])
        #expect(reports.first?.problem == "a list of objects: write one object a line")
        // Its nearest neighbour, a list of proofs of one customer, is taken.
        let proofs = #"anna\#t["\#(try shop.signed("2"))", "\#(try shop.signed("3"))"]"#
        #expect(
            try await run(shop, proofs).flatMap(\.results).map(\.outcome) == [.granted, .granted])
    }

    @Test func `a table of customers and proofs is read by its header`() async throws {
        let shop = try TestShop()
        let table = """
            customer,receipt
            anna,\(try shop.signed("1"))
            ben,"\(try shop.receipt([("2", TestShop.coins)]))"
            """
        let reports = try await run(shop, table)
        #expect(reports.map(\.customer) == ["anna", "ben"])
        #expect(reports.flatMap(\.results).map(\.outcome) == [.granted, .granted])
    }

    @Test(arguments: [
        ("Customer,Receipt", "anna,"), ("CUSTOMER_ID;Proof", "anna;"),
        (" customer ; receipt ", "anna;"),
    ])
    func `a table's header may have capitals, spaces and semicolons`(
        header: String, start: String
    ) async throws {
        let shop = try TestShop()
        let reports = try await run(shop, "\(header)\n\(start)\(try shop.signed("1"))")
        #expect(reports.map(\.customer) == ["anna"])
        #expect(reports.flatMap(\.results).map(\.outcome) == [.granted])
    }

    @Test func `a column whose name goes on is another column`() async throws {
        let shop = try TestShop()
        let proof = try shop.signed("1")
        let reports = try await run(
            shop, "Customer Name;Customer;Proof of Address;Proof\nAnna Smith;anna;x;\(proof)")
        #expect(reports.map(\.customer) == ["anna"])
        #expect(reports.flatMap(\.results).map(\.outcome) == [.granted])
    }

    @Test
    func `a customer in another encoding than UTF-8 is nobody, as another would look the same`()
        async throws
    {
        let shop = try TestShop()
        // "café" in Latin-1, as a line is read.
        let latin = String(decoding: [0x63, 0x61, 0x66, 0xE9], as: UTF8.self)
        let (first, second) = (try shop.signed("1"), try shop.signed("2"))
        let reports = try await run(shop, "\(latin)\t\(first)\ncaf\u{e9}\t\(second)")
        #expect(reports.map(\.problem) == ["the customer id cannot be taken", nil])
        #expect(reports.flatMap(\.results).map(\.outcome) == [.granted])
    }

    @Test func `a proof of nobody waits, and the one who shows it later claims it`() async throws {
        let shop = try TestShop()
        let proof = try shop.signed("1")
        #expect(try await run(shop, proof).flatMap(\.results).map(\.outcome) == [.pending])
        let answer = try await shop.purchase(
            PurchaseRequest(signedTransactions: [proof]), by: "anna")
        #expect(answer.results.map(\.outcome) == [.granted])
    }

    @Test func `a forged line takes nothing, and the lines around it are taken`() async throws {
        let shop = try TestShop()
        let proof = try shop.signed("1")
        let forged = proof.dropLast(4) + "AAAA"
        let reports = try await run(shop, "\(forged)\n\(proof)\nrubbish\n{}", customer: "anna")
        #expect(reports.map(\.results.count) == [0, 1, 0, 0])
        #expect(reports[0].refusedProofs.map(\.code) == [.init(.wrongSignature)])
        #expect(reports[3].problem == "neither a proof nor a transaction id")
        #expect(try await shop.customer("anna").balances == ["coins": 600])
    }

    @Test func `another's line does not take what the first owns`() async throws {
        let shop = try TestShop()
        let proof = try shop.signed("1")
        let reports = try await run(shop, "anna\t\(proof)\nben\t\(proof)")
        let outcomes = reports.flatMap(\.results).map(\.outcome)
        #expect(outcomes.sorted { $0.rawValue < $1.rawValue } == [.granted, .refused])
    }

    @Test func `a vendor's table names transactions, and nothing is granted without proof`()
        async throws
    {
        let shop = try TestShop()
        let table = """
            rc_original_app_user_id,product_identifier,store,original_store_transaction_id,note
            anna,com.example.coins600,app_store,2000000000000001,"a, ""quoted"" note"
            ben,com.example.coins600,play_store,GPA.1234,
            cleo,com.example.coins600,app_store,,
            """
        let reports = try await run(shop, table)
        #expect(reports.map(\.unproven) == ["2000000000000001", nil, nil])
        #expect(reports.map(\.customer) == ["anna", nil, "cleo"])
        #expect(reports[1].problem == "sold by play_store, not by the App Store")
        let iaptic = #"{"applicationUsername": "anna", "purchaseId": "apple:2000000000000001"}"#
        #expect(try await run(shop, iaptic).map(\.unproven) == ["2000000000000001"])
        #expect(try await shop.customer("anna").balances == [:])
    }

    @Test(arguments: [
        ("a,b", ["a", "b"]), ("\"a,b\",c", ["a,b", "c"]), ("\"a\"\"b\"", ["a\"b"]), ("", [""]),
        (",", ["", ""]), ("a,\"", ["a", ""]), ("a\r", ["a"]),
    ])
    func `cells of a table are told apart`(line: String, cells: [String]) {
        #expect(ImportReader.cells(line[...]) == cells)
    }
}
