import AppStoreModel
import HTTPMessage
import HTTPServer
import SignedDataCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of the Server API, its parts read with the error codes that Apple has for them.
struct ServerCall: Sendable {
    let request: HTTPRequest
    let context: RequestContext
    let environment: AppStoreEnvironment

    /// The most digits of a transaction's name.
    private static let longestID = 20

    /// A name in the path that is digits; `error` is what Apple calls another.
    func id(
        _ name: String, orElse error: AppleErrorCode = .invalidTransactionID
    ) throws(AppleErrorCode) -> String {
        let id = context.parameter(name)
        guard Self.isID(id) else { throw error }
        return id
    }

    static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The values of a query parameter.
    func values(_ name: String) throws(AppleErrorCode) -> [String] {
        guard let query = request.query else { throw .badRequest }
        return query.values(of: name)
    }

    /// The one value of a query parameter.
    func value(_ name: String) throws(AppleErrorCode) -> String? { try values(name).first }

    /// A moment in milliseconds.
    func moment(_ name: String, orElse error: AppleErrorCode) throws(AppleErrorCode) -> Timestamp? {
        guard let text = try value(name) else { return nil }
        guard let milliseconds = Int64(text), milliseconds >= 0 else { throw error }
        return Timestamp(milliseconds: milliseconds)
    }

    /// `true` or `false` in any case: Apple's own Python library writes `True`.
    func flag(_ name: String, orElse error: AppleErrorCode) throws(AppleErrorCode) -> Bool? {
        guard let text = try value(name) else { return nil }
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        default: throw error
        }
    }

    /// The members of the body, which must be a JSON object.
    func body() throws(AppleErrorCode) -> [String: JSONValue] {
        guard
            case .object(let members)? = try? JSONDecoder().decode(
                JSONValue.self, from: request.body)
        else { throw .badRequest }
        // Null is what is not there.
        return members.filter { $0.value != .null }
    }
}

extension AppleErrorCode {
    static let badRequest = AppleErrorCode(code: 4_000_000)
    static let invalidOriginalTransactionID = AppleErrorCode(code: 4_000_008)
    static let invalidExtendByDays = AppleErrorCode(code: 4_000_009)
    static let invalidExtendReasonCode = AppleErrorCode(code: 4_000_010)
    static let invalidRequestIdentifier = AppleErrorCode(code: 4_000_011)
    static let startDateTooFarInPast = AppleErrorCode(code: 4_000_012)
    static let startDateAfterEndDate = AppleErrorCode(code: 4_000_013)
    static let invalidStartDate = AppleErrorCode(code: 4_000_015)
    static let invalidEndDate = AppleErrorCode(code: 4_000_016)
    static let invalidNotificationType = AppleErrorCode(code: 4_000_018)
    static let multipleFilters = AppleErrorCode(code: 4_000_019)
    static let invalidTestToken = AppleErrorCode(code: 4_000_020)
    static let invalidSort = AppleErrorCode(code: 4_000_021)
    static let invalidProductType = AppleErrorCode(code: 4_000_022)
    static let invalidProductID = AppleErrorCode(code: 4_000_023)
    static let invalidGroup = AppleErrorCode(code: 4_000_024)
    static let invalidExcludeRevoked = AppleErrorCode(code: 4_000_025)
    static let invalidOwnership = AppleErrorCode(code: 4_000_026)
    static let emptyStorefronts = AppleErrorCode(code: 4_000_027)
    static let invalidStorefront = AppleErrorCode(code: 4_000_028)
    static let invalidRevoked = AppleErrorCode(code: 4_000_030)
    static let invalidStatus = AppleErrorCode(code: 4_000_031)
    static let appTransactionNotSupported = AppleErrorCode(code: 4_000_048)
    static let invalidTokenUUID = AppleErrorCode(code: 4_000_183)
}
