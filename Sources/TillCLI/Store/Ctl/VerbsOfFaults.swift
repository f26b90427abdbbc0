import AppStoreModel
import Foundation
import StoreWire

extension ControlVerb {
    /// What goes wrong on purpose.
    static let aboutFaults: [ControlVerb] = [
        ControlVerb("faults", "the faults that are on, and what they did") { store, _ in
            ControlReport(try await store.call(.faults, as: FaultsResponse.self), \.shown)
        },
        ControlVerb(
            "faults add", takes: "KIND", count: 1...1,
            options: [
                "--on", "--environment", "--probability", "--skip", "--times", "--milliseconds",
                "--status", "--error-code", "--retryable", "--bytes",
            ], "switch a fault on, as delay, drop, cut, error, rateLimit, wrongSignature"
        ) { store, words in
            let rule = try rule(words)
            var plan = try await store.call(.faults, as: FaultsResponse.self).value.plan
            plan.rules.append(rule)
            return ControlReport(
                try await store.call(.setFaults, body: plan, as: FaultsResponse.self), \.shown)
        },
        ControlVerb("faults load", takes: "FILE", count: 1...1, "take the plan in a JSON file") {
            store, words in
            guard let file = FileManager.default.contents(atPath: words[0]) else {
                throw UsageError("\(words[0]) cannot be read")
            }
            return ControlReport(
                try await store.upload(.setFaults, file: file, as: FaultsResponse.self), \.shown)
        },
        ControlVerb("faults clear", "switch all faults off") { store, _ in
            ControlReport(
                try await store.call(
                    .setFaults, body: FaultPlan(rules: []), as: FaultsResponse.self), \.shown)
        },
        ControlVerb("errors", "the errors that StoreKit's calls are made to fail with") {
            store, _ in
            ControlReport(
                try await store.call(.simulatedErrors, as: SimulatedErrorsInfo.self), \.shown)
        },
        ControlVerb(
            "errors set", takes: "CALL CODE", count: 2...2,
            "make a call fail, as \"Load Products\" networkError or Purchase paymentNotAllowed"
        ) { store, words in
            var info = try await store.call(.simulatedErrors, as: SimulatedErrorsInfo.self).value
            let api = SimulatedAPI(rawValue: words[0])
            info.errors.removeAll { $0.api == api }
            info.errors.append(SimulatedErrorInfo(api: api, code: words[1]))
            return ControlReport(
                try await store.call(
                    .setSimulatedErrors, body: info, as: SimulatedErrorsInfo.self), \.shown)
        },
        ControlVerb("errors clear", "let no call fail any more") { store, _ in
            ControlReport(
                try await store.call(
                    .setSimulatedErrors, body: SimulatedErrorsInfo(errors: []),
                    as: SimulatedErrorsInfo.self), \.shown)
        },
    ]

    private static func rule(_ words: VerbWords) throws(UsageError) -> FaultRule {
        var rule = FaultRule(
            kind: FaultKind(rawValue: words[0]), on: words.value("--on") ?? "*",
            environment: words.value("--environment"))
        if let text = words.value("--probability") {
            guard let probability = Double(text), (0...1).contains(probability) else {
                throw UsageError("--probability takes a number from 0 to 1, not \"\(text)\"")
            }
            rule.probability = probability
        }
        rule.skip = try words.number("--skip") ?? 0
        rule.times = try words.number("--times")
        rule.milliseconds = try words.number("--milliseconds")
        rule.status = try words.number("--status")
        rule.errorCode = try words.number("--error-code")
        rule.isRetryable = try words.choice("--retryable")
        rule.bytes = try words.number("--bytes")
        return rule
    }
}

extension FaultsResponse {
    fileprivate var shown: String {
        var rules = TextTable("FAULT", "ON", "ENVIRONMENT", "PROBABILITY", "SKIP", "TIMES")
        for rule in plan.rules {
            rules.add(
                rule.kind.rawValue, rule.on, rule.environment?.rawValue, "\(rule.probability)",
                "\(rule.skip)", rule.times.map { "\($0)" })
        }
        guard !struck.isEmpty else { return rules.text }
        var table = TextTable("STRUCK", "FAULT", "ON")
        for record in struck { table.add(record.date.shown, record.kind.rawValue, record.on) }
        return rules.text + "\n\n" + table.text
    }
}

extension SimulatedErrorsInfo {
    fileprivate var shown: String {
        var table = TextTable("CALL", "FAILS WITH")
        for error in errors { table.add(error.api.rawValue, error.code) }
        return table.text
    }
}
