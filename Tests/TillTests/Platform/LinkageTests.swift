import Foundation
import Testing

/// What an app on Apple's systems links when it takes the SDK.
@Suite struct LinkageTests {
    /// The floors of the manifest, as its text declares them.
    private struct House {
        var needs: [String: [String]] = [:]
        var libraries: Set<String> = []
        var linuxBeneathTheSDK: [String] = []
        var linuxRooms: Set<String> = []

        init(_ manifest: String) throws {
            let words = /"([A-Za-z]+)"/
            let room = /name: "(\w+)",\s*needs: \[([^\]]*)\]/
            for match in manifest.matches(of: room) {
                needs[String(match.output.1)] = match.output.2.matches(of: words)
                    .map { String($0.output.1) }
            }
            libraries = Set(
                manifest.matches(of: /\("(C[A-Za-z]+)"/).map { String($0.output.1) })
            let fence = try #require(
                manifest.firstMatch(of: /let linuxBeneathTheSDK = \[([^\]]*)\]/))
            linuxBeneathTheSDK = fence.output.1.matches(of: words).map { String($0.output.1) }
            // It has to stand behind `#if os(Linux)`, with nothing in its place elsewhere.
            #expect(
                manifest.contains(
                    /#if os\(Linux\)\s+let linuxBeneathTheSDK = \[[^\]]*\]\s+#else\s+let linuxBeneathTheSDK: \[String\] = \[\]\s+#endif/
                ))
        }

        func beneath(_ room: String) -> Set<String> {
            var found: Set<String> = []
            var open = [room]
            while let next = open.popLast() {
                for need in needs[next] ?? [] where found.insert(need).inserted {
                    open.append(need)
                }
            }
            return found
        }
    }

    private func house() throws -> House {
        try House(
            String(
                contentsOf: Checkout.root.appendingPathComponent("Package.swift"), encoding: .utf8))
    }

    @Test func `on Apple's systems no C library lies beneath the SDK`() throws {
        let house = try house()
        #expect(house.libraries.contains("COpenSSL"))
        let beneath = house.beneath("Till")
        #expect(beneath == ["TillAPI", "HTTPMessage", "AppStoreModel"])
        #expect(beneath.isDisjoint(with: house.libraries))
        #expect(beneath.isDisjoint(with: ["StoreKit", "HTTPFetch"]))
        // On Linux there is one, so the walk would have found it.
        let onLinux = house.linuxBeneathTheSDK.reduce(into: beneath) {
            $0.formUnion(house.beneath($1))
        }
        #expect(!onLinux.isDisjoint(with: house.libraries))
    }

    @Test func `the SDK imports nothing of the server's or the local store's`() throws {
        let allowed: Set<String> = [
            "AppStoreModel", "TillAPI", "HTTPMessage", "HTTPFetch", "StoreKit", "Foundation",
            "FoundationEssentials", "Dispatch", "Security", "Network", "Darwin", "Glibc", "Musl",
        ]
        let files = Checkout.swiftFiles(below: "Sources/Till")
        #expect(files.count > 40)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?m)^\s*(?:public |internal )?import (\w+)/) {
                #expect(allowed.contains(String(match.output.1)), "\(file.lastPathComponent)")
            }
        }
    }

    @Test func `what differs by platform stands in the platform's files`() throws {
        for file in Checkout.swiftFiles(below: "Sources/Till") {
            guard !file.path.contains("/Platform/") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "#if canImport(FoundationEssentials)", with: "")
                .replacingOccurrences(
                    of: "#if !os(tvOS) && !os(watchOS) && !os(visionOS)", with: "")
            #expect(!text.contains("#if "), "\(file.lastPathComponent)")
        }
    }
}
