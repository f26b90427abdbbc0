/// What a command takes: the table that parsing, `--help` and error messages are made from.
struct CommandSyntax: Sendable {
    /// One `--name`.
    struct Option: Sendable {
        /// With its dashes: `--root`.
        let name: String
        /// What stands for the value in the help, `nil` for a switch that takes none.
        let value: String?
        /// Whether it may be given several times.
        let isRepeatable: Bool
        /// One line for the help.
        let help: String

        /// An option that takes a value.
        static func value(_ name: String, _ value: String, repeatable: Bool = false, _ help: String)
            -> Option
        {
            Option(name: name, value: value, isRepeatable: repeatable, help: help)
        }

        /// A switch.
        static func flag(_ name: String, _ help: String) -> Option {
            Option(name: name, value: nil, isRepeatable: false, help: help)
        }
    }

    /// The words that call it: `verify`, `store root`.
    let name: String
    /// One line that says what it does.
    let summary: String
    /// How the help calls the words without dashes, `[FILE | -]` say; empty for none.
    var operands = ""
    /// How many of them it takes.
    var operandCount = 0...0
    /// Everything with dashes.
    var options: [Option] = []
    /// What else a reader should know: exit codes, an example.
    var notes = ""
    /// Whether `till --help` leaves it out, since programs alone call it.
    var isHidden = false

    /// The text of `--help`.
    var help: String {
        var text = "till \(name): \(summary)\n\nusage: till \(name)"
        if !options.isEmpty { text += " [options]" }
        if !operands.isEmpty { text += " \(operands)" }
        text += "\n"
        if !options.isEmpty {
            text += "\n"
            let rows = options.map { (($0.name + ($0.value.map { " \($0)" } ?? "")), $0) }
            let width = rows.map(\.0.count).max() ?? 0
            for (left, option) in rows {
                text += "  " + left + String(repeating: " ", count: width - left.count + 2)
                text += option.help + (option.isRepeatable ? " (repeatable)" : "") + "\n"
            }
        }
        if !notes.isEmpty { text += "\n\(notes)\n" }
        return text
    }
}

/// The words of one call, sorted by the table.
struct ParsedWords: Sendable {
    /// Values by option name, in the order given; a switch has one empty value.
    var options: [String: [String]] = [:]
    /// What stood without dashes.
    var operands: [String] = []

    /// Whether the switch was given.
    func has(_ name: String) -> Bool { options[name] != nil }
    /// The option's value, if it was given.
    func value(_ name: String) -> String? { options[name]?.last }
    /// All values of a repeatable option.
    func values(_ name: String) -> [String] { options[name] ?? [] }

    /// The option's value as a whole number within `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
                    + "not \"\(text)\"")
        }
        return number
    }
}

/// A call that cannot be understood; nothing was done.
struct UsageError: Error {
    /// What is wrong, for the person who typed it.
    let message: String
    /// Takes the message.
    init(_ message: String) { self.message = message }
}

extension CommandSyntax {
    /// Sorts `words` by the table; `--name value` and `--name=value` are the same, `--` ends options.
    func parse(_ words: [String]) throws(UsageError) -> ParsedWords {
        var parsed = ParsedWords()
        var rest = words[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            if optionsEnded || !word.hasPrefix("-") || word == "-" {
                parsed.operands.append(word)
            } else if word == "--" {
                optionsEnded = true
            } else {
                try take(option: word, from: &rest, into: &parsed)
            }
        }
        guard operandCount.contains(parsed.operands.count) else {
            if parsed.operands.count < operandCount.lowerBound {
                throw UsageError("\(operands) is missing")
            }
            throw UsageError("\"\(parsed.operands[operandCount.upperBound])\" is one word too many")
        }
        return parsed
    }

    private func take(
        option word: String, from rest: inout ArraySlice<String>, into parsed: inout ParsedWords
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.name == name }) else {
            let near = Spelling.nearest(to: name, among: options.map(\.name))
            throw UsageError(
                "there is no option \(name)" + (near.map { "; did you mean \($0)?" } ?? ""))
        }
        guard option.isRepeatable || parsed.options[name] == nil else {
            throw UsageError("\(name) was given twice")
        }
        guard option.value != nil else {
            guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
            parsed.options[name] = [""]
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("\(name) needs a value: \(name) \(option.value ?? "")")
        }
        parsed.options[name, default: []].append(value)
    }
}
