import AppStoreModel
import HTTPMessage
import TillAPI

extension TillService {
    /// What stands behind the `?` of the target; one that cannot be read is not taken for none.
    static func query(of request: HTTPRequest) throws(ProblemDocument) -> HTTPQuery {
        guard let query = request.query else {
            throw ProblemDocument(.invalidRequest, detail: "the query cannot be read")
        }
        return query
    }

    /// How much of a list is asked for: `limit`, where the query has it.
    static func limit(
        of query: HTTPQuery, usual: Int, most: Int
    ) throws(ProblemDocument) -> Int {
        guard let text = query["limit"] else { return usual }
        guard let number = Int(text), (1...most).contains(number) else {
            throw ProblemDocument(.invalidRequest, detail: "limit: 1 to \(most)")
        }
        return number
    }

    /// The app of which alone a customer's document is to tell: `bundleId`, or the publishable key's; nil for
    /// all apps.
    func appToTellOf(_ request: HTTPRequest) throws(ProblemDocument) -> BundleID? {
        let keyed = try callers.app(of: request)
        let named = try Self.query(of: request)["bundleId"].map { BundleID($0) }
        return try (named ?? keyed).map { name throws(ProblemDocument) in try app(named: name) }
    }
}
