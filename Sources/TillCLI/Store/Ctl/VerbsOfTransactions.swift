import AppStoreModel
import StoreWire

extension ControlVerb {
    /// Transactions and what becomes of them.
    static let aboutTransactions: [ControlVerb] = [
        ControlVerb(
            "transactions", options: ["--account", "--product", "--environment", "--before"],
            "what was bought, newest first"
        ) { store, words in
            ControlReport(
                try await store.call(
                    .transactions,
                    query: [
                        ("account", words.value("--account")),
                        ("product", words.value("--product")),
                        ("environment", words.value("--environment")),
                        ("before", words.value("--before")),
                    ], as: TransactionsPage.self)
            ) { page in
                var table = TextTable(
                    "TRANSACTION", "PRODUCT", "ACCOUNT", "PURCHASED", "EXPIRES", "PRICE", "STATE")
                for row in page.transactions {
                    table.add(
                        row.transaction.transactionID.rawValue, row.transaction.productID.rawValue,
                        row.accountID.rawValue, row.transaction.purchaseDate.shown,
                        row.transaction.expiresDate?.shown, Price.text(row.price, row.currency),
                        row.state)
                }
                let shown = page.transactions.count
                return table.text + (page.total > shown ? "\n\(shown) of \(page.total)" : "")
            }
        },
        ControlVerb(
            "transaction", takes: "ID", count: 1...1, "one transaction with its signed form"
        ) {
            store, words in
            ControlReport(
                try await store.call(
                    .transaction, ["transaction": words[0]], as: TransactionRecord.self), \.shown)
        },
        action("refund", .refund, options: ["--reason", "--percentage"], "pay back") { words in
            var action = TransactionAction(action: .refund)
            action.reason = try words.number("--reason")
            action.percentage = try words.number("--percentage")
            return action
        },
        action(
            "request-refund", .requestRefund, options: ["--request-reason"],
            "let the customer ask for the money back"
        ) { words in
            TransactionAction(
                action: .requestRefund, requestReason: words.value("--request-reason"))
        },
        action("decline-refund", .declineRefund, "refuse the refund that was asked for"),
        action("reverse-refund", .reverseRefund, "undo a refund"),
        action("ask-consumption", .askConsumptionAgain, "ask for consumption data once more"),
        action("finish", .finish, "finish it, as the app would"),
        action("duplicate", .duplicate, "let the same period come under a second name"),
        ControlVerb("set-token", takes: "ID UUID", count: 2...2, "give it an app account token") {
            store, words in
            let action = TransactionAction(
                action: .setAppAccountToken, appAccountToken: AppAccountToken(words[1]))
            return ControlReport(
                try await store.call(
                    .actOnTransaction, ["transaction": words[0]], body: action,
                    as: TransactionRecord.self), \.shown)
        },
        ControlVerb("receipt", options: ["--account"], "an account's app receipt, in base64") {
            store, words in
            ControlReport(
                try await store.call(
                    .receipt, query: [("account", words.value("--account"))],
                    as: ReceiptResponse.self)
            ) { $0.receipt ?? "none" }
        },
    ]

    private static func action(
        _ name: String, _ kind: TransactionActionKind, options: [String] = [], _ summary: String,
        _ make: @escaping @Sendable (VerbWords) throws -> TransactionAction = { _ in
            TransactionAction(action: .finish)
        }
    ) -> ControlVerb {
        ControlVerb(name, takes: "ID", count: 1...1, options: options, summary) { store, words in
            var action = try make(words)
            action.action = kind
            return ControlReport(
                try await store.call(
                    .actOnTransaction, ["transaction": words[0]], body: action,
                    as: TransactionRecord.self), \.shown)
        }
    }
}

extension TransactionRecord {
    fileprivate var state: String {
        var words: [String] = []
        if let refund { words.append(refund.rawValue) }
        if transaction.revocationDate != nil, refund != .refunded { words.append("revoked") }
        if isUpgraded { words.append("upgraded") }
        if isFamilyShared { words.append("shared") }
        words.append(transaction.isFinished ? "finished" : "unfinished")
        return words.joined(separator: ", ")
    }

    fileprivate var shown: String {
        var facts = TextFacts()
        facts.add("transaction", transaction.transactionID.rawValue)
        facts.add("original", transaction.originalTransactionID.rawValue)
        facts.add("order", orderID)
        facts.add("product", "\(transaction.productID), \(quantity) of them")
        facts.add("account", "\(accountID), \(environment)")
        facts.add("purchased", transaction.purchaseDate.shown)
        facts.add("expires", transaction.expiresDate?.shown)
        facts.add("revoked", transaction.revocationDate?.shown)
        facts.add("price", Price.text(price, currency))
        facts.add("offer", offerID)
        facts.add("token", appAccountToken?.rawValue)
        facts.add("state", state)
        facts.add("signed", transaction.signedTransactionInfo)
        return facts.text
    }
}
