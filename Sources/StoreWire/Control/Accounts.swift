public import AppStoreModel

/// An Apple account.
public struct AccountInfo: Codable, Sendable, Hashable {
    /// Its name.
    public var accountID: AccountID
    /// The only environment that it buys in.
    public var environment: AppStoreEnvironment
    /// Its country's store.
    public var storefront: WireStorefront
    /// False under a restriction.
    public var canMakePayments: Bool
    /// A child's account: purchases wait for approval.
    public var asksToBuy: Bool
    /// Payments need something done first.
    public var interruptsPurchases: Bool
    /// Renewals cannot be paid.
    public var billingFails: Bool
    /// Its own rate of renewals, when it is not the environment's.
    public var renewalRate: String?
    /// The organizer of its family.
    public var familyOrganizer: AccountID?
    /// Where it is signed in.
    public var devices: [DeviceID]
    /// The name of its own copy of the app, once it has one.
    public var appTransactionID: TransactionID?

    /// Makes the value out of its fields.
    public init(
        accountID: AccountID, environment: AppStoreEnvironment,
        storefront:
            WireStorefront, canMakePayments: Bool, asksToBuy: Bool, interruptsPurchases: Bool,
        billingFails: Bool, renewalRate: String? = nil, familyOrganizer: AccountID? = nil,
        devices: [DeviceID], appTransactionID: TransactionID? = nil
    ) {
        self.accountID = accountID
        self.environment = environment
        self.storefront = storefront
        self.canMakePayments = canMakePayments
        self.asksToBuy = asksToBuy
        self.interruptsPurchases = interruptsPurchases
        self.billingFails = billingFails
        self.renewalRate = renewalRate
        self.familyOrganizer = familyOrganizer
        self.devices = devices
        self.appTransactionID = appTransactionID
    }

    private enum CodingKeys: String, CodingKey {
        case accountID = "accountId"
        case environment
        case storefront
        case canMakePayments
        case asksToBuy
        case interruptsPurchases
        case billingFails
        case renewalRate
        case familyOrganizer
        case devices
        case appTransactionID = "appTransactionId"
    }
}

/// A new account, or changes to one; what is left out stays or is usual.
public struct AccountRequest: Codable, Sendable, Hashable {
    /// Its name; made up for a new one when left out.
    public var accountID: AccountID?
    /// Sandbox when left out; fixed for ever.
    public var environment: AppStoreEnvironment?
    /// ISO 3166-1 alpha-3.
    public var storefront: String?
    /// False under a restriction.
    public var canMakePayments: Bool?
    /// Purchases wait for approval.
    public var asksToBuy: Bool?
    /// Payments need something done first.
    public var interruptsPurchases: Bool?
    /// Renewals cannot be paid.
    public var billingFails: Bool?
    /// A named rate; empty for the environment's.
    public var renewalRate: String?

    /// Makes the value out of its fields.
    public init(
        accountID: AccountID? = nil, environment: AppStoreEnvironment? = nil,
        storefront:
            String? = nil, canMakePayments: Bool? = nil, asksToBuy: Bool? = nil,
        interruptsPurchases: Bool? = nil, billingFails: Bool? = nil, renewalRate: String? = nil
    ) {
        self.accountID = accountID
        self.environment = environment
        self.storefront = storefront
        self.canMakePayments = canMakePayments
        self.asksToBuy = asksToBuy
        self.interruptsPurchases = interruptsPurchases
        self.billingFails = billingFails
        self.renewalRate = renewalRate
    }

    private enum CodingKeys: String, CodingKey {
        case accountID = "accountId"
        case environment
        case storefront
        case canMakePayments
        case asksToBuy
        case interruptsPurchases
        case billingFails
        case renewalRate
    }
}

/// The accounts.
public struct AccountsResponse: Codable, Sendable, Hashable {
    /// In the order in which they were made.
    public var accounts: [AccountInfo]

    /// Makes the value out of its fields.
    public init(
        accounts: [AccountInfo]
    ) {
        self.accounts = accounts
    }
}

/// Puts accounts in a family, or takes them out.
public struct FamilyRequest: Codable, Sendable, Hashable {
    /// Whose purchases are shared.
    public var organizer: AccountID
    /// The others, five at the most; empty ends the family.
    public var members: [AccountID]

    /// Makes the value out of its fields.
    public init(
        organizer: AccountID, members: [AccountID]
    ) {
        self.organizer = organizer
        self.members = members
    }
}

/// A family.
public struct FamilyInfo: Codable, Sendable, Hashable {
    /// Whose purchases are shared.
    public var organizer: AccountID
    /// The others.
    public var members: [AccountID]

    /// Makes the value out of its fields.
    public init(
        organizer: AccountID, members: [AccountID]
    ) {
        self.organizer = organizer
        self.members = members
    }
}

/// The devices.
public struct DevicesResponse: Codable, Sendable, Hashable {
    /// In the order in which they first launched.
    public var devices: [DeviceSession]

    /// Makes the value out of its fields.
    public init(
        devices: [DeviceSession]
    ) {
        self.devices = devices
    }
}

/// Signs an account in on a device, or out.
public struct SignInRequest: Codable, Sendable, Hashable {
    /// Nothing to sign out.
    public var accountID: AccountID?

    /// Makes the value out of its fields.
    public init(
        accountID: AccountID? = nil
    ) {
        self.accountID = accountID
    }

    private enum CodingKeys: String, CodingKey {
        case accountID = "accountId"
    }
}
