import Foundation
import TestKit
import Testing

@testable import LocalAppStore

@Suite struct HTTPAppleLibraryTests {
    @Test(
        .enabled(if: PythonPeer.path != nil, "skipped: no .venv with Python; make peers makes it"))
    func
        `Apple's own Python library, unmodified, is the store's client (skipped without make peers)`()
        async throws
    {
        try await HTTPWorld.run { world in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try #require(PythonPeer.path))
            process.arguments = [
                "-W", "ignore", PythonPeer.script("apple_library_client.py"), world.server.url,
                world.server.productionURL,
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
