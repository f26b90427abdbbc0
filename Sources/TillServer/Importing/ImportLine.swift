import AppStoreModel
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One line of an import: a proof, and whose it is.
struct ImportLine: Sendable, Hashable {
    /// What the line gives.
    enum Content: Sendable, Hashable {
        /// Proofs in any form that clients send.
        case proofs([String])
        /// The name of a transaction without a proof, as vendors' exports have it.
        case transaction(TransactionID)
        /// Nothing that can be taken; the text says why.
        case nothing(String)
    }

    /// Whose it is; nil for whoever the proof's own token names, or nobody yet.
    var customer: CustomerID?
    /// What it gives.
    var content: Content

    private static let customerNames = [
        "customerId", "customer", "appUserId", "app_user_id", "applicationUsername",
    ]
    private static let proofNames = [
        "proof", "receipt", "receipt-data", "fetch_token", "signedTransaction",
        "signedTransactionInfo", "latest_receipt",
    ]
    private static let transactionNames = [
        "originalTransactionId", "original_transaction_id", "transactionId", "transaction_id",
        "purchaseId",
    ]

    /// Reads a line: a proof alone, a customer and a proof with a tab between, or a JSON object.
    init(_ text: Substring, customer: CustomerID?) {
        self.customer = customer
        content = .nothing("an empty line")
        let text = text.trimmingPrefix(while: \.isWhitespace)
        if text.first == "{" {
            readJSON(String(text))
        } else if Self.isListOfObjects(text) {
            // Its members would lose their customers.
            content = .nothing("a list of objects: write one object a line")
        } else if let tab = text.firstIndex(of: "\t") {
            name(String(text[..<tab]))
            take(proofs: [String(text[text.index(after: tab)...])])
        } else {
            take(proofs: [String(text)])
        }
    }

    /// Takes the cells of a vendor's table.
    init(
        customer: String?, transaction: String?, proof: String? = nil, fallback: CustomerID?
    ) {
        self.customer = fallback
        content = .nothing("no transaction is named")
        if let proof, !proof.isEmpty {
            take(proofs: [proof])
        } else if let transaction, !transaction.isEmpty {
            take(transaction: transaction)
        }
        if let customer, !customer.isEmpty { name(customer) }
    }

    private static func isListOfObjects(_ text: Substring) -> Bool {
        guard text.first == "[" else { return false }
        return text.dropFirst().first { !$0.isWhitespace } == "{"
    }

    private mutating func name(_ text: String) {
        guard let named = CustomerID(written: text) else {
            content = .nothing("the customer id cannot be taken")
            return
        }
        customer = named
    }

    private mutating func take(proofs: [String]) {
        if case .nothing("the customer id cannot be taken") = content { return }
        content = proofs.allSatisfy(\.isEmpty) ? .nothing("the proof is missing") : .proofs(proofs)
    }

    private mutating func take(transaction: String) {
        // Some exports write the store before the id: "apple:2000000…".
        let bare = transaction.split(separator: ":").last.map(String.init) ?? transaction
        content =
            bare.utf8.allSatisfy { (0x30...0x39).contains($0) } && bare.utf8.count <= 20
            ? .transaction(TransactionID(bare)) : .nothing("no transaction id of Apple's")
    }

    private mutating func readJSON(_ text: String) {
        guard
            let object = try? JSONDecoder().decode([String: ImportCell].self, from: Data(text.utf8))
        else {
            content = .nothing("no JSON object")
            return
        }
        func first(_ names: [String]) -> String? {
            names.lazy.compactMap { object[$0]?.texts.first }.first
        }
        let proofs =
            Self.proofNames.flatMap { object[$0]?.texts ?? [] }
            + (object["signedTransactions"]?.texts ?? [])
        if !proofs.isEmpty {
            content = .proofs(proofs)
        } else if let transaction = first(Self.transactionNames) {
            take(transaction: transaction)
        } else {
            content = .nothing("neither a proof nor a transaction id")
        }
        if let customer = first(Self.customerNames) { name(customer) }
    }
}

/// A field of a line's JSON object, as far as an import looks at it.
private struct ImportCell: Decodable {
    /// The text, the number as text, or the texts of a list; nothing for anything else.
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            texts = [text]
        } else if let number = try? container.decode(Int64.self) {
            texts = [String(number)]
        } else {
            texts = (try? container.decode([String].self)) ?? []
        }
    }
}
