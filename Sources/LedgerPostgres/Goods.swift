import PostgresDriver
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Credits and entitlements as JSON text, which the database can take apart too.
enum Goods {
    static func text(_ credits: [WalletCurrency: Int64]) throws(PostgresError) -> String {
        guard !credits.isEmpty else { return "{}" }
        return try json(
            Dictionary(uniqueKeysWithValues: credits.map { ($0.rawValue, $1) }))
    }

    static func text(_ entitlements: [EntitlementName]) throws(PostgresError) -> String {
        // The index of grants with entitlements leaves out just this text.
        guard !entitlements.isEmpty else { return "[]" }
        return try json(entitlements.map(\.rawValue))
    }

    static func credits(_ text: String) throws(PostgresError) -> [WalletCurrency: Int64] {
        guard text != "{}" else { return [:] }
        let named = try value([String: Int64].self, text)
        return Dictionary(uniqueKeysWithValues: named.map { (WalletCurrency($0), $1) })
    }

    static func entitlements(_ text: String) throws(PostgresError) -> [EntitlementName] {
        guard text != "[]" else { return [] }
        return try value([String].self, text).map { EntitlementName($0) }
    }

    private static func json(_ value: some Encodable) throws(PostgresError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            throw PostgresError(.badValue, "goods that cannot be written down")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, _ text: String
    ) throws(PostgresError) -> Value {
        guard let value = try? JSONDecoder().decode(type, from: Data(text.utf8)) else {
            throw .unreadable("a grant's goods")
        }
        return value
    }
}
