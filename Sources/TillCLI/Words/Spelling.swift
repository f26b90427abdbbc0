/// Finds the word that somebody meant.
enum Spelling {
    /// The candidate within two edits of `word`, the nearest first; `nil` when none is that near.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { (distance(word, $0), $0) }.sorted { $0 < $1 }
        guard let (distance, best) = ranked.first, distance <= 2, distance < word.count else {
            return nil
        }
        return best
    }

    /// The number of characters to insert, drop or replace (Levenshtein), O(n·m).
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let cost = a == b ? diagonal : 1 + min(diagonal, row[j], row[j + 1])
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count]
    }
}
