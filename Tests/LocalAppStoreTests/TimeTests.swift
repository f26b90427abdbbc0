import AppStoreModel
import Testing

@testable import LocalAppStore

@Suite struct TimeTests {
    @Test func `A month is a calendar month and ends on the last day of a short one`() throws {
        let january = midnight(1, 31)
        #expect(january.addingMonths(1) == midnight(2, 28))
        #expect(midnight(1, 31, 2028).addingMonths(1) == midnight(2, 29, 2028))
        #expect(january.addingMonths(12) == midnight(1, 31, 2027))
        #expect(january.addingMonths(-2) == midnight(11, 30, 2025))
        let noon = january.advanced(byMilliseconds: 43_200_123)
        #expect(noon.addingMonths(1) == midnight(2, 28).advanced(byMilliseconds: 43_200_123))
    }

    @Test func `Days and dates agree over four centuries`() {
        for days in stride(from: -141_000, to: 141_000, by: 37) {
            #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
        }
        #expect(CivilDate(year: 1970, month: 1, day: 1).daysSinceEpoch == 0)
        #expect(CivilDate(year: 2000, month: 3, day: 1).daysSinceEpoch == 11_017)
    }

    @Test func `Periods are read and written as ISO 8601`() {
        for text in ["P3D", "P1W", "P2M", "P6M", "P1Y"] {
            #expect(Period(iso8601: text)?.description == text)
        }
        for text in ["", "P", "PM", "1M", "P0M", "P-1M", "P+1M", "P1M ", "PT1H", "P1000M", "P1.5M"]
        {
            #expect(Period(iso8601: text) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("sandbox5Minutes", [180, 300, 600, 900, 1_800, 3_600]),
            ("sandbox3Minutes", [180, 180, 360, 540, 1_080, 2_160]),
            ("monthlyRenewalEveryThirtySeconds", [10, 30, 60, 90, 180, 360]),
            ("oneRenewalEveryTwoSeconds", [2, 2, 2, 2, 2, 2]),
        ] as [(String, [Int64])])
    func `A compressed rate has the lengths of Apple's tables`(name: String, seconds: [Int64])
        throws
    {
        let rate = try #require(RenewalRate(rawValue: name))
        let start = StoreWorld.start
        let lengths = try ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].map { text in
            let period = try #require(Period(iso8601: text))
            return (rate.end(of: period, from: start).milliseconds - start.milliseconds) / 1_000
        }
        #expect(lengths == seconds)
    }

    @Test
    func `Grace is cut to six days for weekly subscriptions and scaled under compressed rates`()
        throws
    {
        let week = try #require(Period(iso8601: "P1W"))
        let month = try #require(Period(iso8601: "P1M"))
        #expect(
            RenewalRate.realTime.graceMilliseconds(days: 16, period: week) == 6 * StoreWorld.day)
        #expect(RenewalRate.realTime.graceMilliseconds(days: 3, period: week) == 3 * StoreWorld.day)
        #expect(
            RenewalRate.realTime.graceMilliseconds(days: 28, period: month) == 28 * StoreWorld.day)
        let fast = try #require(RenewalRate(timeRate: 13))
        #expect(fast.graceMilliseconds(days: 16, period: month) == 150_000)
        #expect(fast.graceMilliseconds(days: 16, period: week) == 154_000)
        #expect(fast.retryMilliseconds == 600_000)
    }

    @Test func `The numbers of Xcode's rates have names, others do not`() {
        for number in [
            1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005,
        ] {
            #expect(RenewalRate(timeRate: number) != nil, "\(number)")
        }
        #expect(RenewalRate(timeRate: 14) == nil)
        #expect(RenewalRate(rawValue: "sometimes") == nil)
    }

    @Test func `What is planned comes in order of time and then of planning`() {
        var schedule = Schedule()
        for (place, seconds) in [5, 1, 3, 1, 9, 3].enumerated() {
            schedule.add(.payment("\(place)"), at: Timestamp(seconds: Int64(seconds)))
        }
        var order: [String] = []
        while let entry = schedule.first {
            if case .payment(let name) = entry.matter { order.append(name) }
            schedule.removeFirst()
        }
        #expect(order == ["1", "3", "2", "5", "0", "4"])
    }

    @Test func `The clock runs at its rate from its anchor and stops at zero`() {
        let clock = StoreClock(
            base: Timestamp(seconds: 1_000), wall: Timestamp(seconds: 50), rate: 60)
        #expect(clock.time(at: Timestamp(seconds: 52)) == Timestamp(seconds: 1_120))
        #expect(clock.time(at: Timestamp(seconds: 40)) == Timestamp(seconds: 1_000))
        #expect(clock.wall(of: Timestamp(seconds: 1_120)) == Timestamp(seconds: 52))
        let still = StoreClock(base: Timestamp(seconds: 1_000), wall: .zero, rate: 0)
        #expect(still.time(at: Timestamp(seconds: 99)) == Timestamp(seconds: 1_000))
        #expect(still.wall(of: Timestamp(seconds: 2_000)) == nil)
    }
}
