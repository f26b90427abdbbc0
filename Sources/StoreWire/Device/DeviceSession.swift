public import AppStoreModel

/// What an app's process says to the store when it starts.
public struct LaunchRequest: Codable, Sendable, Hashable {
    /// The name that an earlier launch was given; without one the store makes a new device.
    public var deviceID: DeviceID?
    /// The app; the store's own app when left out.
    public var bundleID: BundleID?
    /// Sandbox or production; the answering port's own when left out.
    public var environment: AppStoreEnvironment?
    /// The Apple account to sign in; the one signed in before when left out.
    public var accountID: AccountID?
    /// `iOS`, `macOS`, `tvOS` or `visionOS`; `iOS` when left out.
    public var platform: String?
    /// The app's build number, as it is to stand in receipts.
    public var appVersion: String?
    /// The wanted language of product texts, as `en_US`.
    public var locale: String?
    /// The `identifierForVendor` as a UUID, which goes into the receipt's device hash.
    public var vendorID: String?

    /// Makes the value out of its fields.
    public init(
        deviceID: DeviceID? = nil, bundleID: BundleID? = nil,
        environment:
            AppStoreEnvironment? = nil, accountID: AccountID? = nil, platform: String? = nil,
        appVersion: String? = nil, locale: String? = nil, vendorID: String? = nil
    ) {
        self.deviceID = deviceID
        self.bundleID = bundleID
        self.environment = environment
        self.accountID = accountID
        self.platform = platform
        self.appVersion = appVersion
        self.locale = locale
        self.vendorID = vendorID
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case bundleID = "bundleId"
        case environment
        case accountID = "accountId"
        case platform
        case appVersion
        case locale
        case vendorID = "vendorId"
    }
}

/// How a device stands: who is signed in, where, and what it may do.
public struct DeviceSession: Codable, Sendable, Hashable {
    /// The device's name; every later path carries it.
    public var deviceID: DeviceID
    /// The only environment that this device buys in.
    public var environment: AppStoreEnvironment
    /// The app.
    public var bundleID: BundleID
    /// The app's number; absent outside production.
    public var appAppleID: Int64?
    /// The Apple account; nothing when signed out.
    public var accountID: AccountID?
    /// False under a restriction; every purchase then fails.
    public var canMakePayments: Bool
    /// The account's storefront.
    public var storefront: WireStorefront
    /// The language of product texts.
    public var locale: String
    /// The device's platform.
    public var platform: String
    /// The app's build number.
    public var appVersion: String
    /// The UUID in the receipt's device hash.
    public var vendorID: String
    /// The UUID that StoreKit 2 binds its transactions to.
    public var deviceVerificationID: String
    /// Whether the app has a receipt file already.
    public var hasReceipt: Bool
    /// The position in the event stream: ask for events after it.
    public var cursor: Int64
    /// The store's clock.
    public var now: Timestamp
    /// The case of `VerificationError` with which the device's own check of signed data is made to fail.
    public var verificationFailure: String?

    /// Makes the value out of its fields.
    public init(
        deviceID: DeviceID, environment: AppStoreEnvironment, bundleID: BundleID,
        appAppleID: Int64? = nil, accountID: AccountID? = nil, canMakePayments: Bool,
        storefront: WireStorefront, locale: String, platform: String, appVersion: String,
        vendorID: String, deviceVerificationID: String, hasReceipt: Bool, cursor: Int64,
        now: Timestamp, verificationFailure: String? = nil
    ) {
        self.deviceID = deviceID
        self.environment = environment
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.accountID = accountID
        self.canMakePayments = canMakePayments
        self.storefront = storefront
        self.locale = locale
        self.platform = platform
        self.appVersion = appVersion
        self.vendorID = vendorID
        self.deviceVerificationID = deviceVerificationID
        self.hasReceipt = hasReceipt
        self.cursor = cursor
        self.now = now
        self.verificationFailure = verificationFailure
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case environment
        case bundleID = "bundleId"
        case appAppleID = "appAppleId"
        case accountID = "accountId"
        case canMakePayments
        case storefront
        case locale
        case platform
        case appVersion
        case vendorID = "vendorId"
        case deviceVerificationID = "deviceVerificationId"
        case hasReceipt
        case cursor
        case now
        case verificationFailure
    }
}

/// A country's store.
public struct WireStorefront: Codable, Sendable, Hashable {
    /// ISO 3166-1 alpha-3, as `USA`.
    public var countryCode: String
    /// Apple's number of the storefront, as `143441`.
    public var id: String
    /// ISO 4217, as `USD`.
    public var currency: String

    /// Makes the value out of its fields.
    public init(
        countryCode: String, id: String, currency: String
    ) {
        self.countryCode = countryCode
        self.id = id
        self.currency = currency
    }
}
