import AppStoreModel
import StoreWire

extension StoreState {
    /// When the store does something on its own next.
    var nextDue: Timestamp? {
        let own = schedule.first?.date
        let delivery = nextDelivery
        guard let own, let delivery else { return own ?? delivery }
        return min(own, delivery)
    }

    /// The earliest planned attempt to deliver a notification.
    var nextDelivery: Timestamp? {
        openNotifications.compactMap { notifications[$0]?.nextAttempt }.min()
    }

    /// Lets time pass up to a moment, doing what falls due on the way in order.
    ///
    /// Stops early, before the clock passes a moment at which a notification has to be delivered, so that
    /// deliveries keep their place in the order of things; answers whether it came all the way.
    @discardableResult
    mutating func run(until target: Timestamp, stopsForDeliveries: Bool) -> Bool {
        while true {
            // What is due at this very moment comes before its deliveries, so that a replay, which knows
            // no deliveries, does things in the same order.
            if let entry = schedule.first, entry.date <= now {
                schedule.removeFirst()
                carryOut(entry.matter)
                continue
            }
            let delivery = stopsForDeliveries ? nextDelivery : nil
            if let delivery, delivery <= now { return false }
            guard now < target else { return true }
            now = min(target, schedule.first?.date ?? target, delivery ?? target)
        }
    }

    private mutating func carryOut(_ matter: Schedule.Matter) {
        switch matter {
        case .subscription(let id): wake(id)
        case .payment(let id):
            guard let payment = payments[id], payment.waits == .approval,
                let lapses = payment.lapses, lapses <= now
            else { return }
            try? decide(id, .lapse)
        case .refund(let id):
            guard transactions[id]?.refund == .requested else { return }
            if transactions[id]?.preference == .decline {
                try? declineRefund(id)
            } else {
                try? refund(id, reason: .other, percentage: nil)
            }
        case .extensions(let key): carryOut(key)
        }
    }

    /// The notifications whose time to be sent has come, in order.
    var dueNotifications: [StoreNotification] {
        openNotifications.compactMap { notifications[$0] }
            .filter { $0.nextAttempt.map { $0 <= now } ?? false }
            .sorted { ($0.nextAttempt ?? now) < ($1.nextAttempt ?? now) }
    }

    /// Notes how an attempt went and plans the next one.
    mutating func noteAttempt(_ id: String, _ attempt: StoreNotification.Attempt) {
        notifications.update(id) {
            $0.attempts.append(attempt)
            let done = $0.attempts.count
            let hasFailed = attempt.result != .success
            let wait = hasFailed && done <= $0.ladder.count ? $0.ladder[done - 1] : nil
            $0.nextAttempt = wait.map { attempt.date.advanced(byMilliseconds: $0) }
        }
        if notifications[id]?.nextAttempt == nil { openNotifications.removeAll { $0 == id } }
    }
}
