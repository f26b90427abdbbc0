import AppStoreModel

/// What the store will do on its own, in order of time and, at the same time, of planning.
///
/// A binary heap; an entry that no longer holds is passed over when its time comes.
struct Schedule: Codable, Sendable {
    enum Matter: Codable, Sendable, Hashable {
        case subscription(TransactionID)
        case payment(String)
        case refund(TransactionID)
        case extensions(MassExtension.Key)
    }

    struct Entry: Codable, Sendable {
        let date: Timestamp
        let number: Int64
        let matter: Matter

        func precedes(_ other: Entry) -> Bool {
            date != other.date ? date < other.date : number < other.number
        }
    }

    private var heap: [Entry] = []
    private var planned: Int64 = 0

    var first: Entry? { heap.first }

    mutating func add(_ matter: Matter, at date: Timestamp) {
        planned += 1
        heap.append(Entry(date: date, number: planned, matter: matter))
        var place = heap.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[place].precedes(heap[parent]) else { return }
            heap.swapAt(place, parent)
            place = parent
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
