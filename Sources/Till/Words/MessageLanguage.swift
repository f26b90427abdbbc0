/// The languages that Till speaks to people.
public enum MessageLanguage: String, Sendable, Hashable, CaseIterable {
    /// English.
    case english
    /// Simplified Chinese.
    case simplifiedChinese

    /// The first of the person's languages that Till speaks; English when it speaks none of them.
    ///
    /// Traditional Chinese readers get simplified characters rather than English.
    public static func preferred(among languages: [String]) -> MessageLanguage {
        for language in languages {
            let lowered = language.lowercased()
            if lowered == "zh" || lowered.hasPrefix("zh-") || lowered.hasPrefix("zh_") {
                return .simplifiedChinese
            }
            if lowered == "en" || lowered.hasPrefix("en-") || lowered.hasPrefix("en_") {
                return .english
            }
        }
        return .english
    }
}
