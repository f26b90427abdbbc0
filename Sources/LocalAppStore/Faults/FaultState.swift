import AppStoreModel
import StoreWire

/// The plan of what goes wrong, and how far it has been carried out.
struct FaultState: Codable, Sendable {
    private(set) var plan = FaultPlan(rules: [])
    private var chance: IDSource
    private var occasions: [Int] = []
    private var strikes: [Int] = []
    private(set) var struck: [FaultRecord] = []
    private let seed: UInt64

    /// The most strikes that are remembered.
    static let recordLimit = 200
    /// The most rules of a plan.
    static let ruleLimit = 200

    init(seed: UInt64) {
        self.seed = seed
        chance = IDSource(seed: seed ^ 0x6661_756C_7473)
    }

    var isEmpty: Bool { plan.rules.isEmpty }

    mutating func set(_ plan: FaultPlan) throws(StoreProblem) {
        guard plan.rules.count <= Self.ruleLimit else {
            throw StoreProblem(.limitReached, detail: "more than \(Self.ruleLimit) rules")
        }
        for rule in plan.rules {
            guard (0...1).contains(rule.probability), rule.skip >= 0, rule.times ?? 0 >= 0,
                (0...3_600_000).contains(rule.milliseconds ?? 0)
                    || rule.kind == .lateNotification || rule.kind == .delay,
                rule.on.utf8.count <= 512
            else { throw StoreProblem(.invalidValue, detail: "rule \(rule.ruleID ?? rule.on)") }
        }
        self.plan = plan
        chance = IDSource(seed: plan.seed ?? (seed ^ 0x6661_756C_7473))
        occasions = Array(repeating: 0, count: plan.rules.count)
        strikes = occasions
    }

    /// Whether any rule could strike there, without counting an occasion.
    func couldStrike(_ occasion: FaultOccasion) -> Bool {
        plan.rules.contains { occasion.isMeant(by: $0) }
    }

    /// Decides what goes wrong on an occasion and counts it; rules of one kind exclude each other.
    mutating func strike(_ occasion: FaultOccasion, at now: Timestamp) -> [FaultRule] {
        var found: [FaultRule] = []
        for (place, rule) in plan.rules.enumerated() where occasion.isMeant(by: rule) {
            guard !found.contains(where: { $0.kind == rule.kind }) else { continue }
            occasions[place] += 1
            guard occasions[place] > rule.skip, strikes[place] < rule.times ?? .max else {
                continue
            }
            // Drawn only where there is a choice: certain rules do not move the others' luck.
            guard rule.probability >= 1 || chance.fraction() < rule.probability else { continue }
            strikes[place] += 1
            found.append(rule)
            struck.append(
                FaultRecord(date: now, kind: rule.kind, on: occasion.name, ruleID: rule.ruleID))
        }
        if struck.count > Self.recordLimit { struck.removeFirst(struck.count - Self.recordLimit) }
        return found
    }
}

/// Something at which a fault can strike.
struct FaultOccasion: Codable, Sendable, Hashable {
    /// A path, or one of the names below.
    let name: String
    let environment: AppStoreEnvironment?
    /// The kinds that make sense there.
    let kinds: Set<FaultKind>

    func isMeant(by rule: FaultRule) -> Bool {
        guard kinds.contains(rule.kind) else { return false }
        if let wanted = rule.environment, wanted != environment { return false }
        if rule.on == "*" || rule.on == name { return true }
        return rule.on.last == "*" && name.hasPrefix(rule.on.dropLast())
    }

    /// A call that comes in.
    static func call(_ path: String, _ environment: AppStoreEnvironment?) -> FaultOccasion {
        FaultOccasion(
            name: path, environment: environment,
            kinds: [
                .delay, .drop, .refuse, .cut, .error, .rateLimit, .unauthorized, .unsortedReceipt,
                .emptyReceipt, .unknownField,
            ])
    }

    /// Something to be signed: `transaction`, `renewal`, `notification`, `appTransaction`, `receipt`.
    static func signing(_ what: String, _ environment: AppStoreEnvironment?) -> FaultOccasion {
        FaultOccasion(
            name: "signing/" + what, environment: environment,
            kinds: [
                .wrongSignature, .expiredCertificate, .foreignRoot, .missingMarker, .sha1Receipt,
                .berReceipt, .xcodeDates, .unsortedReceipt, .emptyReceipt, .unknownValue,
                .unknownField, .futurePurchaseDate, .lateOriginalDate, .cut,
            ])
    }

    /// A notification that arises; its name ends in the type.
    static func notification(
        _ type: NotificationType, _ environment: AppStoreEnvironment
    ) -> FaultOccasion {
        FaultOccasion(
            name: "notification/" + type.rawValue, environment: environment,
            kinds: [.lateNotification, .duplicate, .reorder, .newUUID])
    }

    /// A purchase that is about to be answered.
    static func answer(_ environment: AppStoreEnvironment) -> FaultOccasion {
        FaultOccasion(name: "purchase", environment: environment, kinds: [.earlyNotification])
    }

    /// A delivery of a notification.
    static func delivery(
        _ type: NotificationType, _ environment: AppStoreEnvironment
    ) -> FaultOccasion {
        FaultOccasion(
            name: "delivery/" + type.rawValue, environment: environment,
            kinds: [.drop, .cut, .delay])
    }

    /// A purchase or renewal that reaches a device.
    static func device(_ environment: AppStoreEnvironment) -> FaultOccasion {
        FaultOccasion(
            name: "device", environment: environment,
            kinds: [.secondID, .forgetUsername, .repeatEvent, .earlyEvent])
    }
}
