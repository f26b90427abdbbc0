public import Foundation

/// The domain of StoreKit's error codes.
public let SKErrorDomain = "SKErrorDomain"

/// A failure of the original StoreKit, bridged to `NSError` under ``SKErrorDomain``.
public struct SKError: CustomNSError, Hashable, Error {
    /// What went wrong; the numbers are Apple's.
    public enum Code: Int, Sendable {
        /// Something unknown or unexpected.
        case unknown = 0
        /// The client may not do this.
        case clientInvalid = 1
        /// The customer cancelled.
        case paymentCancelled = 2
        /// A part of the payment was not understood.
        case paymentInvalid = 3
        /// The customer or the device may not pay.
        case paymentNotAllowed = 4
        /// The product is not for sale in the storefront.
        case storeProductNotAvailable = 5
        /// The customer has not allowed the access to cloud service information.
        case cloudServicePermissionDenied = 6
        /// The device could not reach the network.
        case cloudServiceNetworkConnectionFailed = 7
        /// The customer took back the permission for the cloud service.
        case cloudServiceRevoked = 8
        /// The customer has to acknowledge Apple's privacy policy first.
        case privacyAcknowledgementRequired = 9
        /// The app has no right to the request data.
        case unauthorizedRequestData = 10
        /// The offer does not exist or is not active.
        case invalidOfferIdentifier = 11
        /// The signature of the offer is wrong.
        case invalidSignature = 12
        /// A part of the offer is missing.
        case missingOfferParams = 13
        /// The price of the offer is no longer valid.
        case invalidOfferPrice = 14
        /// The overlay was cancelled.
        case overlayCancelled = 15
        /// The overlay's configuration is wrong.
        case overlayInvalidConfiguration = 16
        /// The overlay did not appear in time.
        case overlayTimeout = 17
        /// The customer may not have the offer.
        case ineligibleForOffer = 18
        /// The platform does not know this overlay.
        case unsupportedPlatform = 19
        /// The scene of the overlay is in the background.
        case overlayPresentedInBackgroundScene = 20
    }

    /// The error that this one stands for.
    public let _nsError: NSError

    /// Takes an error whose domain is ``SKErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == SKErrorDomain, "not an error of StoreKit")
        _nsError = error
    }
}

extension SKError: _BridgedStoredNSError {
    /// The domain under which the error bridges.
    public static var _nsErrorDomain: String { SKErrorDomain }
    /// ``SKErrorDomain``.
    public static var errorDomain: String { SKErrorDomain }
}

extension SKError.Code: _ErrorCodeProtocol {
    /// The error that carries the code.
    public typealias _ErrorType = SKError
}

extension SKError {
    /// ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// ``Code/clientInvalid``.
    public static var clientInvalid: Code { .clientInvalid }
    /// ``Code/paymentCancelled``.
    public static var paymentCancelled: Code { .paymentCancelled }
    /// ``Code/paymentInvalid``.
    public static var paymentInvalid: Code { .paymentInvalid }
    /// ``Code/paymentNotAllowed``.
    public static var paymentNotAllowed: Code { .paymentNotAllowed }
    /// ``Code/storeProductNotAvailable``.
    public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
    /// ``Code/cloudServicePermissionDenied``.
    public static var cloudServicePermissionDenied: Code { .cloudServicePermissionDenied }
    /// ``Code/cloudServiceNetworkConnectionFailed``.
    public static var cloudServiceNetworkConnectionFailed: Code {
        .cloudServiceNetworkConnectionFailed
    }
    /// ``Code/cloudServiceRevoked``.
    public static var cloudServiceRevoked: Code { .cloudServiceRevoked }
    /// ``Code/privacyAcknowledgementRequired``.
    public static var privacyAcknowledgementRequired: Code { .privacyAcknowledgementRequired }
    /// ``Code/unauthorizedRequestData``.
    public static var unauthorizedRequestData: Code { .unauthorizedRequestData }
    /// ``Code/invalidOfferIdentifier``.
    public static var invalidOfferIdentifier: Code { .invalidOfferIdentifier }
    /// ``Code/invalidSignature``.
    public static var invalidSignature: Code { .invalidSignature }
    /// ``Code/missingOfferParams``.
    public static var missingOfferParams: Code { .missingOfferParams }
    /// ``Code/invalidOfferPrice``.
    public static var invalidOfferPrice: Code { .invalidOfferPrice }
    /// ``Code/overlayCancelled``.
    public static var overlayCancelled: Code { .overlayCancelled }
    /// ``Code/overlayInvalidConfiguration``.
    public static var overlayInvalidConfiguration: Code { .overlayInvalidConfiguration }
    /// ``Code/overlayTimeout``.
    public static var overlayTimeout: Code { .overlayTimeout }
    /// ``Code/ineligibleForOffer``.
    public static var ineligibleForOffer: Code { .ineligibleForOffer }
    /// ``Code/unsupportedPlatform``.
    public static var unsupportedPlatform: Code { .unsupportedPlatform }
    /// ``Code/overlayPresentedInBackgroundScene``.
    public static var overlayPresentedInBackgroundScene: Code { .overlayPresentedInBackgroundScene }
}
