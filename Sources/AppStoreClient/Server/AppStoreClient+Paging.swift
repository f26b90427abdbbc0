public import AppStoreModel

extension AppStoreClient {
    /// The most pages that are read in one go; 20 items a page.
    public static let pageLimit = 10_000

    /// Everything that a customer bought, page by page.
    ///
    /// - Parameters:
    ///   - id: Any of the customer's transactions.
    ///   - filter: Which ones.
    ///   - revision: One that was kept, to hear only of what has changed since.
    ///   - environment: Where they were made; `nil` where nobody knows.
    ///   - take: Takes a page, and says whether to go on.
    /// - Returns: The last revision, to be kept.
    /// - Throws: ``AppStoreClientError``, or what `take` throws.
    @discardableResult
    public func eachHistoryPage(
        of id: TransactionID, _ filter: HistoryFilter = HistoryFilter(),
        after revision: String? = nil, in environment: AppStoreEnvironment? = nil,
        _ take: (AppStoreAnswer<UnverifiedTransactionPage>) async throws -> Bool
    ) async throws -> String? {
        var known = environment
        return try await pages(after: revision) { cursor throws(AppStoreClientError) in
            let page = try await transactionHistory(of: id, filter, after: cursor, in: known)
            known = page.environment
            return page
        } _: {
            try await take($0)
        }
    }

    /// Everything that was paid back to a customer, page by page; as ``eachHistoryPage(of:_:after:in:_:)``.
    @discardableResult
    public func eachRefundPage(
        of id: TransactionID, after revision: String? = nil,
        in environment: AppStoreEnvironment? = nil,
        _ take: (AppStoreAnswer<UnverifiedTransactionPage>) async throws -> Bool
    ) async throws -> String? {
        var known = environment
        return try await pages(after: revision) { cursor throws(AppStoreClientError) in
            let page = try await refundHistory(of: id, after: cursor, in: known)
            known = page.environment
            return page
        } _: {
            try await take($0)
        }
    }

    /// Every notification of a time, page by page.
    ///
    /// - Parameters:
    ///   - request: Which ones.
    ///   - environment: Whose.
    ///   - take: Takes a page, and says whether to go on.
    /// - Throws: ``AppStoreClientError``, or what `take` throws.
    public func eachNotificationPage(
        _ request: NotificationHistoryRequest, in environment: AppStoreEnvironment,
        _ take: (AppStoreAnswer<UnverifiedNotificationPage>) async throws -> Bool
    ) async throws {
        _ = try await pages(after: nil) { cursor throws(AppStoreClientError) in
            try await notificationHistory(request, after: cursor, in: environment)
        } _: {
            try await take($0)
        }
    }

    /// Goes from page to page; pages that lead nowhere end in an error instead of a circle.
    private func pages<Page: AnswerPage>(
        after start: String?,
        _ fetch: (String?) async throws(AppStoreClientError) -> AppStoreAnswer<Page>,
        _ take: (AppStoreAnswer<Page>) async throws -> Bool
    ) async throws -> String? {
        var cursor = start
        var seen: Set<String> = []
        for _ in 0..<Self.pageLimit {
            let page = try await fetch(cursor)
            guard try await take(page), page.content.hasMore else {
                return page.content.next ?? cursor
            }
            guard let next = page.content.next, next != cursor, seen.insert(next).inserted else {
                throw AppStoreClientError(
                    .unreadableAnswer, .retry(notBefore: nil), "the pages do not go on",
                    environment: page.environment)
            }
            cursor = next
        }
        throw AppStoreClientError(
            .answerTooLarge, .configuration([.limits]), "more than \(Self.pageLimit) pages")
    }
}
