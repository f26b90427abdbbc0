import Foundation

/// The checkout that these tests were built from.
enum Checkout {
    /// The folder with `Package.swift`.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every file below `folder` whose name ends with `suffix`, as paths relative to the root.
    static func files(below folder: String, endingWith suffix: String) -> [String] {
        let top = root.appending(path: folder)
        guard let walk = FileManager.default.enumerator(atPath: top.path) else { return [] }
        var found: [String] = []
        for case let path as String in walk {
            guard !path.hasPrefix(".build"), !path.hasPrefix(".git/"), !path.hasPrefix(".venv"),
                path.hasSuffix(suffix)
            else { continue }
            found.append(folder == "." ? path : "\(folder)/\(path)")
        }
        return found.sorted()
    }

    /// The text of a file, by its path relative to the root.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
