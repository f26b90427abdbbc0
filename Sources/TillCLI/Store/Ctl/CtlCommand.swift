import Foundation
import LocalAppStore
import StoreWire

extension TillCommand {
    static let storeCtl = Command(
        syntax: CommandSyntax(
            name: "store ctl",
            summary: "tell a running store what to do: buy, refund, move the clock, break things",
            operands: "VERB …", operandCount: 1...16, options: CtlCommand.options,
            notes: CtlCommand.notes)
    ) { words in
        await CtlCommand.run(words)
    }
}

/// `till store ctl`.
enum CtlCommand {
    private enum Exit {
        static let refused: Int32 = 1
        static let unavailable: Int32 = 69
    }

    /// Those of all verbs; which verb takes which is said in the verbs' table.
    static let options: [CommandSyntax.Option] =
        [
            .value("--url", "URL", "the store; TILL_STORE_URL, else http://127.0.0.1:8090"),
            .flag("--json", "print the store's own document"),
        ] + ControlOption.all

    static var notes: String {
        let rows = ControlVerb.all.map { verb in
            (verb.name + (verb.operands.isEmpty ? "" : " " + verb.operands), verb)
        }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { left, verb in
            let options =
                verb.options.isEmpty ? "" : " [" + verb.options.joined(separator: " ") + "]"
            return "  " + left + String(repeating: " ", count: width - left.count + 2)
                + verb.summary + options
        }
        return "verbs:\n" + lines.joined(separator: "\n")
            + "\n\nExit codes: 0 done, 1 the store refuses, 64 usage, 69 no store answers."
    }

    static func run(_ words: ParsedWords) async -> Int32 {
        do {
            let (verb, given) = try verb(in: words)
            let report = try await verb.run(ControlClient(url: url(words)), given)
            Terminal.print(words.has("--json") ? report.json : report.text)
            return 0
        } catch let error as UsageError {
            Terminal.complain("till store ctl: \(error.message)\ntry: till store ctl --help")
            return ExitCode.usage
        } catch let failure as ControlFailure {
            if words.has("--json"), let json = failure.json { Terminal.print(json) }
            Terminal.complain("till store ctl: \(failure.text)")
            return failure.isUnreachable ? Exit.unavailable : Exit.refused
        } catch {
            Terminal.complain("till store ctl: \(error)")
            return ExitCode.software
        }
    }

    private static func url(_ words: ParsedWords) -> String {
        let named = words.value("--url") ?? ProcessInfo.processInfo.environment["TILL_STORE_URL"]
        guard let named, !named.isEmpty else { return "http://127.0.0.1:\(StoreServer.usualPort)" }
        return named
    }

    private static func verb(in words: ParsedWords) throws(UsageError) -> (ControlVerb, VerbWords) {
        guard let (verb, rest) = ControlVerb.find(words.operands) else {
            let first = words.operands.first ?? ""
            let near = Spelling.nearest(to: first, among: ControlVerb.all.map(\.name))
            throw UsageError(
                "there is no verb \"\(first)\"" + (near.map { "; did you mean \($0)?" } ?? ""))
        }
        guard verb.operandCount.contains(rest.count) else {
            throw UsageError(
                rest.count < verb.operandCount.lowerBound
                    ? "\(verb.name) needs \(verb.operands)"
                    : "\"\(rest[verb.operandCount.upperBound])\" is one word too many for \(verb.name)"
            )
        }
        for name in words.options.keys.sorted()
        where name != "--url" && name != "--json" && !verb.options.contains(name) {
            throw UsageError("\(verb.name) takes no \(name)")
        }
        return (verb, VerbWords(operands: rest, options: words))
    }
}

/// The options that verbs share.
enum ControlOption {
    static let all: [CommandSyntax.Option] = [
        .value("--account", "A", "an Apple account of the store"),
        .value("--environment", "E", "Sandbox or Production"),
        .value("--device", "D", "a device of the store"),
        .value("--product", "P", "a product"),
        .value("--app-account-token", "UUID", "ties the purchase to a user"),
        .value("--quantity", "N", "1 to 10"),
        .value("--offer", "ID", "an offer's name"),
        .value("--offer-kind", "KIND", "introductory, promotional, code or winBack"),
        .value("--outcome", "WORD", "purchase, askToBuy, interrupt, cancel or fail"),
        .value("--failure", "NAME", "StoreKit's name of the error"),
        .flag("--outside-app", "bought on the App Store's page"),
        .value("--reason", "N", "of a refund: 1 an issue with the app, 0 other"),
        .value("--percentage", "N", "of a refund: thousandths of a percent, 1 to 100000"),
        .value("--request-reason", "WORD", "why, as UNINTENDED_PURCHASE"),
        .value("--reason-code", "N", "of an extension: 0 to 3"),
        .value("--consent", "yes|no", "whether the price increase needs consent"),
        .value("--price", "N", "in thousandths of the currency's unit"),
        .value("--for-sale", "yes|no", "whether it can be bought and renewed"),
        .value("--code", "CODE", "a custom code"),
        .value("--count", "N", "how many one-time codes, or uses of a custom one"),
        .value("--storefront", "CCC", "a country by three letters"),
        .value("--payments", "yes|no", "whether the account can make payments"),
        .value("--ask-to-buy", "yes|no", "a child's account"),
        .value("--interrupt", "yes|no", "payments need something done first"),
        .value("--billing-fails", "yes|no", "renewals cannot be paid"),
        .value("--renewal-rate", "NAME", "as realTime or sandbox5Minutes"),
        .value("--notify", "URL", "where notifications go; empty for nowhere"),
        .value("--notification-version", "N", "2 or 1"),
        .value("--grace", "DAYS", "3, 16 or 28; 0 for none"),
        .value("--grace-excludes-trials", "yes|no", "whether a trial's end gets no grace"),
        .value("--by", "LENGTH", "as 90s, 30m, 12h, 31d"),
        .value("--to", "DATE", "as 2026-06-01 or 2026-06-01T12:00:00Z"),
        .value("--on", "WHERE", "a path that may end in *, or an occasion"),
        .value("--probability", "P", "0 to 1"),
        .value("--skip", "N", "how many occasions pass first"),
        .value("--times", "N", "how often at the most"),
        .value("--milliseconds", "N", "of a delay"),
        .value("--status", "N", "an HTTP status, or one of verifyReceipt"),
        .value("--error-code", "N", "a code of the App Store Server API"),
        .value("--retryable", "yes|no", "is-retryable of a status 21100 to 21199"),
        .value("--bytes", "N", "how many bytes of what is cut remain"),
        .value("--before", "ID", "older than that transaction"),
        .value("--after", "N", "a cursor of the log"),
        .value("--wait", "S", "seconds to wait for news, 0 to 30"),
    ]
}
