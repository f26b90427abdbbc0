public import AppStoreModel

/// Who gets goods, in a book apart, for what another environment signed.
public struct Testers: Sendable, Hashable {
    /// The customers.
    public var customers: Set<CustomerID>
    /// Until when everybody does so in the sandbox, since App Review looks at the app; nil for no time.
    public var appReviewUntil: Timestamp?

    /// Names them.
    public init(customers: Set<CustomerID> = [], appReviewUntil: Timestamp? = nil) {
        self.customers = customers
        self.appReviewUntil = appReviewUntil
    }
}

extension AppRules {
    /// Whether a proof of an environment is recorded at all; of others than Apple's only where it is listed.
    func records(_ environment: AppStoreEnvironment) -> Bool {
        if environments.contains(environment) { return true }
        guard environment == .production || environment == .sandbox else { return false }
        return otherEnvironments != .refuse
    }

    /// Whether what an environment signs is handed out to a customer.
    ///
    /// - Parameters:
    ///   - environment: Who signed.
    ///   - customer: Who would get it; nil while nobody claims it, who then may turn out to be a tester.
    ///   - names: The customer's other names.
    ///   - now: The moment, for the time of App Review.
    /// - Returns: Whether it may be handed out.
    func grants(
        _ environment: AppStoreEnvironment, to customer: CustomerID?, names: CustomerNames,
        at now: Timestamp
    ) -> Bool {
        if environments.contains(environment) { return true }
        guard case .testers(let testers) = otherEnvironments else { return false }
        if environment == .sandbox, let end = testers.appReviewUntil, now < end { return true }
        guard let customer else { return true }
        return testers.customers.contains { names.isSame($0, customer) }
    }
}
