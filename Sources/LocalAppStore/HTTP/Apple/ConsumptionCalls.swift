import AppStoreModel
import HTTPMessage
import HTTPServer

extension StoreRoutes {
    /// Consumption information, in both versions.
    mutating func addConsumptionCalls(_ check: BearerCheck, _ limiter: RateLimiter) {
        let store = store
        server(.put, "/inApps/v1/transactions/consumption/:id", check, limiter, .usual) { call in
            let id = try await store.requirePurchase(call.id("id"), in: call.environment)
            let row = try await store.transactionRow(id, in: call.environment)
            let preference = try Consumption.first(try call.body(), of: row)
            try await store.takeConsumption(id, in: call.environment, preference: preference)
            return HTTPResponse(status: .accepted)
        }
        server(.put, "/inApps/v2/transactions/consumption/:id", check, limiter, .usual) { call in
            let id = try await store.requirePurchase(call.id("id"), in: call.environment)
            let row = try await store.transactionRow(id, in: call.environment)
            let preference = try Consumption.second(try call.body(), of: row)
            try await store.takeConsumption(id, in: call.environment, preference: preference)
            return HTTPResponse(status: .accepted)
        }
    }
}

/// What a developer says of a purchase that somebody wants the money back for.
private enum Consumption {
    /// Fields of version 1 that are numbers: name, highest value, Apple's error.
    private static let numbers: [(String, Int64, Int64)] = [
        ("consumptionStatus", 3, 4_000_034), ("platform", 2, 4_000_039),
        ("deliveryStatus", 5, 4_000_036), ("accountTenure", 7, 4_000_032),
        ("playTime", 7, 4_000_040), ("lifetimeDollarsRefunded", 7, 4_000_038),
        ("lifetimeDollarsPurchased", 7, 4_000_037), ("userStatus", 4, 4_000_042),
    ]

    /// Version 1: every field but the preference is needed, 0 says nothing.
    static func first(
        _ body: [String: JSONValue], of row: StoreTransaction
    ) throws(AppleErrorCode) -> RefundPreference? {
        guard row.type == .consumable || row.type == .autoRenewable else {
            throw AppleErrorCode(code: 4_000_047)
        }
        guard body["customerConsented"]?.bool == true else { throw AppleErrorCode(code: 4_000_035) }
        for (name, highest, code) in numbers {
            guard let number = body[name]?.integer, (0...highest).contains(number) else {
                throw AppleErrorCode(code: code)
            }
        }
        guard body["sampleContentProvided"]?.bool != nil else {
            throw AppleErrorCode(code: 4_000_041)
        }
        guard let token = body["appAccountToken"]?.string, token.isEmpty || UUIDText.isValid(token)
        else { throw AppleErrorCode(code: 4_000_033) }
        switch body["refundPreference"]?.integer {
        case nil where body["refundPreference"] == nil: return nil
        case 0, 3: return nil
        case 1: return .grantFull
        case 2: return .decline
        default: throw AppleErrorCode(code: 4_000_044)
        }
    }

    private static let deliveries: [DeliveryStatus] = [
        .delivered, .qualityIssue, .wrongItem, .serverOutage, .other,
    ]

    /// Version 2.
    static func second(
        _ body: [String: JSONValue], of row: StoreTransaction
    ) throws(AppleErrorCode) -> RefundPreference? {
        guard body["customerConsented"]?.bool == true else { throw AppleErrorCode(code: 4_000_035) }
        guard let delivery = body["deliveryStatus"]?.string.map({ DeliveryStatus(rawValue: $0) }),
            deliveries.contains(delivery)
        else { throw AppleErrorCode(code: 4_000_036) }
        guard body["sampleContentProvided"]?.bool != nil else {
            throw AppleErrorCode(code: 4_000_041)
        }
        let percentage = try percentage(body["consumptionPercentage"], row, delivery)
        guard let value = body["refundPreference"] else { return nil }
        let preference = RefundPreference(rawValue: value.string ?? "")
        switch preference {
        case .decline, .grantFull: return preference
        case .grantProrated:
            // A part of what does not renew can be paid back only if a part of it is used.
            guard row.type == .autoRenewable || (1..<100_000).contains(percentage) else {
                throw AppleErrorCode(code: 4_000_044)
            }
            return preference
        default: throw AppleErrorCode(code: 4_000_044)
        }
    }

    private static func percentage(
        _ value: JSONValue?, _ row: StoreTransaction, _ delivery: DeliveryStatus
    ) throws(AppleErrorCode) -> Int64 {
        guard let value else { return 0 }
        guard row.type != .autoRenewable else { throw AppleErrorCode(code: 4_000_209) }
        // Apple has codes of their own for these two, whose numbers are not public.
        guard let percentage = value.integer, (0...100_000).contains(percentage),
            percentage == 0 || delivery == .delivered
        else { throw .badRequest }
        return percentage
    }
}
