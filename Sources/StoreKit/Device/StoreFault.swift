import Foundation
import HTTPMessage
import StoreWire

/// Why a call to the store came to nothing, before it is put into the words of one of the StoreKits.
enum StoreFault: Error {
    case unreachable(HTTPFetchError)
    case refused(StoreProblem)
    case failed(StoreFailure)
    case unreadable(String)
    case noAddress

    /// The fault as the network error that an app expects.
    private var urlError: URLError? {
        switch self {
        case .unreachable(let error):
            switch error.code {
            case .invalidURL: URLError(.badURL)
            case .cannotConnect: URLError(.cannotConnectToHost)
            case .tls: URLError(.secureConnectionFailed)
            case .timedOut: URLError(.timedOut)
            case .connectionLost: URLError(.networkConnectionLost)
            case .responseTooLarge: URLError(.dataLengthExceedsMaximum)
            case .invalidResponse: URLError(.badServerResponse)
            case .cancelled: URLError(.cancelled)
            }
        case .unreadable: URLError(.badServerResponse)
        case .refused(let problem) where problem.status >= 500 || problem.status == 429:
            URLError(.badServerResponse)
        case .noAddress: URLError(.notConnectedToInternet)
        case .refused, .failed: nil
        }
    }

    /// The fault in StoreKit 2's words.
    var modern: any Error {
        if let urlError { return StoreKitError.networkError(urlError) }
        switch self {
        case .failed(let failure): return failure.modern
        case .refused(let problem):
            // An error that somebody switched on in the store is named there.
            if let known = problem.detail.flatMap({ StoreFailure.storeKitError(named: $0) }) {
                return known
            }
            return StoreKitError.systemError(problem)
        case .unreachable, .unreadable, .noAddress: return StoreKitError.unknown
        }
    }

    /// The fault in the original StoreKit's words, for a payment or a restore.
    var original: any Error {
        if let urlError {
            return SKError(.unknown, userInfo: [NSUnderlyingErrorKey: urlError as NSError])
        }
        switch self {
        case .failed(let failure): return failure.original
        case .refused(let problem):
            return SKError(
                problem.code == .signedOut ? .clientInvalid : .unknown,
                userInfo: [NSLocalizedDescriptionKey: problem.detail ?? problem.title])
        case .unreachable, .unreadable, .noAddress: return SKError(.unknown)
        }
    }

    /// The fault as a request's delegate gets it: network errors come bare.
    var ofRequest: any Error { urlError ?? original }

    /// Whether the same call may succeed when it is made again.
    var isTransient: Bool { urlError != nil }
}

extension StoreFailure {
    var modern: any Error {
        if let name = purchaseError, let error = Self.purchaseErrors[name] { return error }
        return Self.storeKitError(named: storeKitError ?? code) ?? StoreKitError.unknown
    }

    /// The product was bought before and its subscription runs and will renew.
    var isOfRunningSubscription: Bool { code == "alreadySubscribed" }

    var original: any Error {
        if isOfRunningSubscription {
            // As Apple's first StoreKit tells it; apps look for this number.
            let cause = NSError(
                domain: "ASDServerErrorDomain", code: 3_532,
                userInfo: [NSLocalizedDescriptionKey: message])
            return SKError(
                .unknown,
                userInfo: [
                    NSLocalizedDescriptionKey: "An unknown error occurred",
                    NSUnderlyingErrorKey: cause,
                ])
        }
        return SKError(
            skErrorCode.flatMap(SKError.Code.init(rawValue:)) ?? .unknown,
            userInfo: [NSLocalizedDescriptionKey: message])
    }

    static func storeKitError(named name: String) -> StoreKitError? {
        switch name {
        case "unknown": .unknown
        case "userCancelled": .userCancelled
        case "networkError": .networkError(URLError(.notConnectedToInternet))
        case "systemError": .systemError(NSError(domain: "ASDErrorDomain", code: 500))
        case "notAvailableInStorefront": .notAvailableInStorefront
        case "notEntitled": .notEntitled
        case "unsupported": .unsupported
        default: nil
        }
    }

    private static let purchaseErrors: [String: Product.PurchaseError] = [
        "invalidQuantity": .invalidQuantity,
        "productUnavailable": .productUnavailable,
        "purchaseNotAllowed": .purchaseNotAllowed,
        "ineligibleForOffer": .ineligibleForOffer,
        "invalidOfferIdentifier": .invalidOfferIdentifier,
        "invalidOfferPrice": .invalidOfferPrice,
        "invalidOfferSignature": .invalidOfferSignature,
        "missingOfferParameters": .missingOfferParameters,
    ]
}
