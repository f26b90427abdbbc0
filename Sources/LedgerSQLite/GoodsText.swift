import SQLiteDriver
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Credits and entitlements as JSON text, which `sqlite3` can take apart.
///
/// A catalog has few of them, so each is written and read once.
struct GoodsText {
    /// The most texts that are remembered.
    static let mostRemembered = 4_096

    private var creditTexts: [[WalletCurrency: Int64]: String] = [:]
    private var credits: [String: [WalletCurrency: Int64]] = [:]
    private var entitlementTexts: [[EntitlementName]: String] = [:]
    private var entitlements: [String: [EntitlementName]] = [:]

    mutating func text(_ value: [WalletCurrency: Int64]) throws(SQLiteError) -> String {
        if let known = creditTexts[value] { return known }
        let named = Dictionary(uniqueKeysWithValues: value.map { ($0.rawValue, $1) })
        let text = try Self.json(named)
        if creditTexts.count < Self.mostRemembered { creditTexts[value] = text }
        return text
    }

    mutating func credits(_ text: String) throws(SQLiteError) -> [WalletCurrency: Int64] {
        if let known = credits[text] { return known }
        let named = try Self.value([String: Int64].self, text)
        let value = Dictionary(
            uniqueKeysWithValues: named.map { (WalletCurrency($0), $1) })
        if credits.count < Self.mostRemembered { credits[text] = value }
        return value
    }

    mutating func text(_ value: [EntitlementName]) throws(SQLiteError) -> String {
        if let known = entitlementTexts[value] { return known }
        let text = try Self.json(value)
        if entitlementTexts.count < Self.mostRemembered { entitlementTexts[value] = text }
        return text
    }

    mutating func entitlements(_ text: String) throws(SQLiteError) -> [EntitlementName] {
        if let known = entitlements[text] { return known }
        let value = try Self.value([EntitlementName].self, text)
        if entitlements.count < Self.mostRemembered { entitlements[text] = value }
        return value
    }

    private static func json(_ value: some Encodable) throws(SQLiteError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw SQLiteError(code: 20, message: "goods that cannot be written down")
        }
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, _ text: String
    ) throws(SQLiteError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw SQLiteError(code: 11, message: "a grant's goods cannot be read")
        }
    }
}
