import AppStoreModel
public import Foundation

extension Transaction {
    /// What the app's server signed for a purchase of a generic product.
    public struct AdvancedCommerceInfo: Hashable, Sendable {
        /// The name of the server's request.
        public let requestReferenceID: String
        /// Apple's code of the tax category.
        public let taxCode: String
        /// The part of the price that is tax, 0 to 1.
        public let taxRate: Decimal
        /// The price without tax.
        public let taxExclusivePrice: Decimal
        /// The tax as it was estimated.
        public let estimatedTax: Decimal
        /// The subscription's name for people.
        public let displayName: String?
        /// The subscription's description for people.
        public let description: String?
        /// The subscription's period.
        public let period: Product.SubscriptionPeriod?
        /// What was bought.
        public let items: [Item]

        /// One thing that was bought.
        public struct Item: Hashable, Sendable {
            /// What it is.
            public let details: Details
            /// What was paid back.
            public let refunds: [Refund]?
            /// When it was taken back.
            public let revocationDate: Date?
        }

        /// What a thing is.
        public struct Details: Hashable, Sendable {
            /// The app's own name of it.
            public let sku: String
            /// Its name for people.
            public let displayName: String
            /// Its description for people.
            public let description: String
            /// Its price.
            public let price: Decimal
            /// The offer that applied.
            public let offer: Offer?
        }

        /// A reduced price for a while.
        public struct Offer: Hashable, Sendable {
            /// Why it is offered.
            public struct Reason: RawRepresentable, Hashable, Sendable {
                /// The App Store's word.
                public let rawValue: String
                /// Takes any word.
                public init(rawValue: String) { self.rawValue = rawValue }

                /// To win a customer.
                public static let acquisition = Reason(rawValue: "ACQUISITION")
                /// To keep a customer.
                public static let retention = Reason(rawValue: "RETENTION")
                /// To win a customer back.
                public static let winBack = Reason(rawValue: "WIN_BACK")
            }

            /// The reduced price.
            public let price: Decimal
            /// How long one period of the offer is.
            public let period: Product.SubscriptionPeriod?
            /// For how many periods it holds.
            public let periodCount: Int
            /// Why it is offered.
            public let reason: Reason
        }

        /// Money that was paid back.
        public struct Refund: Hashable, Sendable {
            /// How much of the price.
            public struct Kind: RawRepresentable, Hashable, Sendable {
                /// The App Store's word.
                public let rawValue: String
                /// Takes any word.
                public init(rawValue: String) { self.rawValue = rawValue }

                /// All of it.
                public static let full = Kind(rawValue: "FULL")
                /// What was not used.
                public static let proRated = Kind(rawValue: "PRORATED")
                /// What the server said.
                public static let custom = Kind(rawValue: "CUSTOM")
            }

            /// Why it was paid back.
            public struct Reason: RawRepresentable, Hashable, Sendable {
                /// The App Store's word.
                public let rawValue: String
                /// Takes any word.
                public init(rawValue: String) { self.rawValue = rawValue }

                /// The law asked for it.
                public static let legal = Reason(rawValue: "LEGAL")
                /// The things that were bought changed.
                public static let modifyItems = Reason(rawValue: "MODIFY_ITEMS_REFUND")
                /// Another reason.
                public static let other = Reason(rawValue: "OTHER")
                /// It was not delivered.
                public static let unfulfilled = Reason(rawValue: "UNFULFILLED")
                /// It was bought by mistake.
                public static let unintended = Reason(rawValue: "UNINTENDED_PURCHASE")
                /// The customer did not like it.
                public static let unsatisfied = Reason(rawValue: "UNSATISFIED_WITH_PURCHASE")
            }

            /// How much.
            public let amount: Decimal
            /// When.
            public let date: Date
            /// How much of the price.
            public let type: Kind
            /// Why.
            public let reason: Reason
        }
    }
}

extension Product.SubscriptionInfo.RenewalInfo {
    /// What the app's server signed for the next renewal of a generic product.
    public struct AdvancedCommerceInfo: Hashable, Sendable {
        /// Ties the server's next request to this state.
        public let consistencyToken: String
        /// The name of the server's request.
        public let requestReferenceID: String
        /// Apple's code of the tax category.
        public let taxCode: String
        /// The subscription's name for people.
        public let displayName: String
        /// The subscription's description for people.
        public let description: String
        /// The subscription's period.
        public let period: Product.SubscriptionPeriod?
        /// What will be renewed.
        public let items: [Transaction.AdvancedCommerceInfo.Details]
    }
}

// Out of signed payloads; what Apple always signs and is missing there leaves an empty text or zero.

extension JSONValue {
    fileprivate func text(_ name: String) -> String { self[name]?.string ?? "" }

    fileprivate func money(_ name: String) -> Decimal {
        Decimal(milliunits: self[name]?.integer ?? 0)
    }

    fileprivate func list(_ name: String) -> [JSONValue] {
        guard case .array(let list) = self[name] else { return [] }
        return list
    }

    fileprivate func period(_ name: String) -> Product.SubscriptionPeriod? {
        self[name]?.string.flatMap { Product.SubscriptionPeriod(iso8601: $0) }
    }

    fileprivate func moment(_ name: String) -> Date? {
        self[name]?.integer.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }
}

extension Transaction.AdvancedCommerceInfo {
    init(_ json: JSONValue) {
        requestReferenceID = json.text("requestReferenceId")
        taxCode = json.text("taxCode")
        taxRate = Decimal(string: json.text("taxRate")) ?? 0
        taxExclusivePrice = json.money("taxExclusivePrice")
        estimatedTax = json.money("estimatedTax")
        displayName = json["displayName"]?.string
        description = json["description"]?.string
        period = json.period("period")
        items = json.list("items").map { item in
            Item(
                details: Details(item),
                refunds: item["refunds"].map { _ in item.list("refunds").map { Refund($0) } },
                revocationDate: item.moment("revocationDate"))
        }
    }
}

extension Transaction.AdvancedCommerceInfo.Details {
    init(_ json: JSONValue) {
        sku = json.text("SKU")
        displayName = json.text("displayName")
        description = json.text("description")
        price = json.money("price")
        offer = json["offer"].map { offer in
            .init(
                price: offer.money("price"), period: offer.period("period"),
                periodCount: Int(clamping: offer["periodCount"]?.integer ?? 0),
                reason: .init(rawValue: offer.text("reason")))
        }
    }
}

extension Transaction.AdvancedCommerceInfo.Refund {
    init(_ json: JSONValue) {
        amount = json.money("refundAmount")
        date = json.moment("refundDate") ?? Date(timeIntervalSince1970: 0)
        type = Kind(rawValue: json.text("refundType"))
        reason = Reason(rawValue: json.text("refundReason"))
    }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo {
    init(_ json: JSONValue) {
        consistencyToken = json.text("consistencyToken")
        requestReferenceID = json.text("requestReferenceId")
        taxCode = json.text("taxCode")
        displayName = json.text("displayName")
        description = json.text("description")
        period = json.period("period")
        items = json.list("items").map { .init($0) }
    }
}
