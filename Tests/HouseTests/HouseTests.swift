import Foundation
import Testing

@Suite struct HouseTests {
    @Test func `every room has its line in the architecture page`() throws {
        let page = try Checkout.text("docs/architecture.md")
        let rooms = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appending(path: "Sources").path
        ).filter { $0 != "C" && !$0.hasPrefix(".") }
        #expect(rooms.count > 10)
        for room in rooms.sorted() {
            #expect(page.contains("`\(room)`"), "docs/architecture.md does not name \(room)")
        }
    }

    @Test(arguments: Checkout.files(below: "Sources", endingWith: ".swift"))
    func `a source file can be held in the head`(_ path: String) throws {
        let lines = try Checkout.text(path).split(
            separator: "\n", omittingEmptySubsequences: false
        ).count
        #expect(lines <= 420, "\(path) has \(lines) lines: something wants out")
    }

    @Test func `no room is a placeholder`() {
        let placeholders = Checkout.files(below: "Sources", endingWith: "/Room.swift")
        #expect(placeholders.isEmpty)
    }

    @Test(arguments: Checkout.files(below: ".", endingWith: ".md"))
    func `a link in a page leads to something`(_ path: String) throws {
        let folder = Checkout.root.appending(path: path).deletingLastPathComponent()
        let text = try Checkout.text(path)
        for match in text.matches(of: /\]\(([^)#\s]+)[^)]*\)/) {
            let target = String(match.output.1)
            guard !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
            let file = folder.appending(path: target).path
            #expect(FileManager.default.fileExists(atPath: file), "\(path) links to \(target)")
        }
    }

    @Test(arguments: Checkout.files(below: "Sources", endingWith: ".swift"))
    func `nothing fetches through URLSession on Linux`(_ path: String) throws {
        let text = try Checkout.text(path)
        guard !path.hasPrefix("Sources/StoreKit/") else { return }
        let isFenced = text.contains("#if canImport(Darwin)") || text.contains("#if !os(Linux)")
        #expect(!text.contains("import FoundationNetworking"), "\(path)")
        #expect(!text.contains("URLSession(") || isFenced, "\(path)")
    }
}
