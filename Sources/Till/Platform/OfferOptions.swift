import AppStoreModel
import StoreKit

/// Names of StoreKit that came with newer compilers than the oldest that builds this package, and run on
/// older systems too.
@available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
enum OfferOptions {
    /// A promotional offer that is signed as a token; `nil` where StoreKit takes the old form alone.
    static func promotional(_ offerID: String, token: String) -> [Product.PurchaseOption]? {
        #if compiler(>=6.2)
            return Product.PurchaseOption.promotionalOffer(offerID, compactJWS: token)
        #else
            return nil
        #endif
    }

    /// The server's word about the introductory offer; `nil` where StoreKit takes none.
    static func introductory(token: String) -> Product.PurchaseOption? {
        #if compiler(>=6.1)
            return .introductoryOfferEligibility(compactJWS: token)
        #else
            return nil
        #endif
    }

    /// The name of this person's copy of the app, which stands in for a transaction.
    static func copyOfTheApp() async -> TransactionID? {
        #if compiler(>=6.1)
            guard #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) else { return nil }
            return (try? await AppTransaction.shared).map {
                TransactionID($0.unsafePayloadValue.appTransactionID)
            }
        #else
            return nil
        #endif
    }
}
