import AppStoreModel
import Foundation
import TestKit
import Testing
import TillAPI

@testable import TillServer

/// The server's own JSON, compared byte by byte with Foundation's.
@Suite struct JSONTextTests {
    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func ours(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encode(value), as: UTF8.self)
    }

    @Test func `a whole answer to a purchase is the same bytes`() throws {
        let order = try #require(UUID(uuidString: "0A5C0D7E-2F0B-4C61-9F0E-6D8C1F4F4C11"))
        let time = Timestamp(milliseconds: 1_796_000_000_000)
        let entitlement = EntitlementDocument(
            entitlement: "pro", isActive: true, expiresAt: time, productID: "a/b",
            environment: .sandbox)
        let transaction = TransactionDocument(
            transactionID: "1", originalTransactionID: "0", bundleID: "com.example.app",
            productID: "a/b", quantity: 3, environment: .production, outcome: .granted,
            reason: "\"quoted\" \\ \u{7} \u{8} \u{C} \n \r \t \u{1F} \u{7F} 金 🪙",
            purchaseDate: time,
            orderID: order)
        let answer = PurchaseResponse(
            results: [
                TransactionReport(
                    transactionID: "1", originalTransactionID: "0", productID: "a/b",
                    outcome: .granted, orderID: order, mayFinish: true, environment: .xcode)
            ],
            refusedProofs: [
                RefusedProof(
                    proof: "receipt", code: ProblemCode(.unreadable), mayFinish: false,
                    isRetryable: true)
            ], absentTransactionIDs: ["7", "8"],
            customer: CustomerDocument(
                customerID: "anna", entitlements: [entitlement, entitlement],
                balances: ["gems": -1, "coins": .max, "Coins": 0, "ä": 1, "z": 2],
                balancesByEnvironment: ["Sandbox": ["b": 1, "a": 2], "Production": [:]],
                transactions: [transaction]))
        #expect(try ours(answer) == foundation(answer))
    }

    @Test func `every problem and the description of the interface are the same bytes`() throws {
        for kind in ProblemKind.allCases {
            let problem = ProblemDocument(kind)
            #expect(try ours(problem) == foundation(problem))
        }
        #expect(try ours(OpenAPIDocument.value) == foundation(OpenAPIDocument.value))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any value is the same bytes`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let value = Self.value(&random, depth: 4)
            #expect(try ours([value]) == foundation([value]))
        }
    }

    @Test func `a number that JSON has no words for is refused`() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try JSONText.encode([number]) }
            #expect(throws: EncodingError.self) { try JSONText.encode(["a": number]) }
        }
    }

    @Test func `a value that encodes nothing is an empty object, a name written twice counts once`()
        throws
    {
        struct Nothing: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        struct Twice: Encodable {
            enum CodingKeys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .b)
                try container.encode(2, forKey: .a)
                try container.encode("three", forKey: .b)
            }
        }
        #expect(try ours([Nothing()]) == foundation([Nothing()]))
        #expect(try ours(Twice()) == #"{"a":2,"b":"three"}"#)
        #expect(try ours(Twice()) == foundation(Twice()))
    }

    /// A value that fills containers whenever it pleases, as no document of ours does.
    private struct Wild: Encodable {
        enum CodingKeys: CodingKey { case m, c, x, a, k, s }

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: CodingKeys.self)
            try outer.encode("first", forKey: .m)
            var object = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .x)
            var list = outer.nestedUnkeyedContainer(forKey: .a)
            try list.encode(1)
            var inList = list.nestedContainer(keyedBy: CodingKeys.self)
            var listInList = list.nestedUnkeyedContainer()
            try outer.encode(["z": ["y": 1], "b": [:]], forKey: .c)
            try object.encode(true, forKey: .m)
            try list.encode(contentsOf: ["two", "three"])
            try inList.encodeNil(forKey: .k)
            try object.encode([Double](), forKey: .a)
            try listInList.encode(-1.5)
            _ = object.nestedContainer(keyedBy: CodingKeys.self, forKey: .c)
            var parent = outer.superEncoder(forKey: .s).container(keyedBy: CodingKeys.self)
            try outer.encode(UInt64.max, forKey: .k)
            try parent.encode(Int64.min, forKey: .k)
            var single = list.superEncoder().singleValueContainer()
            try single.encode("four")
        }
    }

    @Test func `containers that are filled in any order are the same bytes`() throws {
        #expect(try ours(Wild()) == foundation(Wild()))
        #expect(
            try ours([[Wild()], [Wild(), Wild()]]) == foundation([[Wild()], [Wild(), Wild()]]))
    }

    @Test(arguments: [1, 2, 23, 24, 25, 26, 400])
    func `any number of members is the same bytes, and a name that comes twice counts once`(
        count: Int
    ) throws {
        struct Names: Encodable {
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            let count: Int

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for turn in 0..<2 {
                    for number in 0..<count where turn == 0 || number % 3 == 0 {
                        let name = String(number * 7_919 % 10_007)
                        try container.encode(turn, forKey: Key(stringValue: name))
                    }
                }
            }
        }
        #expect(try ours(Names(count: count)) == foundation(Names(count: count)))
    }

    @Test func `whole numbers of every length are the same bytes`() throws {
        var numbers: [Int64] = [0, .min, .max, .min + 1]
        var power: Int64 = 1
        for _ in 0..<19 {
            numbers += [power, power - 1, -power, 1 - power]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        #expect(try ours(numbers) == foundation(numbers))
        #expect(try ours([UInt64.max, 0, 1 << 63]) == foundation([UInt64.max, 0, 1 << 63]))
    }

    private static func value(
        _ random: inout SeededRandom, depth: Int
    ) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(.random(in: .min ... .max, using: &random))
        case 3: .integer(.random(in: -9...9, using: &random))
        case 4: .number(Double(bitPattern: random.next()).asJSON)
        case 5: .string(text(&random))
        case 6:
            .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    value(&random, depth: depth - 1)
                })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                        (text(&random), value(&random, depth: depth - 1))
                    }, uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let letters = Array("aB/\"\\\0\u{1}\u{8}\n\u{1F}\u{7F}é\u{301}金🪙 ")
        return String(
            (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            })
    }
}

extension Double {
    /// The number, or another where JSON has none.
    fileprivate var asJSON: Double { isFinite ? self : 0.5 }
}
