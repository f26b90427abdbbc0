public import HTTPMessage

/// Asks Apple's servers for one app: the App Store Server API and `verifyReceipt`.
///
/// It only asks. What comes back signed is handed on as it came, in types that say that nobody has checked it;
/// a verifier of `AppStoreTrust` does that. It decides nothing about goods.
public struct AppStoreClient: Sendable {
    let transport: Transport

    /// Makes a client; one for each app is enough, however many tasks use it.
    ///
    /// - Parameters:
    ///   - configuration: Whom to ask, and as whom.
    ///   - fetcher: What carries requests out.
    ///   - budget: How often Apple may be asked; to be shared where several clients ask for one app.
    ///   - surroundings: Clocks, pauses and randomness.
    /// - Throws: `invalidConfiguration`, naming the settings to correct.
    public init(
        _ configuration: Configuration, fetcher: any HTTPFetching,
        budget: RateBudget = RateBudget(), surroundings: Surroundings = .system
    ) throws(AppStoreClientError) {
        let checked = try configuration.checked()
        var tokens: TokenMaker?
        if let key = checked.serverKey {
            tokens = try TokenMaker(key, bundleID: checked.bundleID)
        }
        transport = Transport(
            configuration: checked, fetcher: fetcher, surroundings: surroundings, budget: budget,
            tokens: tokens)
    }

    /// What the client was told, its addresses in their final form.
    public var configuration: Configuration { transport.configuration }
}
