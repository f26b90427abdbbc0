import AppStoreModel
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ConfigurationReader {
    /// The keys of an app that its policies are read from.
    static let policyKeys = ["owners", "otherEnvironments", "testers", "appReviewUntil"]

    /// What becomes of a purchase that a second customer shows: one word, or several that go together.
    mutating func owners(_ node: JSONNode?) -> OwnerPolicy {
        guard let node else { return .refuse }
        let known: [String: OwnerPolicy] = [
            "refuse": .refuse, "transfer": .transfer, "share": .share,
        ]
        let nodes: [JSONNode]
        if case .array = node.value { nodes = faults.list(node) } else { nodes = [node] }
        var policy = OwnerPolicy.refuse
        var words: [String] = []
        for place in nodes {
            guard let word = faults.string(place) else { continue }
            guard let one = known[word] else {
                faults.add(
                    place.path,
                    "expected \"refuse\", \"transfer\" or \"share\""
                        + FaultList.suggestion(for: word, among: known.keys.sorted()))
                continue
            }
            policy.formUnion(one)
            words.append(word)
        }
        if nodes.isEmpty { faults.add(node.path, "must not be empty") }
        if words.contains("refuse"), words.count > 1 {
            faults.add(node.path, "\"refuse\" goes with nothing else")
        }
        return policy
    }

    /// What becomes of proofs from environments that the app does not list.
    mutating func otherEnvironments(in app: JSONNode) -> OtherEnvironments {
        let word = app["otherEnvironments"].flatMap { faults.string($0) }
        if word != "testers" {
            for key in ["testers", "appReviewUntil"] where app[key] != nil {
                faults.add(
                    app.memberPath(key), "goes with \"otherEnvironments\": \"testers\" alone")
            }
        }
        switch word {
        case nil, "record": return .record
        case "refuse": return .refuse
        case "testers":
            return .testers(
                Testers(
                    customers: testers(app["testers"]),
                    appReviewUntil: app["appReviewUntil"].flatMap { time($0) }))
        case let other?:
            faults.add(
                app.memberPath("otherEnvironments"),
                "expected \"record\", \"testers\" or \"refuse\""
                    + FaultList.suggestion(for: other, among: ["record", "refuse", "testers"]))
            return .record
        }
    }

    private mutating func testers(_ node: JSONNode?) -> Set<CustomerID> {
        var customers: Set<CustomerID> = []
        for place in faults.list(node) {
            guard let text = faults.string(place) else { continue }
            guard let customer = CustomerID(rawValue: text) else {
                faults.add(
                    place.path,
                    "a customer has 1 to \(CustomerID.longest) bytes and no control characters")
                continue
            }
            customers.insert(customer)
        }
        return customers
    }

    /// A moment as people write it.
    private mutating func time(_ node: JSONNode) -> Timestamp? {
        guard let text = faults.string(node) else { return nil }
        guard let date = try? Date(text, strategy: .iso8601) else {
            faults.add(node.path, "expected a time such as 2026-12-24T12:00:00Z")
            return nil
        }
        return Timestamp(seconds: Int64(date.timeIntervalSince1970.rounded(.down)))
    }
}
