import Foundation
import Testing

@testable import LocalAppStore

/// Where `make peers` puts Python.
private let python: String? = {
    let root = #filePath.split(separator: "/").dropLast(3)
    let path = "/" + (root + [".venv", "bin", "python"]).joined(separator: "/")
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
}()

@Suite struct HTTPAppleLibraryTests {
    @Test(.enabled(if: python != nil, "skipped: no .venv with Python; make peers makes it"))
    func
        `Apple's own Python library, unmodified, is the store's client (skipped without make peers)`()
        async throws
    {
        try await HTTPWorld.run { world in
            let script =
                "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
                + "/Peers/apple_library_client.py"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try #require(python))
            process.arguments = [
                "-W", "ignore", script, world.server.url, world.server.productionURL,
            ]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            let output = try await withCheckedThrowingContinuation { waiter in
                // Reading blocks, so it has a thread of its own.
                Thread {
                    do {
                        try process.run()
                        let data = pipe.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        waiter.resume(returning: String(decoding: data, as: UTF8.self))
                    } catch {
                        waiter.resume(throwing: error)
                    }
                }.start()
            }
            #expect(process.terminationStatus == 0, "\(output)")
            #expect(output.hasSuffix("87 error codes\n"), "\(output)")
        }
    }
}
