/// Tells whether an answer about the customer may be older than another that came before it.
///
/// Requests that are under way at once are carried out in any order, and so their answers come. What was
/// asked for after the newest change had been answered is newer than that; nothing else is certain.
struct AnswerOrder {
    private var moment = 0
    private var changedAt = 0
    private var keptAt = 0

    /// The next moment: each is later than every one before.
    mutating func next() -> Int {
        moment += 1
        return moment
    }

    /// Takes note of an answer; whether no other has told of a change since it was asked for.
    mutating func hear(askedAt: Int, tellsOfChange: Bool) -> Bool {
        let isCertain = askedAt > changedAt
        if tellsOfChange { changedAt = next() }
        return isCertain
    }

    /// Whether nothing is kept that was asked for later; then this is what is kept now.
    mutating func keeps(askedAt: Int) -> Bool {
        guard askedAt >= keptAt else { return false }
        keptAt = askedAt
        return true
    }
}
