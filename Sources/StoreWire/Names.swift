public import AppStoreModel

/// Names one installed app on one device of the local store.
public struct DeviceID: AppStoreIdentifier {
    /// A UUID that the store made, or any name that the control API gave.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}

/// Names an Apple account of the local store; an account belongs to one environment.
public struct AccountID: AppStoreIdentifier {
    /// The account's short name, as `default` or `anna`.
    public let rawValue: String
    /// Takes the text as it is.
    public init(_ text: String) { rawValue = text }
}
