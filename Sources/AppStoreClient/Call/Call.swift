import AppStoreModel
import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One thing to ask of Apple, whichever environment it is asked of.
struct Call: Sendable {
    /// Apple's name of it, for people.
    let name: String
    let method: HTTPMethod
    /// The path after the base, percent-encoded.
    let path: String
    var query = HTTPQuery()
    var body: Data?
    var group = RateBudget.Group.usual
    /// Whether it goes to the App Store Server API, with a token.
    var needsToken = true
    /// Whether doing it twice does no more than doing it once.
    var isHarmlessTwice = true

    init(_ name: String, _ method: HTTPMethod, _ path: String) {
        self.name = name
        self.method = method
        self.path = path
    }

    /// The request without its token.
    func request(base: String) -> HTTPRequest {
        var target = base + path
        if !query.all.isEmpty { target += "?" + query.encoded }
        var request = HTTPRequest(method: method, target: target, body: body ?? Data())
        request.fields["Accept"] = "application/json"
        if body != nil { request.fields["Content-Type"] = "application/json" }
        return request
    }
}

/// Why an attempt brought nothing, and whether another may.
struct CallFailure: Error {
    /// When another attempt makes sense.
    enum Again {
        /// Never.
        case never
        /// After a pause: nothing was done.
        case always
        /// After a pause, unless doing it twice does harm: it may have been done.
        case ifHarmless
        /// At once, with a new token.
        case withNewToken
        /// When everybody may go again, so many milliseconds from now where Apple said when.
        case afterRatePause(Int64?)
    }

    var error: AppStoreClientError
    let again: Again

    init(_ error: AppStoreClientError, _ again: Again) {
        self.error = error
        self.again = again
    }
}
