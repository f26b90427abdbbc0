import Foundation
import StoreWire

/// One verb of `till store ctl`: its row in the help, and what it does.
struct ControlVerb: Sendable {
    /// `buy`, `clock move`.
    let name: String
    /// How the help calls what follows.
    let operands: String
    let operandCount: ClosedRange<Int>
    /// The names of its options.
    let options: [String]
    let summary: String
    let run: @Sendable (ControlClient, VerbWords) async throws -> ControlReport

    init(
        _ name: String, takes operands: String = "", count operandCount: ClosedRange<Int> = 0...0,
        options: [String] = [], _ summary: String,
        run: @escaping @Sendable (ControlClient, VerbWords) async throws -> ControlReport
    ) {
        self.name = name
        self.operands = operands
        self.operandCount = operandCount
        self.options = options
        self.summary = summary
        self.run = run
    }

    /// The verbs, in the order of the help.
    static let all: [ControlVerb] =
        aboutStore + aboutPurchases + aboutTransactions + aboutSubscriptions + aboutAccounts
        + aboutClock + aboutNotifications + aboutFaults

    /// The verb with the most words that `words` begin with, and the words after it.
    static func find(_ words: [String]) -> (verb: ControlVerb, rest: [String])? {
        let fitting = all.filter { words.starts(with: $0.words) }
        guard let verb = fitting.max(by: { $0.words.count < $1.words.count }) else { return nil }
        return (verb, Array(words.dropFirst(verb.words.count)))
    }

    private var words: [String] { name.split(separator: " ").map(String.init) }
}

/// What a verb answers: the store's document, and the same for people.
struct ControlReport: Sendable {
    let json: String
    let text: String

    init<Answer>(_ answered: Answered<Answer>, _ text: (Answer) -> String) {
        json = answered.json
        self.text = text(answered.value)
    }
}

/// The words after a verb, each read as what it must be.
struct VerbWords: Sendable {
    let operands: [String]
    let options: ParsedWords

    /// An operand that the verb's count promises.
    subscript(place: Int) -> String { operands[place] }

    /// An option's value.
    func value(_ name: String) -> String? { options.value(name) }

    /// An option's value as one of the wire's types over text.
    func value<Text: RawRepresentable>(_ name: String) -> Text? where Text.RawValue == String {
        value(name).flatMap { Text(rawValue: $0) }
    }

    func number(_ name: String, in range: ClosedRange<Int> = Int.min...Int.max) throws(UsageError)
        -> Int?
    {
        try options.number(name, in: range)
    }

    func has(_ name: String) -> Bool { options.has(name) }

    /// `yes` or `no`.
    func choice(_ name: String) throws(UsageError) -> Bool? {
        switch value(name) {
        case nil: nil
        case "yes"?: true
        case "no"?: false
        case let other?: throw UsageError("\(name) takes yes or no, not \"\(other)\"")
        }
    }

    /// An operand that is a whole number.
    func number(at place: Int, _ what: String) throws(UsageError) -> Int {
        guard let number = Int(operands[place]) else {
            throw UsageError("\(what) is a whole number, not \"\(operands[place])\"")
        }
        return number
    }

    /// An operand that says one of two things.
    func choice(at place: Int, _ yes: String, _ no: String) throws(UsageError) -> Bool {
        switch operands[place] {
        case yes: true
        case no: false
        default: throw UsageError("\"\(operands[place])\" is neither \(yes) nor \(no)")
        }
    }
}
