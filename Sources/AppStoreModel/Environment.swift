/// Where a purchase was made: the one type in which all of Apple's spellings end.
///
/// Receipts say `ProductionSandbox` or `ProductionVPP`, version 1 notifications say `PROD`,
/// everything else `Production`, `Sandbox`, `Xcode` or `LocalTesting`.
public struct AppStoreEnvironment: OpenText {
    /// Apple's spelling in signed transactions, or an unknown word as it came.
    public let rawValue: String

    /// Takes any spelling of any of Apple's documents; an unknown one stays as it is.
    public init(rawValue: String) {
        self.rawValue = Self.canonical[rawValue] ?? rawValue
    }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// Apple's sandbox, TestFlight and App Review included.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// StoreKit Testing in Xcode: signed by a key that lies on the developer's machine.
    public static let xcode = Self(rawValue: "Xcode")
    /// Apple's local testing of server libraries.
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// Whether it is one of the four that Apple has named.
    public var isKnown: Bool {
        self == .production || self == .sandbox || self == .xcode || self == .localTesting
    }

    /// The spelling of version 1 notifications.
    public var versionOneSpelling: String { self == .production ? "PROD" : rawValue }

    private static let canonical: [String: String] = [
        "PROD": "Production", "Prod": "Production", "production": "Production",
        "PRODUCTION": "Production", "ProductionVPP": "Production",
        "ProductionSandbox": "Sandbox", "ProductionVPPSandbox": "Sandbox",
        "SANDBOX": "Sandbox", "sandbox": "Sandbox",
        "xcode": "Xcode", "XCODE": "Xcode",
        "LOCAL_TESTING": "LocalTesting", "localTesting": "LocalTesting",
    ]
}

/// What attribute 0 of an app receipt says: the environment, and whether the app came by volume purchase.
public struct ReceiptType: OpenText {
    /// The word as the receipt has it.
    public let rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought in the App Store.
    public static let production = Self(rawValue: "Production")
    /// Bought in the App Store by volume purchase.
    public static let productionVPP = Self(rawValue: "ProductionVPP")
    /// Apple's sandbox.
    public static let productionSandbox = Self(rawValue: "ProductionSandbox")
    /// Volume purchase in Apple's sandbox.
    public static let productionVPPSandbox = Self(rawValue: "ProductionVPPSandbox")
    /// StoreKit Testing in Xcode.
    public static let xcode = Self(rawValue: "Xcode")

    /// The environment that the word stands for.
    public var environment: AppStoreEnvironment { AppStoreEnvironment(rawValue: rawValue) }
    /// Whether it says that an organisation bought the app.
    public var isVolumePurchase: Bool { self == .productionVPP || self == .productionVPPSandbox }
}
