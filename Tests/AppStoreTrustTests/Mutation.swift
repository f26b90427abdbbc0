/// Random numbers that a seed repeats (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededNumbers {
    /// The bytes with one thing done to them: a bit or a byte changed, a part cut out, doubled, or put
    /// elsewhere, or the end cut off.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &self)] }
        var changed = bytes
        let position = Int.random(in: 0..<bytes.count, using: &self)
        let length = Int.random(in: 1...64, using: &self)
        let part = position..<min(bytes.count, position + length)
        switch Int.random(in: 0..<7, using: &self) {
        case 0, 1: changed[position] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 2: changed[position] = UInt8.random(in: 0...255, using: &self)
        case 3: changed.removeSubrange(part)
        case 4: changed.insert(contentsOf: bytes[part], at: position)
        case 5:
            let target = Int.random(in: 0...bytes.count, using: &self)
            changed.insert(contentsOf: bytes[part], at: target)
        default: changed.removeSubrange(position...)
        }
        return changed
    }
}
