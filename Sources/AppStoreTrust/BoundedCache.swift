import CryptoPrimitives
import Synchronization

/// A bounded memory of values under byte strings, which are compared whole.
///
/// A hash decides only where to look, so that nobody gains by making two keys collide. When it is full
/// the entry that was not used for longest goes.
final class BoundedCache<Value: Sendable>: Sendable {
    private struct Entry {
        let hash: Int
        let key: [[UInt8]]
        let value: Value
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        var uses: UInt64 = 0
    }

    /// The most entries.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// How many entries there are.
    var count: Int { state.withLock { $0.entries.count } }

    /// What is kept under the parts, joined in this order.
    func value(for key: [ArraySlice<UInt8>]) -> Value? {
        let hash = BoundedCache.hash(key)
        return state.withLock { state in
            for index in state.entries.indices where state.entries[index].hash == hash {
                guard BoundedCache.isSame(state.entries[index].key, key) else { continue }
                state.uses += 1
                state.entries[index].lastUse = state.uses
                return state.entries[index].value
            }
            return nil
        }
    }

    /// Keeps the value, in the place of what was there under the same key.
    func insert(_ value: Value, for key: [ArraySlice<UInt8>]) {
        let hash = BoundedCache.hash(key)
        let copy = key.map { Array($0) }
        state.withLock { state in
            state.uses += 1
            let entry = Entry(hash: hash, key: copy, value: value, lastUse: state.uses)
            let same = state.entries.firstIndex { $0.hash == hash && $0.key == copy }
            if let same {
                state.entries[same] = entry
            } else if state.entries.count < limit {
                state.entries.append(entry)
            } else if let oldest = state.entries.indices.min(by: {
                state.entries[$0].lastUse < state.entries[$1].lastUse
            }) {
                state.entries[oldest] = entry
            }
        }
    }

    private static func isSame(_ kept: [[UInt8]], _ key: [ArraySlice<UInt8>]) -> Bool {
        guard kept.count == key.count else { return false }
        for index in kept.indices {
            let left = kept[index]
            let right = key[index]
            guard areSameBytes(left.span, right.span) else { return false }
        }
        return true
    }

    /// Hashes lengths and some bytes of each part, spread over it: keys that differ at all are nearly
    /// always certificates of other keys, which differ everywhere.
    private static func hash(_ key: [ArraySlice<UInt8>]) -> Int {
        var hasher = Hasher()
        for part in key {
            hasher.combine(part.count)
            let step = max(1, part.count / 32)
            var index = part.startIndex
            while index < part.endIndex {
                hasher.combine(part[index])
                index += step
            }
        }
        return hasher.finalize()
    }
}
