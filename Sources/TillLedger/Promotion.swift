public import AppStoreModel

/// Something that the backend lets a customer use without a purchase; never changed, at most ended.
public struct Promotion: Sendable, Hashable {
    /// The book, the customer and the grant's name.
    public let place: MovementPlace
    /// What the customer may use.
    public let entitlement: EntitlementName
    /// When it begins, by the server's clock.
    public let at: Timestamp
    /// When it ends; nil when it does not by itself.
    public let endsAt: Timestamp?
    /// Why it was given.
    public let reason: String

    /// Makes a promotional grant.
    public init(
        place: MovementPlace, entitlement: EntitlementName, at: Timestamp, endsAt: Timestamp?,
        reason: String
    ) {
        self.place = place
        self.entitlement = entitlement
        self.at = at
        self.endsAt = endsAt
        self.reason = reason
    }
}

/// A promotional grant and when it was ended early.
public struct PromotionFacts: Sendable, Hashable {
    /// The grant.
    public let promotion: Promotion
    /// When the backend ended it; nil when it did not.
    public var endedAt: Timestamp?

    /// Gathers the two.
    public init(promotion: Promotion, endedAt: Timestamp? = nil) {
        self.promotion = promotion
        self.endedAt = endedAt
    }

    /// When it stops giving anything; nil when never.
    public var end: Timestamp? {
        switch (promotion.endsAt, endedAt) {
        case (let end?, let ended?): min(end, ended)
        case (let end, let ended): end ?? ended
        }
    }
}

/// What became of a promotional grant.
public enum PromotionAnswer: Sendable, Hashable {
    /// It is recorded, now or by the same call before.
    case given(PromotionFacts)
    /// The name was used before for another one.
    case nameTaken
    /// It would end before it begins.
    case endsBeforeItBegins
}

extension Ledger {
    /// Lets a customer use something without a purchase; durable when this returns.
    ///
    /// The same request again answers as the first did.
    public func promote(_ promotion: Promotion) async throws(LedgerError) -> PromotionAnswer {
        var query = FactQuery()
        query.promotion = promotion.place
        return try await store.transact(reading: query) { snapshot in
            if let known = snapshot.promotion {
                let isSame =
                    known.promotion.entitlement == promotion.entitlement
                    && known.promotion.endsAt == promotion.endsAt
                return Decision(answer: isSame ? .given(known) : .nameTaken)
            }
            if let end = promotion.endsAt, end <= promotion.at {
                return Decision(answer: .endsBeforeItBegins)
            }
            let named = Promotion(
                place: snapshot.named(promotion.place), entitlement: promotion.entitlement,
                at: promotion.at, endsAt: promotion.endsAt, reason: promotion.reason)
            let decision = Decision<PromotionAnswer>(
                facts: [.promotion(named)],
                answer: .given(PromotionFacts(promotion: named)))
            return decision.telling(over: snapshot, under: catalog)
        }
    }

    /// Ends a promotional grant early; nil when there is none of that name.
    public func endPromotion(
        _ place: MovementPlace, now: Timestamp
    ) async throws(LedgerError) -> PromotionFacts? {
        var query = FactQuery()
        query.promotion = place
        return try await store.transact(reading: query) { snapshot in
            guard var known = snapshot.promotion else { return Decision(answer: nil) }
            if let end = known.end, end <= now { return Decision(answer: known) }
            known.endedAt = now
            let decision = Decision<PromotionFacts?>(
                facts: [.promotionEnded(known.promotion.place, at: now)], answer: known)
            return decision.telling(over: snapshot, under: catalog)
        }
    }
}
