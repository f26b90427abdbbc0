import Foundation

/// What the main bundle says of the app.
enum AppFacts {
    static var bundleID: String? { Bundle.main.bundleIdentifier }

    /// `CFBundleVersion`, which receipts of iOS name.
    static var version: String? {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String
    }

    /// The folder for what Till keeps, beside the app's other data.
    static func folder(for bundleID: String) -> String {
        let folders = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let top = folders.first?.path ?? NSTemporaryDirectory()
        return "\(top)/Till/\(bundleID)"
    }
}
