import AppStoreModel
import Synchronization

/// How often a kind of call may be made: Apple's budgets for a second, enforced over an hour.
enum RateGroup: Int, Sendable, CaseIterable {
    /// Transactions, histories, statuses, consumption, finishing, the app's own purchase.
    case usual = 50
    /// Extending one subscription, setting a token.
    case writing = 20
    /// Orders and refunds.
    case lookup = 10
    /// Mass extensions and test notifications.
    case rare = 1
}

/// Counts the calls of one port; the sandbox has a tenth of production's budget, as Apple's has.
///
/// A budget of 50 a second is 180,000 in an hour, 18,000 in the sandbox. Hours are those of the machine's
/// clock.
final class RateLimiter: Sendable {
    private struct Hour {
        var number: Int64 = 0
        var counts: [RateGroup: Int] = [:]
    }

    private let hour = Mutex(Hour())
    private let share: Double

    init(environment: AppStoreEnvironment) { share = environment == .production ? 1 : 0.1 }

    /// The calls of a group that fit in an hour.
    func budget(of group: RateGroup) -> Int { Int(Double(group.rawValue) * 3_600 * share) }

    /// Counts a call; when it is one too many, the moment at which there is a new budget.
    func count(_ group: RateGroup, at now: Timestamp) -> Timestamp? {
        let number = now.milliseconds / 3_600_000
        return hour.withLock { hour in
            if hour.number != number { hour = Hour(number: number) }
            hour.counts[group, default: 0] += 1
            guard hour.counts[group, default: 0] > budget(of: group) else { return nil }
            return Timestamp(milliseconds: (number + 1) * 3_600_000)
        }
    }
}
