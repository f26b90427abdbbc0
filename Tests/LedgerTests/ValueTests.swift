import AppStoreModel
import Testing
import TillLedger

@Suite struct ValueTests {
    @Test(arguments: [
        ("P1M", 2024, "2024-02-29"), ("P1M", 2023, "2023-02-28"), ("P1Y", 2024, "2025-01-31"),
        ("P13M", 2023, "2024-02-29"), ("P30D", 2024, "2024-03-01"), ("P2W", 2024, "2024-02-14"),
        ("P1M1D", 2023, "2023-03-01"), ("P3M", 2023, "2023-04-30"),
    ])
    func `A period ends on the calendar's day`(period: String, year: Int, end: String) throws {
        // 31 January of the year, 10:00 UTC.
        let starts: [Int: Int64] = [2023: 1_675_159_200, 2024: 1_706_695_200]
        let ends: [String: Int64] = [
            "2024-02-29": 1_709_200_800, "2023-02-28": 1_677_578_400,
            "2025-01-31": 1_738_317_600, "2024-03-01": 1_709_287_200,
            "2024-02-14": 1_707_904_800, "2023-03-01": 1_677_664_800,
            "2023-04-30": 1_682_848_800,
        ]
        let start = Timestamp(seconds: try #require(starts[year]))
        let parsed = try #require(ServicePeriod(iso8601: period))
        #expect(parsed.end(from: start).seconds == ends[end])
        #expect(ServicePeriod(iso8601: parsed.description) == parsed)
    }

    @Test func `A period before 1970 ends on the calendar's day too`() throws {
        let month = try #require(ServicePeriod(months: 1))
        // 1969-01-31T10:00:00.500Z to the last of February.
        let start = Timestamp(milliseconds: -28_893_600_000 + 500)
        #expect(month.end(from: start).milliseconds == -26_474_400_000 + 500)
    }

    @Test(arguments: [
        "", "P", "1M", "P1", "PM", "P1H", "P-1M", "P0D", "PT1H", "P１M", "P99999999999D", "P4000Y",
    ])
    func `What is no period is none`(text: String) {
        #expect(ServicePeriod(iso8601: text) == nil)
    }

    @Test func `A customer's name is plain and bounded`() {
        for name in ["", "a\u{7F}", "a\n", String(repeating: "a", count: 201)] {
            #expect(CustomerID(rawValue: name) == nil)
        }
        for name in ["a", "用户 1", String(repeating: "a", count: 200)] {
            #expect(CustomerID(rawValue: name)?.rawValue == name)
        }
    }

    @Test func `An order's name is a UUID in lower case that begins with its time`() throws {
        let bytes = [UInt8](0..<10)
        let time = Timestamp(milliseconds: 0x0102_0304_0506)
        let id = try #require(OrderID(randomBytes: bytes, at: time))
        #expect(id.rawValue == "01020304-0506-7001-8203-040506070809")
        let most = try #require(
            OrderID(
                randomBytes: [UInt8](repeating: 0xFF, count: 10), at: Timestamp(milliseconds: -1)))
        #expect(most.rawValue == "ffffffff-ffff-7fff-bfff-ffffffffffff")
        let next = Timestamp(milliseconds: time.milliseconds + 1)
        let later = try #require(
            OrderID(randomBytes: [UInt8](repeating: 0, count: 10), at: next))
        #expect(id < later)
        #expect(OrderID(rawValue: id.rawValue.uppercased()) == id)
        #expect(OrderID(AppAccountToken(id.rawValue.uppercased())) == id)
        #expect(OrderID(randomBytes: Array(bytes.dropLast()), at: time) == nil)
        for text in [
            "", "00010203-0405-4607-8809-0a0b0c0d0e0", "00010203-0405-4607-8809-0a0b0c0d0e0g",
            "000102030-405-4607-8809-0a0b0c0d0e0f", "{0010203-0405-4607-8809-0a0b0c0d0e0}",
        ] {
            #expect(OrderID(rawValue: text) == nil)
        }
    }

    @Test func `Reasons are told by precedence and each has its sentence`() {
        #expect(RefusalReason.allCases.sorted() == RefusalReason.allCases)
        #expect(RefusalReason.belongsToAnother < .revoked)
        #expect(Set(RefusalReason.allCases.map(\.sentence)).count == RefusalReason.allCases.count)
        let kept = RefusalReason.allCases.filter { !$0.mayFinish }
        #expect(kept == [.bundleMismatch, .appUnknown, .proofIncomplete, .productUnknown])
        #expect(RefusalReason.allCases.filter(\.isRetryable) == [.appUnknown, .productUnknown])
    }

    @Test(arguments: StoreKind.allCases)
    func `A service bought again before its end is lengthened, and a refund shortens it`(
        kind: StoreKind
    ) async throws {
        let shop = try await Shop(kind)
        let first = Sale("1") { $0.product = Sale.season }
        let second = Sale("2") {
            $0.product = Sale.season
            $0.purchased = Sale.noon.later(days: 10)
        }
        try await shop.show(first, second)
        let end = try await shop.customer().entitlements.map(\.expiresAt)
        #expect(end == [Sale.noon.later(days: 60)])
        let refund = Sale("1") {
            $0.product = Sale.season
            $0.revoked = Sale.noon.later(days: 12)
            $0.signed = Sale.noon.later(days: 12)
        }
        try await shop.show(refund)
        let shorter = try await shop.customer().entitlements.map(\.expiresAt)
        #expect(shorter == [Sale.noon.later(days: 40)])
        // After the end it starts anew.
        try await shop.show(
            Sale("3") {
                $0.product = Sale.season; $0.purchased = Sale.noon.later(days: 100)
            })
        let anew = try await shop.customer().entitlements.map(\.expiresAt)
        #expect(anew == [Sale.noon.later(days: 130)])
    }
}
