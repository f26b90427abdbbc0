public import Foundation

extension Product {
    /// A reduced price of a subscription for a while.
    public struct SubscriptionOffer: Hashable, Sendable {
        /// Whom an offer is for.
        public struct OfferType: RawRepresentable, Hashable, Sendable {
            /// The word.
            public let rawValue: String
            /// Takes any word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// New subscribers.
            public static let introductory = OfferType(rawValue: "Introductory")
            /// Whom the app's server signs it for.
            public static let promotional = OfferType(rawValue: "Promotional")
            /// Subscribers who left.
            public static let winBack = OfferType(rawValue: "WinBack")

            /// The word for people.
            public var localizedDescription: String { rawValue }
        }

        /// How an offer is paid.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            /// The word.
            public let rawValue: String
            /// Takes any word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Each period for itself.
            public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
            /// All periods at once.
            public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
            /// Not at all.
            public static let freeTrial = PaymentMode(rawValue: "FreeTrial")

            /// The word for people.
            public var localizedDescription: String { rawValue }
        }

        /// What the app's server signed for a promotional offer.
        public struct Signature: Hashable, Sendable {
            /// The name of the key that signed.
            public var keyID: String
            /// The one-time number of the signature.
            public var nonce: UUID
            /// When it was signed, in milliseconds since 1970.
            public var timestamp: Int
            /// The signature's DER bytes.
            public var signature: Data

            /// Takes the parts.
            public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
                self.keyID = keyID
                self.nonce = nonce
                self.timestamp = timestamp
                self.signature = signature
            }
        }

        /// The offer's name; an introductory one has none.
        public let id: String?
        /// Whom it is for.
        public let type: OfferType
        /// The amount in the storefront's currency.
        public let price: Decimal
        /// The price as people write it there.
        public let displayPrice: String
        /// How long one period of the offer is.
        public let period: SubscriptionPeriod
        /// For how many periods it holds.
        public let periodCount: Int
        /// How it is paid.
        public let paymentMode: PaymentMode
    }
}
