import AppStoreModel
import Foundation
import TestKit
import Testing

struct `Dates in Apple's forms` {
    @Test(arguments: [
        "2021-08-06T21:08:32Z", "2021-08-06T22:08:32+0100", "2021-08-06T22:08:32+01:00",
        "2021-08-06T16:08:32-0500", "2021-08-06T21:08:32.000Z", "2021-08-07T00:08:32+0300",
    ])
    func `every offset means the same instant`(_ text: String) {
        #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: 1_628_284_112_000))
    }

    @Test(arguments: [
        "2021-08-06T21:08:32Z", "2021-08-06t21:08:32z", "2021-08-06 21:08:32Z",
        "2021-08-06T22:08:32+01", "2021-08-06T22:08:32 +0100", "2021-08-06 22:08:32 +01:00",
        "2021-08-06T21:08:32", " 2021-08-06T21:08:32Z ", "2021-08-06T21:08:32Z\0",
        "2021-08-06T21:08:32.000", "2021-08-06T16:08:32-0500",
    ])
    func `a receipt's date is read though its writer strayed from the standard`(_ text: String) {
        let bytes = Array("x\(text)x".utf8)
        #expect(
            Timestamp(receiptDate: bytes, 1..<bytes.count - 1)
                == Timestamp(milliseconds: 1_628_284_112_000))
    }

    @Test(arguments: [
        "", " ", "2021-08-06", "2021-02-29T21:08:32Z", "2021-08-06T21:08:32+1",
        "2021-08-06T21:08:32+010", "2021-08-06T21:08:32Zx", "2021-08-06T21:08:32 PM",
        "2021-08-06T21:08:32 Europe/Berlin", "2021-08-06T9:08:32Z", "1628284112000",
    ])
    func `what could be two dates is none of a receipt's`(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Timestamp(receiptDate: bytes, 0..<bytes.count) == nil)
    }

    @Test func `fractions are cut to milliseconds`() {
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.1239Z")?.milliseconds == 123)
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.1Z")?.milliseconds == 100)
    }

    @Test(arguments: [
        "", "2021-08-06", "2021-08-06T21:08:32", "2021-08-06 21:08:32Z", "2021-13-06T21:08:32Z",
        "2021-02-29T21:08:32Z", "2021-08-06T24:08:32Z", "2021-08-06T21:08:32.Z",
        "2021-08-06T21:08:32+1", "2021-08-06T21:08:32Zx", "2021-08-06T21:60:32Z",
        "2021-00-06T21:08:32Z", "2021-08-00T21:08:32Z", "21-08-06T21:08:32Z",
    ])
    func `what is no date is refused`(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `leap days are days`() {
        #expect(Timestamp(rfc3339: "2024-02-29T00:00:00Z")?.rfc3339 == "2024-02-29T00:00:00Z")
        #expect(Timestamp(rfc3339: "1900-02-29T00:00:00Z") == nil)
        #expect(Timestamp(rfc3339: "2000-02-29T00:00:00Z") != nil)
    }

    @Test func `a moment is written in Apple's three forms`() {
        let triplet = DateTriplet(Timestamp(milliseconds: 1_604_851_257_123))
        #expect(triplet.text == "2020-11-08 16:00:57 Etc/GMT")
        #expect(triplet.milliseconds == "1604851257123")
        #expect(triplet.pacific == "2020-11-08 08:00:57 America/Los_Angeles")
        #expect(DateTriplet(nil).isAbsent)
        #expect(Timestamp(milliseconds: -62_135_769_600_000).rfc3339 == "0000-12-30T00:00:00Z")
        #expect(Timestamp(milliseconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
    }

    @Test func `each form of a date is read where the others are missing`() {
        var triplet = DateTriplet()
        triplet.pacific = "2012-10-13 12:40:08 America/Los_Angeles"
        #expect(triplet.moment?.milliseconds == 1_350_157_208_000)
        triplet.text = "1350157508197"
        #expect(triplet.moment?.milliseconds == 1_350_157_508_197)
        triplet.milliseconds = "7"
        #expect(triplet.moment?.milliseconds == 7)
        #expect(Timestamp(appleText: "2012-10-13 12:40:08 Europe/Berlin") == nil)
    }

    @Test(arguments: [UInt64(20_261_130)])
    func `Los Angeles agrees with the zone's own data`(seed: UInt64) throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        var random = SeededRandom(seed: seed)
        var moments = (0..<3_000).map { _ in
            // From 1967, when the law that the table begins with came into force, to 2037.
            Timestamp(seconds: Int64.random(in: -94_694_400..<2_145_916_800, using: &random))
        }
        // The seconds around every change of every year.
        for year in 1967..<2037 {
            var date = Timestamp(rfc3339: "\(year)-01-01T09:00:00Z").map {
                Date(timeIntervalSince1970: Double($0.seconds))
            }
            for _ in 0..<2 {
                date = date.flatMap { zone.nextDaylightSavingTimeTransition(after: $0) }
                guard let date else { break }
                let seconds = Int64(date.timeIntervalSince1970)
                moments += [-1, 0, 1].map { Timestamp(seconds: seconds + $0) }
            }
        }
        for moment in moments {
            let offset = zone.secondsFromGMT(
                for: Date(timeIntervalSince1970: Double(moment.seconds)))
            let local = Timestamp(seconds: moment.seconds + Int64(offset)).gmtText
                .replacing("Etc/GMT", with: "America/Los_Angeles")
            #expect(moment.losAngelesText == local, "\(moment.rfc3339)")
        }
    }

    @Test(arguments: [UInt64(4)])
    func `what is written is read back`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let moment = Timestamp(
                seconds: Int64.random(in: -62_135_596_800..<253_402_300_800, using: &random))
            #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
            #expect(Timestamp(appleText: moment.gmtText) == moment)
        }
    }
}
