import AppStoreModel
import HTTPMessage

/// Reads `Retry-After` in each form that may come.
enum RetryAfter {
    /// From here on a number is a moment in milliseconds (1973) and no count of seconds (3,000 years).
    private static let firstMilliseconds: Int64 = 100_000_000_000
    /// From here on a number is a moment in seconds (2001) and no count of them (32 years).
    private static let firstSeconds: Int64 = 1_000_000_000

    /// How long to wait, in milliseconds, seen from now; `nil` for what cannot be read.
    ///
    /// Apple sends a moment in UNIX milliseconds; proxies send seconds or a date (RFC 9110 section 10.2.3).
    /// What has passed already is no wait at all, and none is longer than the limit.
    static func pause(_ text: String, at now: Timestamp, limit: Int64) -> Int64? {
        guard let moment = moment(text, at: now) else { return nil }
        return min(max(0, moment.milliseconds - now.milliseconds), limit)
    }

    private static func moment(_ text: String, at now: Timestamp) -> Timestamp? {
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return HTTPDate.secondsSinceEpoch(text).map(Timestamp.init(seconds:))
        }
        guard let number = Int64(text), number < 1_000_000_000_000_000 else { return nil }
        if number >= firstMilliseconds { return Timestamp(milliseconds: number) }
        if number >= firstSeconds { return Timestamp(seconds: number) }
        return now.advanced(byMilliseconds: number * 1_000)
    }
}
