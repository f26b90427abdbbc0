import AppStoreModel

/// Where all names and random choices come from: the same seed gives the same ones.
struct IDSource: Codable, Sendable {
    private var state: UInt64
    private var transactions: [String: Int64] = [:]
    private var lineItems: [String: Int64] = [:]

    init(seed: UInt64) { state = seed }

    /// SplitMix64: small, and good enough for names.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int64) -> Int64 { Int64(next() % UInt64(bound)) }

    /// From 0 up to, not including, 1.
    mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Sandbox names begin with 2000000 and have 16 digits, production ones 15; both only grow.
    mutating func transactionID(_ environment: AppStoreEnvironment) -> TransactionID {
        TransactionID(grow(\.transactions, environment, sandboxBase: 2_000_000_400_000_000))
    }

    /// The name of a period, of the same shape.
    mutating func lineItemID(_ environment: AppStoreEnvironment) -> WebOrderLineItemID {
        WebOrderLineItemID(grow(\.lineItems, environment, sandboxBase: 2_000_000_030_000_000))
    }

    private mutating func grow(
        _ counters: WritableKeyPath<IDSource, [String: Int64]>, _ environment: AppStoreEnvironment,
        sandboxBase: Int64
    ) -> String {
        let start: Int64 =
            switch environment {
            case .production: 450_000_000_000_000 + below(1_000_000_000)
            case .xcode: -1
            default: sandboxBase + below(100_000_000)
            }
        // Drawn whether needed or not, so that one environment's use does not shift another's names.
        let step = environment == .xcode ? 1 : 1 + below(97)
        let value = (self[keyPath: counters][environment.rawValue] ?? start) + step
        self[keyPath: counters][environment.rawValue] = value
        return String(value)
    }

    /// The name of a customer's copy of the app: 18 digits.
    mutating func appTransactionID() -> String {
        "70" + String(1_000_000_000_000_000 + below(8_999_999_999_999_999))
    }

    /// As in a buyer's mail: `M` and nine letters and digits.
    mutating func orderID() -> String {
        let letters = Array("0123456789BCDFGHJKLMNPQRSTVWXYZ")
        return "M" + String((0..<9).map { _ in letters[Int(below(Int64(letters.count)))] })
    }

    /// An offer code: eighteen capitals and digits.
    mutating func code() -> String {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String((0..<18).map { _ in letters[Int(below(Int64(letters.count)))] })
    }

    /// A UUID of version 4 in lower case.
    mutating func uuid() -> String {
        let high = next()
        let low = next()
        var hex = Array(hexadecimal(high) + hexadecimal(low))
        hex[12] = "4"
        hex[16] = Array("89ab")[Int(low >> 60 & 3)]
        for place in [8, 13, 18, 23] { hex.insert("-", at: place) }
        return String(hex)
    }

    private func hexadecimal(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
