/// What the server answers to a notification of the App Store, which reads nothing but the status.
public struct NotificationResponse: Sendable, Hashable, Codable {
    /// The notification's name.
    public var notificationUUID: String
    /// What it came to when it was recorded.
    public var effect: String
    /// Whether it had been recorded before.
    public var isRepeated: Bool

    /// Makes a response.
    public init(notificationUUID: String, effect: String, isRepeated: Bool) {
        self.notificationUUID = notificationUUID
        self.effect = effect
        self.isRepeated = isRepeated
    }

    private enum CodingKeys: String, CodingKey {
        case notificationUUID
        case effect
        case isRepeated = "repeated"
    }
}
