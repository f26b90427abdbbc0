public import AppStoreModel

/// Something that an honest customer seldom does; noted for people to look at, never punished by itself.
public enum SignalKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Showed a purchase of another customer.
    case anothersPurchase
    /// Showed a payment whose token names another customer's order.
    case anothersOrder
    /// A purchase of this customer was shown by others.
    case sharedProof
    /// Took over a purchase of another customer.
    case transfer
    /// Asked for former purchases.
    case restore
    /// A purchase was taken back by the store.
    case refund
    /// What was refunded had been spent: a balance is below zero.
    case spentRefund
    /// Showed a proof of an environment that is not granted here.
    case otherEnvironment
    /// Showed a genuine proof of another app.
    case foreignApp
    /// Showed what Apple did not sign.
    case forgery
    /// Showed a proof that was signed, or a purchase that was made, in the server's future.
    case futureDate
    /// The device's clock is far from the server's.
    case deviceClock
    /// Took a second introductory offer of one subscription group.
    case secondTrial

    /// What one of them adds to the score.
    public var weight: Double {
        switch self {
        case .forgery: 10
        case .spentRefund: 10
        case .anothersOrder, .anothersPurchase, .foreignApp, .secondTrial: 5
        case .futureDate: 3
        case .sharedProof, .transfer: 2
        case .refund, .otherEnvironment, .deviceClock: 1
        case .restore: 0.25
        }
    }
}

/// One kind of sign about one customer and one subject; kept as a row with a count.
public struct Signal: Sendable, Hashable {
    /// The most subjects of one kind that are kept of a customer; the rest is not noted.
    public static let mostSubjects = 100
    /// How long the same sign must be past to be counted again, in milliseconds.
    public static let interval: Int64 = 60_000

    /// What was seen.
    public let kind: SignalKind
    /// Of whom.
    public let customer: CustomerID
    /// What it was about: a transaction, an order, a group, a code; never a customer.
    public let subject: String
    /// When, by the server's clock.
    public let at: Timestamp

    /// Makes a signal.
    public init(kind: SignalKind, customer: CustomerID, subject: String, at: Timestamp) {
        self.kind = kind
        self.customer = customer
        self.subject = subject
        self.at = at
    }
}

/// What is kept of equal signals.
public struct SignalCount: Sendable, Hashable {
    /// The first of them.
    public let first: Signal
    /// How many there were, those apart from the one before alone.
    public let count: Int64
    /// When the last came, by the server's clock.
    public let last: Timestamp

    /// Makes a count.
    public init(first: Signal, count: Int64, last: Timestamp) {
        self.first = first
        self.count = count
        self.last = last
    }

    /// One more, or the same when it follows too closely to be counted.
    public func adding(_ signal: Signal) -> SignalCount {
        guard counts(signal) else { return self }
        return SignalCount(first: first, count: count + 1, last: signal.at)
    }

    /// Whether a repetition is far enough from the last to be counted.
    public func counts(_ signal: Signal) -> Bool {
        signal.at.milliseconds - last.milliseconds >= Signal.interval
    }
}

/// The signals about a customer, and what they add up to.
public struct CustomerSignals: Sendable, Hashable {
    /// After how many milliseconds a signal weighs half: thirty days.
    public static let halfLife: Int64 = 30 * 86_400_000
    /// Above how many a repetition adds nothing more.
    public static let mostCounted: Int64 = 10

    /// Whom they are about, under the name that counts.
    public let customer: CustomerID
    /// The signals, the latest first.
    public let signals: [SignalCount]
    /// Their weights, faded by age and added up; no threshold is meant by it.
    public let score: Double

    /// Weighs signals at a moment.
    public init(customer: CustomerID, signals: [SignalCount], now: Timestamp) {
        self.customer = customer
        self.signals = signals.sorted {
            ($0.last, $0.first.kind.rawValue, $0.first.subject)
                > ($1.last, $1.first.kind.rawValue, $1.first.subject)
        }
        score = self.signals.reduce(0) { $0 + $1.weight(at: now) }
    }
}

extension SignalCount {
    /// What it adds to the score at a moment.
    func weight(at now: Timestamp) -> Double {
        let age = Double(max(0, now.milliseconds - last.milliseconds))
        var faded = first.kind.weight * Double(min(count, CustomerSignals.mostCounted))
        // A half for each half-life, in between along a line: no mathematics library is needed for it.
        var halves = age / Double(CustomerSignals.halfLife)
        while halves >= 1, faded > 0.001 {
            faded /= 2
            halves -= 1
        }
        return faded > 0.001 ? faded * (1 - min(halves, 1) / 2) : 0
    }
}
