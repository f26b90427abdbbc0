import AppStoreModel
import Synchronization

/// How often Apple may be asked, shared by every task and every client that is given it.
///
/// Each app, environment and kind of call has a bucket that fills by its rate; whoever finds it empty waits in
/// line. When Apple says that it was asked too often, everybody of that app and environment waits.
public final class RateBudget: Sendable {
    /// The kinds of calls that Apple counts apart.
    public enum Group: String, Sendable, Hashable, CaseIterable {
        /// Transactions, histories, statuses, consumption, finishing.
        case usual
        /// Extending a subscription, setting an account token.
        case writing
        /// Orders and refunds.
        case lookup
        /// Test notifications.
        case rare
        /// `verifyReceipt`, for which Apple publishes no figure.
        case receipts
    }

    /// Calls a second in production, and what the sandbox has of it.
    public struct Rates: Sendable, Hashable {
        /// Calls a second; Apple's published figures where there are any.
        public var perSecond: [Group: Double] = [
            .usual: 50, .writing: 20, .lookup: 10, .rare: 1, .receipts: 50,
        ]
        /// The sandbox's share.
        public var sandboxShare = 0.1
        /// How many calls may be made at once after a rest; Apple counts over an hour.
        public var burst = 20
        /// How many may wait in line for one bucket.
        public var waitingCalls = 1_000

        /// Apple's figures.
        public init() {}
    }

    struct Key: Hashable {
        let bundleID: BundleID
        let environment: AppStoreEnvironment
        let group: Group
    }

    private struct Scope: Hashable {
        let bundleID: BundleID
        let environment: AppStoreEnvironment
    }

    /// In millionths of a call, so that a tenth of a call a second is a whole number a millisecond.
    private struct Bucket {
        var credit: Int64
        var filledAt: Int64
        var line: [Int] = []
    }

    private struct State {
        var buckets: [Key: Bucket] = [:]
        var pauses: [Scope: Int64] = [:]
        var nextTicket = 0
    }

    private enum Turn {
        case go
        case wait(until: Int64, isPause: Bool)
        case lineIsFull
    }

    private static let call: Int64 = 1_000_000
    private let rates: Rates
    private let state = Mutex(State())

    /// A budget of those rates.
    public init(_ rates: Rates = Rates()) { self.rates = rates }

    /// Waits until a call may be made; whoever came first goes first.
    func admit(
        _ key: Key, deadline: Int64, _ surroundings: AppStoreClient.Surroundings
    ) async throws(AppStoreClientError) {
        var ticket: Int?
        defer { if let ticket { leave(key, ticket) } }
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let now = surroundings.steadyMilliseconds()
            switch turn(key, &ticket, now) {
            case .go: return
            case .lineIsFull:
                throw AppStoreClientError(
                    .budgetExhausted, .retry(notBefore: nil), "too many calls wait",
                    environment: key.environment)
            case .wait(let moment, let isPause):
                guard moment <= deadline else {
                    let start = surroundings.time().advanced(byMilliseconds: moment - now)
                    throw AppStoreClientError(
                        isPause ? .rateLimited : .budgetExhausted, .retry(notBefore: start),
                        isPause ? "Apple asked to wait" : "the budget allows no call in time",
                        environment: key.environment)
                }
                do { try await surroundings.sleep(max(1, moment - now)) } catch {
                    throw .cancelled
                }
            }
        }
    }

    /// Makes everybody of an app and environment wait until then, on the steady clock.
    func pause(_ key: Key, until moment: Int64) {
        let scope = Scope(bundleID: key.bundleID, environment: key.environment)
        state.withLock { $0.pauses[scope] = max(moment, $0.pauses[scope] ?? .min) }
    }

    private func turn(_ key: Key, _ ticket: inout Int?, _ now: Int64) -> Turn {
        let (rate, room) = (rate(of: key), Int64(min(max(1, rates.burst), 1_000_000)) * Self.call)
        let held = ticket
        let (turn, given) = state.withLock { state -> (Turn, Int?) in
            var bucket = state.buckets[key] ?? Bucket(credit: room, filledAt: now)
            let passed = max(0, now - bucket.filledAt)
            // No more than fills it, so that a long rest overflows nothing.
            bucket.credit = min(room, bucket.credit + min(passed, room / rate + 1) * rate)
            bucket.filledAt = max(now, bucket.filledAt)
            defer { state.buckets[key] = bucket }
            let place: Int
            if let held, let index = bucket.line.firstIndex(of: held) {
                place = index
            } else {
                place = bucket.line.count
                guard place < rates.waitingCalls else { return (.lineIsFull, nil) }
                state.nextTicket += 1
                bucket.line.append(state.nextTicket)
            }
            let name = bucket.line[place]
            let scope = Scope(bundleID: key.bundleID, environment: key.environment)
            let pause = state.pauses[scope] ?? .min
            if pause <= now { state.pauses[scope] = nil }
            let missing = Int64(place + 1) * Self.call - bucket.credit
            guard missing > 0 || pause > now else {
                bucket.credit -= Self.call
                bucket.line.remove(at: place)
                return (.go, nil)
            }
            let filled = missing > 0 ? now + (missing + rate - 1) / rate : now
            return (.wait(until: max(filled, pause), isPause: pause > filled), name)
        }
        ticket = given
        return turn
    }

    private func leave(_ key: Key, _ ticket: Int) {
        state.withLock { $0.buckets[key]?.line.removeAll { $0 == ticket } }
    }

    /// Millionths of a call a millisecond; at least one, so that every line moves.
    private func rate(of key: Key) -> Int64 {
        let perSecond = rates.perSecond[key.group] ?? 1
        let share = key.environment == .production ? 1 : rates.sandboxShare
        let rate = perSecond * share * 1_000
        return rate.isFinite ? Int64(min(max(1, rate), 1e9)) : 1
    }
}
