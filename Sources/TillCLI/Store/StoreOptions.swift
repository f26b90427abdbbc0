import AppStoreModel
import LocalAppStore

/// What the words of `till store` ask for.
struct StoreOptions {
    let host: String
    let port: Int
    let productionPort: Int?
    let catalog: String?
    let folder: String
    let isEphemeral: Bool
    /// `nil` leaves the clock as it is, or at the machine's time in a new store.
    let clock: Timestamp?
    let rate: Double?
    let notificationURL: String?
    let seed: UInt64?
    let bundleID: BundleID?
    let appAppleID: Int64?

    init(_ words: ParsedWords) throws(UsageError) {
        host = words.value("--host") ?? "127.0.0.1"
        port = try words.number("--port", in: 0...65_535) ?? StoreServer.usualPort
        productionPort = try words.number("--production-port", in: 0...65_535)
        guard port != 65_535 || productionPort != nil else {
            throw UsageError("there is no port above 65535: --production-port is missing")
        }
        guard port == 0 || port != productionPort else {
            throw UsageError("--port and --production-port are the same")
        }
        catalog = words.value("--catalog")
        isEphemeral = words.has("--ephemeral")
        guard !isEphemeral || !words.has("--state") else {
            throw UsageError("--state and --ephemeral exclude each other")
        }
        folder = words.value("--state") ?? StoreFolder.usual
        clock = try words.value("--clock").flatMap { text throws(UsageError) in
            text == "now" ? SystemClock.now() : try Moment.parse(text, "--clock")
        }
        rate = try words.value("--rate").map { text throws(UsageError) in
            guard let rate = Double(text), (0...10_000_000).contains(rate) else {
                throw UsageError("--rate takes a number from 0 to 10000000, not \"\(text)\"")
            }
            return rate
        }
        notificationURL = words.value("--notify")
        if let url = notificationURL {
            guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
                throw UsageError("--notify takes an http or https URL, not \"\(url)\"")
            }
        }
        seed = try words.value("--seed").map { text throws(UsageError) in
            guard let seed = UInt64(text) else {
                throw UsageError("--seed takes a whole number, not \"\(text)\"")
            }
            return seed
        }
        bundleID = words.value("--bundle-id").map { BundleID($0) }
        appAppleID = try words.number("--app-apple-id", in: 1...Int(Int32.max) * 1_000)
            .map { Int64($0) }
    }
}

/// Moments as people type them.
enum Moment {
    /// A day (`2026-01-01`, its midnight in UTC), a full RFC 3339 date, or milliseconds since 1970.
    static func parse(_ text: String, _ name: String) throws(UsageError) -> Timestamp {
        if let moment = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "T00:00:00Z") {
            return moment
        }
        if text.count > 10, let milliseconds = Int64(text) {
            return Timestamp(milliseconds: milliseconds)
        }
        throw UsageError(
            "\(name) takes a date as 2026-01-01 or 2026-01-01T12:00:00Z, not \"\(text)\"")
    }
}
