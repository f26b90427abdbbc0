import Foundation
import Testing

/// The branches that are compiled on Apple's systems alone, against hand-declared forms of Apple's API.
///
/// It says that names, arguments and types fit those forms; that they are Apple's is what the person
/// who wrote them down vouches for.
@Suite(.serialized) struct AppleFormTests {
    private static let compiler: String? = {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.map { "\($0)/swiftc" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }()

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
        process.arguments = arguments
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private static let forms = Checkout.root.appendingPathComponent("Tests/AppleForms")
    private static let platform = Checkout.root.appendingPathComponent("Sources/Till/Platform")

    /// The sources of a module: a form of Apple's, or a room beneath the SDK.
    private func sources(of module: String) -> [String] {
        switch module {
        case "HTTPMessage": Checkout.swiftFiles(below: "Sources/HTTPMessage").map(\.path)
        case "AppStoreModel":
            [Checkout.root.appendingPathComponent("Sources/AppStoreModel/Timestamp.swift").path]
        default: [Self.forms.appendingPathComponent("\(module).swift").path]
        }
    }

    /// Makes modules and checks the SDK's platform files against them.
    private func check(
        _ files: [String], with modules: [String], beside text: String = ""
    ) throws -> (status: Int32, text: String) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-forms-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for module in modules {
            let made = try run(
                [
                    "-emit-module", "-module-name", module, "-parse-as-library", "-swift-version",
                    "6", "-emit-module-path",
                    folder.appendingPathComponent("\(module).swiftmodule").path,
                ] + sources(of: module))
            guard made.status == 0 else { return made }
        }
        let beside = folder.appendingPathComponent("Beside.swift")
        try text.write(to: beside, atomically: true, encoding: .utf8)
        // What Apple's Foundation brings and Linux's does not stands in the form of Darwin.
        let implicit =
            modules.contains("Darwin")
            ? ["-Xfrontend", "-import-module", "-Xfrontend", "Darwin"] : []
        return try run(
            ["-typecheck", "-swift-version", "6", "-parse-as-library", "-I", folder.path]
                + implicit + [beside.path]
                + files.map { Self.platform.appendingPathComponent($0).path })
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `the Keychain's file fits the form of Security`() throws {
        let result = try check(
            ["KeychainSecrets.swift", "DefaultsSecrets.swift"], with: ["Security"],
            beside: """
                enum SecretReading { case found(String), absent, unavailable }
                protocol SecretStore: Sendable {
                    func read(_ name: String) -> SecretReading
                    func write(_ text: String, for name: String) -> Bool
                    func remove(_ name: String)
                }
                """)
        #expect(result.status == 0, "\(result.text)")
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `the signatures' file fits the form of CryptoKit`() throws {
        let result = try check(["SignatureCheck.swift"], with: ["CryptoKit"])
        #expect(result.status == 0, "\(result.text)")
        // Without that form the file would be another one, which stands on libcrypto.
        let other = try check(["SignatureCheck.swift"], with: [])
        #expect(other.text.contains("CryptoPrimitives"))
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `the network's file fits the form of Network`() throws {
        let result = try check(
            ["NetworkReturn.swift", "Lock.swift"], with: ["Network"],
            beside: "enum WakeUp: Sendable { case networkReturned, cameForward }")
        #expect(result.status == 0, "\(result.text)")
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `URLSession's file fits the form of Foundation`() throws {
        let result = try check(["SessionFetcher.swift"], with: ["Darwin", "HTTPMessage"])
        #expect(result.status == 0, "\(result.text)")
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `the files over the system fit the form of Darwin`() throws {
        let result = try check(
            [
                "DurableFile.swift", "SystemClock.swift", "Timekeeping.swift", "Foreground.swift",
                "Lock.swift",
            ],
            with: ["Darwin", "AppStoreModel"],
            beside: """
                enum WakeUp: Sendable { case networkReturned, cameForward }
                struct DiskFault: Error, Sendable, Hashable { var detail: String }
                """)
        #expect(result.status == 0, "\(result.text)")
    }

    @Test(.enabled(if: compiler != nil, "there is no swiftc on the path"))
    func `a wrong use of a form is found`() throws {
        let result = try check(
            [], with: ["Network"],
            beside: "import Network\nlet monitor = NWPathMonitor()\nfunc go() { monitor.begin() }")
        #expect(result.status != 0)
        #expect(result.text.contains("begin"))
    }
}
