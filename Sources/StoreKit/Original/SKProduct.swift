public import Foundation

/// What the App Store tells of a product.
open class SKProduct: NSObject, @unchecked Sendable {
    /// The unit of a subscription period.
    public enum PeriodUnit: UInt, Sendable {
        /// Days.
        case day = 0
        /// Weeks of seven days.
        case week = 1
        /// Calendar months.
        case month = 2
        /// Calendar years.
        case year = 3
    }

    /// The App Store's words about a product.
    struct Listing: Sendable {
        var productIdentifier = ""
        var localizedTitle = ""
        var localizedDescription = ""
        var price = Decimal.zero
        var priceLocale = Locale.current
        var isFamilyShareable = false
        var subscriptionGroupIdentifier: String?
    }

    // Immutable, which is the proof for `@unchecked`.
    private let listing: Listing
    private let period: SKProductSubscriptionPeriod?
    private let introductory: SKProductDiscount?
    private let promotional: [SKProductDiscount]

    /// Makes an empty product, for subclasses in tests.
    public override init() {
        listing = Listing()
        period = nil
        introductory = nil
        promotional = []
        super.init()
    }

    init(
        listing: Listing, period: SKProductSubscriptionPeriod?, introductory: SKProductDiscount?,
        promotional: [SKProductDiscount]
    ) {
        self.listing = listing
        self.period = period
        self.introductory = introductory
        self.promotional = promotional
        super.init()
    }

    /// The description in the storefront's language.
    open var localizedDescription: String { listing.localizedDescription }
    /// The name in the storefront's language.
    open var localizedTitle: String { listing.localizedTitle }
    /// The price in the currency of ``priceLocale``.
    open var price: NSDecimalNumber { NSDecimalNumber(decimal: listing.price) }
    /// The locale with which to write the price.
    open var priceLocale: Locale { listing.priceLocale }
    /// The product's name.
    open var productIdentifier: String { listing.productIdentifier }
    /// Whether a family may share it.
    open var isFamilyShareable: Bool { listing.isFamilyShareable }
    /// The period of a subscription that renews.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? { period }
    /// The introductory offer.
    open var introductoryPrice: SKProductDiscount? { introductory }
    /// The group of a subscription that renews.
    open var subscriptionGroupIdentifier: String? { listing.subscriptionGroupIdentifier }
    /// The promotional offers.
    open var discounts: [SKProductDiscount] { promotional }
    /// Whether the App Store hosts content for it, which the local store never does.
    open var isDownloadable: Bool { false }
    /// The sizes of hosted content.
    open var downloadContentLengths: [NSNumber] { [] }
    /// The version of hosted content.
    open var downloadContentVersion: String { "" }
}

/// How long a subscription's period is.
open class SKProductSubscriptionPeriod: NSObject, @unchecked Sendable {
    // Immutable, which is the proof for `@unchecked`.
    private let length: (count: Int, unit: SKProduct.PeriodUnit)

    /// Makes an empty period, for subclasses in tests.
    public override init() {
        length = (0, .day)
        super.init()
    }

    init(count: Int, unit: SKProduct.PeriodUnit) {
        length = (count, unit)
        super.init()
    }

    /// How many units.
    open var numberOfUnits: Int { length.count }
    /// The unit.
    open var unit: SKProduct.PeriodUnit { length.unit }

    /// Compares lengths.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKProductSubscriptionPeriod else { return false }
        return numberOfUnits == other.numberOfUnits && unit == other.unit
    }

    /// Agrees with ``isEqual(_:)``.
    open override var hash: Int { numberOfUnits &* 31 &+ Int(unit.rawValue) }
}

/// An introductory or promotional offer of a subscription.
open class SKProductDiscount: NSObject, @unchecked Sendable {
    /// How an offer is paid.
    public enum PaymentMode: UInt, Sendable {
        /// Each period for itself.
        case payAsYouGo = 0
        /// All periods at once.
        case payUpFront = 1
        /// Not at all.
        case freeTrial = 2
    }

    /// Whom an offer is for.
    public enum `Type`: UInt, Sendable {
        /// Those who have never had one in the group.
        case introductory = 0
        /// Those who have subscribed before.
        case subscription = 1
    }

    struct Terms: Sendable {
        var identifier: String?
        var type = Type.introductory
        var price = Decimal.zero
        var priceLocale = Locale.current
        var numberOfPeriods = 0
        var paymentMode = PaymentMode.payAsYouGo
    }

    // Immutable, which is the proof for `@unchecked`.
    private let terms: Terms
    private let period: SKProductSubscriptionPeriod

    /// Makes an empty offer, for subclasses in tests.
    public override init() {
        terms = Terms()
        period = SKProductSubscriptionPeriod()
        super.init()
    }

    init(terms: Terms, period: SKProductSubscriptionPeriod) {
        self.terms = terms
        self.period = period
        super.init()
    }

    /// The offer's name; an introductory one has none.
    open var identifier: String? { terms.identifier }
    /// Whom it is for.
    open var type: SKProductDiscount.`Type` { terms.type }
    /// The price in the currency of ``priceLocale``.
    open var price: NSDecimalNumber { NSDecimalNumber(decimal: terms.price) }
    /// The locale with which to write the price.
    open var priceLocale: Locale { terms.priceLocale }
    /// How long one period of the offer is.
    open var subscriptionPeriod: SKProductSubscriptionPeriod { period }
    /// For how many periods it holds.
    open var numberOfPeriods: Int { terms.numberOfPeriods }
    /// How it is paid.
    open var paymentMode: SKProductDiscount.PaymentMode { terms.paymentMode }
}

/// The country whose App Store the device uses.
open class SKStorefront: NSObject, @unchecked Sendable {
    // Immutable, which is the proof for `@unchecked`.
    private let place: (country: String, identifier: String)

    /// Makes an empty storefront, for subclasses in tests.
    public override init() {
        place = ("", "")
        super.init()
    }

    init(countryCode: String, identifier: String) {
        place = (countryCode, identifier)
        super.init()
    }

    /// The country in three letters (ISO 3166-1 alpha-3).
    open var countryCode: String { place.country }
    /// Apple's number of the storefront.
    open var identifier: String { place.identifier }
}

extension Notification.Name {
    /// Posted when the storefront's country changed; from StoreKit's part about Apple Music.
    public static let SKStorefrontCountryCodeDidChange = Notification.Name(
        "SKStorefrontCountryCodeDidChangeNotification")
    /// Posted when the storefront's identifier changed; from StoreKit's part about Apple Music.
    public static let SKStorefrontIdentifierDidChange = Notification.Name(
        "SKStorefrontIdentifierDidChangeNotification")
}
