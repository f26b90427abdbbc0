/// The last transactions that are over, so that the store may tell them twice.
struct SettledTransactions {
    static let capacity = 512

    private var verdicts: [String: Verdict] = [:]
    private var order: [String] = []

    subscript(newsKey: String) -> Verdict? { verdicts[newsKey] }

    mutating func keep(_ verdict: Verdict, for newsKey: String) {
        if verdicts.updateValue(verdict, forKey: newsKey) == nil { order.append(newsKey) }
        guard order.count > Self.capacity else { return }
        verdicts[order.removeFirst()] = nil
    }

    mutating func forget(_ newsKey: String) {
        guard verdicts.removeValue(forKey: newsKey) != nil else { return }
        order.removeAll { $0 == newsKey }
    }
}
