/// What the demonstration says to a phone, one JSON line each.
struct PhoneCommand: Codable, Sendable {
    enum Verb: String, Codable, Sendable {
        case launch, buy, restore, state
    }

    var verb: Verb
    var product: String?
    /// Of a launch: the server, who is logged in, where the app keeps what it keeps.
    var server: String?
    var customer: String?
    var token: String?
    var folder: String?
    /// Whether StoreKit 1 has to do.
    var isOld: Bool?
}

/// What a phone says, one JSON line each: a message for the person who holds it, or how it ended.
struct PhoneLine: Codable, Sendable {
    var message: String?
    var outcome: PhoneOutcome?
}

/// How something ended on a phone.
struct PhoneOutcome: Codable, Sendable, Hashable {
    /// `granted`, `pending`, `restored` and so on: the case of the SDK's outcome.
    var word: String
    /// A reason or a code.
    var detail: String?
    var orderID: String?
    var transactionID: String?
    var entitlements: [String] = []
    var coins: Int64?
}
