/// How long to wait before something is tried again: longer each time, and not at the same moment on
/// every device.
struct Pauses: Sendable, Hashable {
    /// Milliseconds of the first pause at the most.
    var first: Int64
    /// Milliseconds of any pause at the most.
    var longest: Int64

    /// While a person looks at a progress display.
    static let attended = Pauses(first: 1_000, longest: 4_000)
    /// While nobody waits.
    static let unattended = Pauses(first: 4_000, longest: 15 * 60_000)

    /// The pause before the attempt after `failures` failed ones; `jitter` is from 0 to 1.
    func milliseconds(after failures: Int, jitter: Double, retryAfterSeconds: Int? = nil) -> Int64 {
        let doublings = min(max(0, failures - 1), 24)
        let full = min(first << Int64(doublings), longest)
        let spread = Double(full) * (0.5 + 0.5 * min(max(jitter, 0), 1))
        return max(Int64(spread), Int64(retryAfterSeconds ?? 0) * 1_000)
    }
}
