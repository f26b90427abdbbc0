import Foundation
import Testing

/// Nothing but the verifier makes a proof, not even a test that sees what is internal.
@Suite struct SealTests {
    private static let sources: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Sources/AppStoreTrust"
    }()

    private func source(_ file: String) throws -> String {
        try String(contentsOfFile: Self.sources + "/" + file, encoding: .utf8)
    }

    @Test(arguments: [
        ("ProofVerifier.swift", "Verified"), ("ProofVerifier.swift", "Unattributed"),
        ("ProofVerifier.swift", "VerifiedNotification"), ("Authentication.swift", "Authentic"),
        ("TrustedSigner.swift", "TrustedSigner"),
    ])
    func `what is proved is made in one file, by an initializer that only this file sees`(
        _ file: String, _ type: String
    ) throws {
        let text = try source(file)
        let body = try #require(
            text.range(of: "(struct|class) \(type)\\b", options: .regularExpression))
        let rest = text[body.upperBound...]
        let next = rest.range(of: "\n}")?.lowerBound ?? rest.endIndex
        let declaration = rest[..<next]
        #expect(declaration.contains("    fileprivate init("))
        #expect(declaration.components(separatedBy: " init(").count == 2)
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.sources)
        for other in files where other != file {
            let text = try source(other)
            #expect(
                text.range(of: "\\b\(type)\\(", options: .regularExpression) == nil,
                "\(other) makes a \(type)")
        }
    }

    @Test func `a proof made elsewhere does not compile, not even with what is testable`() throws {
        let modules = try #require(builtModules())
        let honest = """
            import AppStoreModel
            import AppStoreTrust
            func grant(_ proof: Verified<TransactionPayload>) -> TransactionID {
                proof.value.transactionID
            }
            """
        let forged = """
            import AppStoreModel
            @testable import AppStoreTrust
            func forge(_ value: TransactionPayload) -> Verified<TransactionPayload> {
                Verified(
                    value: value, environment: .production, bundleID: value.bundleID,
                    anchor: .apple, signedAt: Timestamp(seconds: 0), receivedBytes: [])
            }
            """
        #expect(try typecheck(honest, modules).isEmpty)
        #expect(try typecheck(forged, modules).contains("'fileprivate' protection level"))
    }

    /// Where the build that this test is part of put its modules.
    private func builtModules() -> String? {
        let running = ProcessInfo.processInfo.arguments[0]
        let places = [running, "/proc/self/exe"].map {
            URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path
        }
        return places.map { $0 + "/Modules" }.first {
            FileManager.default.fileExists(atPath: $0 + "/AppStoreTrust.swiftmodule")
        }
    }

    /// The compiler's errors for a source.
    private func typecheck(_ source: String, _ modules: String) throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-seal-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let openSSL = Self.sources + "/../C/COpenSSL/module.modulemap"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-Xcc",
            "-fmodule-map-file=\(openSSL)", file.path,
        ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self)
        return process.terminationStatus == 0 ? "" : text + "exit \(process.terminationStatus)"
    }
}
