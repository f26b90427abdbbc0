import AppStoreModel
import HTTPMessage
import HTTPServer

/// The app that a port answers for.
struct AppIdentity: Sendable {
    let bundleID: BundleID
    /// Told in production alone.
    let appleID: Int64?
}

extension LocalStore {
    func identity(in environment: AppStoreEnvironment) -> AppIdentity {
        AppIdentity(
            bundleID: state.app.bundleID,
            appleID: environment == .production ? state.app.appleID : nil)
    }
}

/// Apple's App Store Server API under Apple's own paths.
extension StoreRoutes {
    mutating func addServerAPI() {
        let check = BearerCheck(store.keys)
        let limiter = RateLimiter(environment: environment)
        addTransactionCalls(check, limiter)
        addSubscriptionCalls(check, limiter)
        addNotificationCalls(check, limiter)
        addConsumptionCalls(check, limiter)
    }

    /// Adds a call that needs a token and has a budget; errors become Apple's envelope.
    mutating func server(
        _ method: HTTPMethod, _ path: String, _ check: BearerCheck, _ limiter: RateLimiter,
        _ group: RateGroup?,
        _ work: @escaping @Sendable (ServerCall) async throws -> HTTPResponse
    ) {
        let (store, environment) = (store, environment)
        apple(method, path) { request, context in
            let now = store.wall()
            let bundleID = await store.identity(in: environment).bundleID
            guard check.accepts(request.fields["Authorization"], for: bundleID, at: now) else {
                return AppleAnswer.unauthenticated
            }
            if let group, let next = limiter.count(group, at: now) {
                return AppleAnswer.rateLimited(until: next)
            }
            do {
                return try await work(
                    ServerCall(request: request, context: context, environment: environment))
            } catch let error as AppleErrorCode {
                return AppleAnswer.error(error.code)
            } catch {
                return AppleAnswer.error(.generalInternal)
            }
        }
    }
}
