import Foundation
import Testing

/// The SDK's sources against the list of Apple's API that they may use.
@Suite struct AppleAPITests {
    private static let rooms = ["Till", "HTTPMessage", "AppStoreModel", "TillAPI"]

    private struct Row {
        var iOS: Double
    }

    private func list() throws -> [String: Row] {
        let page = try String(
            contentsOf: Checkout.root.appendingPathComponent("docs/apple-api-used.md"),
            encoding: .utf8)
        var rows: [String: Row] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            rows[cells[0].replacingOccurrences(of: "`", with: "")] = Row(
                iOS: Double(cells[1]) ?? 0)
        }
        return rows
    }

    private func names() throws -> SourceNames {
        var names = SourceNames()
        for room in Self.rooms {
            for file in Checkout.swiftFiles(below: "Sources/\(room)") {
                names.read(try String(contentsOf: file, encoding: .utf8), of: file.path)
            }
        }
        return names
    }

    @Test func `no source uses a name that is not in the list, and no line of it is idle`() throws {
        let (list, names) = (try list(), try names())
        let used = names.foreign
        #expect(list.count > 200)
        for name in used.keys.sorted() where list[name] == nil {
            Issue.record("\(name) in \(used[name]?.first ?? "") is not in docs/apple-api-used.md")
        }
        for name in list.keys.sorted() where used[name] == nil {
            Issue.record("docs/apple-api-used.md lists \(name), which nothing uses")
        }
    }

    @Test func `what is newer than iOS 13 stands in files that guard it`() throws {
        let (list, names) = (try list(), try names())
        var checked = 0
        for (name, row) in list where row.iOS > 13 {
            for file in names.foreign[name] ?? [] {
                checked += 1
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(
                    SourceNames.newestGuard(in: text) >= row.iOS,
                    "\(name) needs iOS \(row.iOS), and \(file) guards less")
            }
        }
        #expect(checked > 15)
    }

    @Test func `a name that is too new is found`() {
        var names = SourceNames()
        names.read("let box = Mutex(1) // Clock\nlet text = String(validating: bytes)", of: "a")
        #expect(names.foreign.keys.contains("Mutex"))
        #expect(names.foreign.keys.contains("validating"))
        #expect(!names.foreign.keys.contains("Clock"))
        #expect(!names.foreign.keys.contains("box"))
        #expect(SourceNames.newestGuard(in: "@available(iOS 15, macOS 12, *)") == 15)
        #expect(SourceNames.newestGuard(in: "if #available(iOS 16.4, *) {") == 16.4)
        #expect(SourceNames.newestGuard(in: "let iOS = 18") == 0)
    }
}

/// The checkout that these tests were built from.
enum Checkout {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func swiftFiles(below folder: String) -> [URL] {
        let top = root.appendingPathComponent(folder)
        let walk = FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil)
        return (walk?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    }
}
