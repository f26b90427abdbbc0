/// The last transactions that are over, so that the store may tell them twice.
struct SettledTransactions {
    static let capacity = 512

    private struct Entry {
        var verdict: Verdict
        /// When the app was told of it last, as a count of moments; 0 when it was not.
        var toldAt = 0
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    subscript(newsKey: String) -> Verdict? { entries[newsKey]?.verdict }

    mutating func keep(_ verdict: Verdict, for newsKey: String) {
        guard entries[newsKey] == nil else {
            entries[newsKey]?.verdict = verdict
            return
        }
        entries[newsKey] = Entry(verdict: verdict)
        order.append(newsKey)
        guard order.count > Self.capacity else { return }
        entries[order.removeFirst()] = nil
    }

    /// Notes that the app is told of it now, unless it was told after `since`: then it is not told again.
    mutating func tells(_ newsKey: String, since: Int, at moment: Int) -> Bool {
        guard let entry = entries[newsKey] else { return true }
        guard entry.toldAt <= since else { return false }
        entries[newsKey]?.toldAt = moment
        return true
    }

    mutating func forget(_ newsKey: String) {
        guard entries.removeValue(forKey: newsKey) != nil else { return }
        order.removeAll { $0 == newsKey }
    }
}
