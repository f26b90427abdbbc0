public import Foundation

/// A failure of StoreKit 2.
public enum StoreKitError: Error, Sendable {
    /// Something unknown or unexpected.
    case unknown
    /// The customer cancelled.
    case userCancelled
    /// The store could not be reached.
    case networkError(URLError)
    /// The system failed.
    case systemError(any Error)
    /// The product is not for sale in the storefront.
    case notAvailableInStorefront
    /// The app may not use StoreKit.
    case notEntitled
    /// The device cannot do it.
    case unsupported
}

extension StoreKitError: LocalizedError {
    /// The error for people.
    public var errorDescription: String? {
        switch self {
        case .unknown: "An unknown error occurred."
        case .userCancelled: "The request was cancelled."
        case .networkError(let error): "A network error occurred: \(error.localizedDescription)"
        case .systemError(let error): "A system error occurred: \(error.localizedDescription)"
        case .notAvailableInStorefront: "The product is not available in this storefront."
        case .notEntitled: "The app is not entitled to use StoreKit."
        case .unsupported: "This is not supported."
        }
    }
}

/// The store's answer to a request that it did not understand.
public struct InvalidRequestError: Error, Hashable, Sendable {
    /// The store's number of the error.
    public let code: Int64
    /// The store's words.
    public let message: String
}
