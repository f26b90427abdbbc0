/// Why the local store did not do what the device or control API asked for (RFC 9457).
///
/// Sent as `application/problem+json`. Failures that StoreKit knows (a cancelled or refused purchase) are
/// answers with a ``StoreFailure``, not problems.
public struct StoreProblem: Error, Codable, Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The stable word that callers tell problems apart by.
    public var code: StoreProblemCode
    /// One line for people.
    public var title: String
    /// What exactly was wrong, with the place.
    public var detail: String?

    /// Makes a problem; status and title come from the code.
    public init(_ code: StoreProblemCode, detail: String? = nil) {
        status = code.status
        self.code = code
        title = code.title
        self.detail = detail
    }
}

/// The kinds of problems, each with its HTTP status and its line for people.
public struct StoreProblemCode: RawRepresentable, Codable, Sendable, Hashable {
    /// The word on the wire; unknown ones pass.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The body is no JSON, or a field is missing or of another type.
    public static let invalidRequest = StoreProblemCode(rawValue: "invalidRequest")
    /// A field has a value that is not allowed.
    public static let invalidValue = StoreProblemCode(rawValue: "invalidValue")
    /// The catalog file is broken; the detail names the place.
    public static let invalidCatalog = StoreProblemCode(rawValue: "invalidCatalog")
    /// No such device.
    public static let deviceNotFound = StoreProblemCode(rawValue: "deviceNotFound")
    /// No such account.
    public static let accountNotFound = StoreProblemCode(rawValue: "accountNotFound")
    /// No such product.
    public static let productNotFound = StoreProblemCode(rawValue: "productNotFound")
    /// No such offer, or not on that product.
    public static let offerNotFound = StoreProblemCode(rawValue: "offerNotFound")
    /// No such transaction.
    public static let transactionNotFound = StoreProblemCode(rawValue: "transactionNotFound")
    /// No such subscription.
    public static let subscriptionNotFound = StoreProblemCode(rawValue: "subscriptionNotFound")
    /// No such payment in a queue.
    public static let itemNotFound = StoreProblemCode(rawValue: "itemNotFound")
    /// No such notification.
    public static let notificationNotFound = StoreProblemCode(rawValue: "notificationNotFound")
    /// No such path.
    public static let routeNotFound = StoreProblemCode(rawValue: "routeNotFound")
    /// Nobody is signed in on the device.
    public static let signedOut = StoreProblemCode(rawValue: "signedOut")
    /// The thing is not in a state that allows it.
    public static let notAllowedNow = StoreProblemCode(rawValue: "notAllowedNow")
    /// The name is taken.
    public static let alreadyExists = StoreProblemCode(rawValue: "alreadyExists")
    /// A limit of the store is reached.
    public static let limitReached = StoreProblemCode(rawValue: "limitReached")
    /// The store could not sign or save.
    public static let internalFault = StoreProblemCode(rawValue: "internalFault")

    /// The HTTP status that goes with the code.
    public var status: Int { Self.table[self]?.status ?? 500 }
    /// The line for people that goes with the code.
    public var title: String { Self.table[self]?.title ?? rawValue }

    private static let table: [StoreProblemCode: (status: Int, title: String)] = [
        .invalidRequest: (400, "The request cannot be read"),
        .invalidValue: (422, "A value is not allowed"),
        .invalidCatalog: (422, "The catalog file is broken"),
        .deviceNotFound: (404, "No such device"),
        .accountNotFound: (404, "No such account"),
        .productNotFound: (404, "No such product"),
        .offerNotFound: (404, "No such offer"),
        .transactionNotFound: (404, "No such transaction"),
        .subscriptionNotFound: (404, "No such subscription"),
        .itemNotFound: (404, "No such payment"),
        .notificationNotFound: (404, "No such notification"),
        .routeNotFound: (404, "No such path"),
        .signedOut: (409, "Nobody is signed in on this device"),
        .notAllowedNow: (409, "Not possible in this state"),
        .alreadyExists: (409, "The name is taken"),
        .limitReached: (409, "A limit is reached"),
        .internalFault: (500, "The store failed"),
    ]
}
