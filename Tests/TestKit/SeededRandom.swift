/// Random numbers that a seed repeats (SplitMix64), so that a failure names its own repeat.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Numbers of that seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Flips a bit, sets a byte, cuts, doubles or removes a part: one to four of these.
    public mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var mutated = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !mutated.isEmpty {
            let place = Int.random(in: 0..<mutated.count, using: &self)
            let length = min(Int.random(in: 1...64, using: &self), mutated.count - place)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: mutated[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: mutated[place] = UInt8.random(in: 0...255, using: &self)
            case 2: mutated.removeSubrange(place...)
            case 3: mutated.insert(contentsOf: mutated[place..<place + length], at: place)
            case 4: mutated.removeSubrange(place..<place + length)
            default: mutated.insert(UInt8.random(in: 0...255, using: &self), at: place)
            }
        }
        return mutated
    }
}
