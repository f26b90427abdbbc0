import StoreKit
import Testing

/// What the compiler cannot see in a name: its word or number, and that a class may lean on it.
@Suite struct NamesTests {
    @Test func `every error code has Apple's number and its name on the error`() {
        #expect(errorCodes.map(\.0.rawValue) == errorCodes.map(\.1))
        #expect(errorNames == errorCodes.map(\.0))
    }

    @Test func `every word and number is the one that Apple gives it`() {
        for (value, expected) in words {
            #expect(AnyHashable(rawValue(value)) == AnyHashable(expected), "\(value)")
        }
        #expect(!words.isEmpty)
    }

    private func rawValue<Value: RawRepresentable>(_ value: Value) -> AnyHashable {
        (value.rawValue as? AnyHashable) ?? AnyHashable("not hashable")
    }

    /// As most demonstrations of StoreKit 2 begin, with no import but StoreKit's.
    private final class Shop: ObservableObject {
        @Published private(set) var names: [String] = []
        @Published var isBusy = false

        func load() { names.append("coins") }
    }

    @Test func `an observed class tells its changes before and while they happen`() async {
        let shop = Shop()
        var changes = 0
        var seen: [[String]] = []
        var kept: Set<AnyCancellable> = []
        shop.objectWillChange.sink { changes += 1 }.store(in: &kept)
        shop.$names.sink { seen.append($0) }.store(in: &kept)
        shop.load()
        shop.isBusy = true
        #expect(shop.names == ["coins"] && shop.isBusy)
        #expect(changes == 2)
        #expect(seen == [[], ["coins"]])
        kept.removeAll()
        shop.load()
        #expect(changes == 2)
        #expect(seen.count == 2)
    }

    @Test func `a property's values come through a loop until it is left`() async {
        let shop = Shop()
        var values = shop.$names.values.makeAsyncIterator()
        #expect(await values.next() == [])
        shop.load()
        #expect(await values.next() == ["coins"])
    }

    @Test func `two objects do not hear of each other`() {
        let (one, other) = (Shop(), Shop())
        var changes = 0
        let listening = other.objectWillChange.sink { changes += 1 }
        one.load()
        #expect(changes == 0)
        other.objectWillChange.send()
        #expect(changes == 1)
        listening.cancel()
    }
}
