import StoreWire

/// StoreKit's names of errors, as `.storekit` files and the wire say them: one table for both StoreKits.
enum StoreKitErrorName {
    /// `SKError` by number.
    private static let numbered: [String] = [
        "unknown", "clientInvalid", "paymentCancelled", "paymentInvalid", "paymentNotAllowed",
        "storeProductNotAvailable", "cloudServicePermissionDenied",
        "cloudServiceNetworkConnectionFailed", "cloudServiceRevoked",
        "privacyAcknowledgementRequired", "unauthorizedRequestData", "invalidOfferIdentifier",
        "invalidSignature", "missingOfferParams", "invalidOfferPrice", "overlayCancelled",
        "overlayInvalidConfiguration", "overlayTimeout", "ineligibleForOffer",
        "unsupportedPlatform", "overlayPresentedInBackgroundScene",
    ]
    /// `StoreKitError` in the order of its cases, with the number of `SKError` that comes nearest.
    private static let generic: [(name: String, number: Int)] = [
        ("unknown", 0), ("userCancelled", 2), ("networkError", 7), ("systemError", 0),
        ("notAvailableInStorefront", 5), ("notEntitled", 4), ("unsupported", 19),
    ]
    /// `Product.PurchaseError` in the order of its cases.
    private static let purchase: [(name: String, number: Int)] = [
        ("invalidQuantity", 3), ("productUnavailable", 5), ("purchaseNotAllowed", 4),
        ("ineligibleForOffer", 18), ("invalidOfferIdentifier", 11), ("invalidOfferPrice", 14),
        ("invalidOfferSignature", 12), ("missingOfferParameters", 13),
    ]
    private static let verification = [
        "revokedCertificate", "invalidCertificateChain", "invalidDeviceVerification",
        "invalidEncoding", "invalidSignature", "missingRequiredProperties",
    ]

    /// The name that a file means by type and index.
    static func named(type: String, index: Int) -> String {
        let names =
            switch type {
            case "purchase": purchase.map(\.name)
            case "verification": verification
            case "refundRequest": ["duplicateRequest", "failed"]
            default: generic.map(\.name)
            }
        return names.indices.contains(index) ? names[index] : "unknown"
    }

    /// The name of a number of `SKError`.
    static func skError(_ number: Int) -> String {
        numbered.indices.contains(number) ? numbered[number] : "unknown"
    }

    /// A failure by any of the names; an unknown one is `unknown` to both StoreKits.
    static func failure(_ name: String, _ message: String? = nil) -> StoreFailure {
        let text = message ?? "The store answered \(name)."
        if let row = purchase.first(where: { $0.name == name }) {
            return StoreFailure(
                code: name, skErrorCode: row.number, purchaseError: name, message: text)
        }
        if let row = generic.first(where: { $0.name == name }) {
            return StoreFailure(
                code: name, skErrorCode: row.number, storeKitError: name, message: text)
        }
        let number = numbered.firstIndex(of: name) ?? 0
        let modern = purchase.first { $0.number == number }?.name
        let general =
            modern == nil ? (generic.first { $0.number == number }?.name ?? "unknown") : nil
        return StoreFailure(
            code: name, skErrorCode: number, purchaseError: modern, storeKitError: general,
            message: text)
    }
}
