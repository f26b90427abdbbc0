import AppStoreModel
import StoreWire

extension ControlVerb {
    /// The store's clock.
    static let aboutClock: [ControlVerb] = [
        ControlVerb("clock", "what the clock shows") { store, _ in
            ControlReport(try await store.call(.clock, as: ClockInfo.self), \.shown)
        },
        ControlVerb(
            "clock move", takes: "[next]", count: 0...1, options: ["--by", "--to"],
            "move it forward, to the next event with \"next\"; what falls due happens on the way"
        ) { store, words in
            var change = ClockChange()
            change.now = try words.value("--to").map { text throws(UsageError) in
                try Moment.parse(text, "--to")
            }
            change.advanceMilliseconds = try words.value("--by").map { text throws(UsageError) in
                try Length.milliseconds(text, "--by")
            }
            if let word = words.operands.first {
                guard word == "next" else {
                    throw UsageError("\"\(word)\" is no place in time; did you mean next?")
                }
                change.toNextEvent = true
            }
            guard change != ClockChange() else {
                throw UsageError("clock move needs --by LENGTH, --to DATE or next")
            }
            return try await move(store, change)
        },
        ControlVerb("clock stop", "let it stand") { store, _ in
            try await move(store, ClockChange(rate: 0))
        },
        ControlVerb("clock rate", takes: "N", count: 1...1, "how many seconds pass in a real one") {
            store, words in
            guard let rate = Double(words[0]) else {
                throw UsageError("N is a number, not \"\(words[0])\"")
            }
            return try await move(store, ClockChange(rate: rate))
        },
    ]

    private static func move(
        _ store: ControlClient, _ change: ClockChange
    ) async throws -> ControlReport {
        ControlReport(
            try await store.call(.moveClock, body: change, as: ClockInfo.self), \.shown)
    }
}

extension ClockInfo {
    fileprivate var shown: String {
        "\(now.shown), \(rate == 0 ? "it stands" : "rate \(rate)")"
            + (nextEvent.map { ", next event \($0.shown)" } ?? "")
    }
}

/// Lengths of time as people type them.
enum Length {
    private static let units: [Character: Int64] = [
        "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000,
    ]

    /// A whole number with one of `s m h d w` behind it.
    static func milliseconds(_ text: String, _ name: String) throws(UsageError) -> Int64 {
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            count >= 0, count <= 1_000_000_000
        else {
            throw UsageError("\(name) takes a length as 90s, 30m, 12h, 31d or 2w, not \"\(text)\"")
        }
        return count * unit
    }
}
