import Foundation
import Testing

/// What an app on Apple's systems links when it takes the SDK.
@Suite struct LinkageTests {
    private static let swift: String? = {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.map { "\($0)/swift" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }()

    /// The package as SwiftPM itself reads the manifest, for a Mac or for this machine.
    private struct House: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let dependencies: [Dependency]
        }

        struct Dependency: Decodable {
            /// The name, and what it depends on.
            let byName: [String?]
        }

        let targets: [Target]

        var libraries: Set<String> {
            Set(targets.filter { $0.type == "system" }.map(\.name))
        }

        /// Every target that is linked with this one.
        func beneath(_ name: String) -> Set<String> {
            var found: Set<String> = []
            var open = [name]
            while let next = open.popLast() {
                let target = targets.first { $0.name == next }
                for case let need?? in target?.dependencies.map(\.byName.first) ?? []
                where found.insert(need).inserted { open.append(need) }
            }
            return found
        }
    }

    /// Has SwiftPM read a copy of the manifest, since the package itself is locked while it is tested.
    private func house(onApple: Bool) throws -> House {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(
            at: Checkout.root.appendingPathComponent("Package.swift"),
            to: folder.appendingPathComponent("Package.swift"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.swift))
        process.arguments = ["package", "--package-path", folder.path, "dump-package"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            onApple ? ["TILL_MANIFEST_AS": "apple"] : [:]
        ) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(House.self, from: output)
    }

    @Test(.enabled(if: swift != nil, "there is no swift on the path"))
    func `on Apple's systems no C library lies beneath the SDK`() throws {
        let house = try house(onApple: true)
        #expect(house.libraries.contains("COpenSSL"))
        #expect(house.beneath("Till") == ["TillAPI", "HTTPMessage", "AppStoreModel"])
        #expect(house.beneath("Till").isDisjoint(with: house.libraries))
        // The walk finds such a library where there is one.
        #expect(house.beneath("TillServer").contains("COpenSSL"))
        // A target of that name would stand before Apple's own StoreKit.
        #expect(!house.targets.contains { $0.name == "StoreKit" })
        #expect(!house.beneath("TillCLI").contains("Till"))
    }

    @Test(.enabled(if: swift != nil, "there is no swift on the path"))
    func `on Linux the SDK stands on libcurl and the StoreKit of this package`() throws {
        let house = try house(onApple: false)
        #expect(
            house.beneath("Till").isSuperset(
                of: ["StoreKit", "HTTPFetch", "CCurl", "CryptoPrimitives"]))
        #expect(house.beneath("Till").isDisjoint(with: ["TillServer", "LocalAppStore"]))
    }

    @Test(arguments: ["Till", "TillAPI", "HTTPMessage", "AppStoreModel"])
    func `the SDK and what lies beneath it import nothing else`(_ room: String) throws {
        let allowed: Set<String> = [
            "AppStoreModel", "TillAPI", "HTTPMessage", "HTTPFetch", "StoreKit", "Foundation",
            "FoundationEssentials", "Dispatch", "Security", "Network", "Darwin", "Glibc", "Musl",
            "CryptoKit", "CryptoPrimitives",
        ]
        let files = Checkout.swiftFiles(below: "Sources/\(room)")
        #expect(files.count > (room == "Till" ? 40 : 2))
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?m)^\s*(?:@\w+ )?(?:public |internal )?import (\w+)/) {
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
