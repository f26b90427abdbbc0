import AppStoreModel
import AppStoreTrust

extension VerifyReport {
    /// The report for people: a verdict in a sentence, then everything as a table.
    var table: String {
        var text = verdict + "\n"
        switch payload {
        case .nothing: break
        case .receipt(let receipt):
            text += Self.rows(Self.facts(receipt))
            text += Self.purchases(receipt.inApp)
        case .json(let bytes): text += Self.rows(Self.facts(Self.read(bytes)))
        case .value(let value): text += Self.rows(Self.facts(value))
        }
        for (name, bytes) in inner {
            text += "\n\(name)\n" + Self.rows(Self.facts(Self.read(bytes)))
        }
        return text
    }

    private var verdict: String {
        guard isValid else {
            let what = kind.map { Self.noun($0) } ?? "Not a proof of payment"
            let claims = kind == nil ? "" : "\nWhat follows is what it claims; do not believe it."
            let why = Self.printable(sentence ?? "")
            return "REFUSED  \(what): \(why)  [\(reason ?? "")]\(claims)\n"
        }
        var text = "GENUINE  \(kind.map { Self.noun($0) } ?? "")"
        if let bundleID { text += " of \(Self.printable(bundleID))" }
        if let environment { text += " in \(environment)" }
        text +=
            extraRoot.map { ", signed under the root you named: \($0) (not Apple)" }
            ?? ", signed by Apple"
        if let signedAt { text += " at \(signedAt.rfc3339)" }
        return text + "\n"
    }

    private static func noun(_ kind: ProofKind) -> String {
        switch kind {
        case .appReceipt: "App receipt"
        case .transactionReceipt: "Transaction receipt of iOS 6"
        case .transaction: "Signed transaction"
        case .renewalInfo: "Signed renewal info"
        case .notification: "App Store Server Notification"
        case .appTransaction: "Signed app transaction"
        case .realtimeRequest: "Retention request"
        case .unknown: "Signed value of a kind that this version does not know"
        }
    }

    private static func rows(_ facts: [(String, String)]) -> String {
        let width = facts.map(\.0.count).max() ?? 0
        return facts.map { name, value in
            "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(value)\n"
        }.joined()
    }

    /// A receipt's own facts, without its purchases.
    private static func facts(_ receipt: AppReceipt) -> [(String, String)] {
        let all: [(String, String?)] = [
            ("receipt_type", receipt.receiptType?.rawValue),
            ("bundle_id", receipt.bundleID.rawValue),
            ("app_item_id", receipt.appItemID.map { String($0) }),
            ("application_version", receipt.applicationVersion),
            ("original_application_version", receipt.originalApplicationVersion),
            ("receipt_creation_date", receipt.creationDate.rfc3339),
            ("original_purchase_date", receipt.originalPurchaseDate?.rfc3339),
            ("expiration_date", receipt.expirationDate?.rfc3339),
            ("download_id", receipt.downloadID.map { String($0) }),
            ("version_external_identifier", receipt.versionExternalIdentifier.map { String($0) }),
            ("in_app", "\(receipt.inApp.count) purchases"),
        ]
        return all.compactMap { name, value in value.map { (name, printable($0)) } }
    }

    /// The purchases of a receipt, oldest first: the order in a receipt means nothing.
    private static func purchases(_ inApp: [InAppPurchase]) -> String {
        guard !inApp.isEmpty else { return "" }
        var rows = [
            ["transaction_id", "product_id", "quantity", "purchase_date", "expires_date", ""]
        ]
        let ordered = inApp.enumerated().sorted { left, right in
            let (earlier, later) = (left.element.purchaseDate, right.element.purchaseDate)
            guard earlier != later else { return left.offset < right.offset }
            // What has no date comes first.
            guard let earlier, let later else { return earlier == nil }
            return earlier < later
        }
        for (_, purchase) in ordered {
            var notes: [String] = []
            if purchase.originalTransactionID != purchase.transactionID {
                notes.append("of \(purchase.originalTransactionID)")
            }
            if purchase.isTrialPeriod == true { notes.append("trial") }
            if purchase.isInIntroOfferPeriod == true { notes.append("introductory offer") }
            if let date = purchase.cancellationDate { notes.append("cancelled \(date.rfc3339)") }
            rows.append(
                [
                    purchase.transactionID.rawValue, purchase.productID.rawValue,
                    purchase.quantity.map { String($0) } ?? "",
                    purchase.purchaseDate?.rfc3339 ?? "",
                    purchase.expiresDate?.rfc3339 ?? "", notes.joined(separator: ", "),
                ].map(printable))
        }
        let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return "\n"
            + rows.map { row in
                let cells = row.enumerated().map { column, cell in
                    cell + String(repeating: " ", count: widths[column] - cell.count)
                }
                var line = "  " + cells.joined(separator: "  ")
                while line.last == " " { line.removeLast() }
                return line + "\n"
            }.joined()
    }

    /// The members of an object by name; nested ones with dots, long tokens cut, dates told.
    private static func facts(_ value: JSONValue?, under prefix: String = "") -> [(String, String)]
    {
        guard case .object(let members)? = value else { return [] }
        return members.sorted { $0.key < $1.key }.flatMap { name, value in
            let path = prefix + printable(name)
            if case .object = value { return facts(value, under: path + ".") }
            return [(path, told(value, name: name))]
        }
    }

    private static func told(_ value: JSONValue, name: String) -> String {
        switch value {
        case .string(let text):
            let shown = printable(text)
            return shown.count > 120 ? "\(shown.prefix(60))… (\(text.utf8.count) bytes)" : shown
        case .integer(let number) where name.hasSuffix("Date"):
            return "\(Timestamp(milliseconds: number).rfc3339)  (\(number))"
        case .number(let number) where name.hasSuffix("Date") && number.magnitude < 9e15:
            return "\(Timestamp(milliseconds: Int64(number)).rfc3339)  (\(number))"
        case .integer(let number) where name == "price" || name == "renewalPrice":
            let cents = abs(number % 1_000)
            let fraction = String(cents + 1_000).dropFirst()
            return "\(number < 0 ? "-" : "")\(abs(number / 1_000)).\(fraction)"
        case .integer(let number): return String(number)
        case .number(let number): return "\(number)"
        case .bool(let flag): return flag ? "true" : "false"
        case .null: return "null"
        case .array(let list):
            return list.map { told($0, name: name) }.joined(separator: ", ")
        case .object: return "{…}"
        }
    }

    /// Text without control characters: a proof must not be able to drive the reader's terminal.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                        "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
