import Foundation
import TestKit
import Testing

@Suite(.timeLimit(.minutes(3))) struct DemoTests {
    #if os(Linux)
        @Test func `the story ends as told, from the first purchase to the refund`() throws {
            let outcome = try TillProcess.run(["demo"])
            #expect(outcome.exitCode == 0, "\(outcome.text)\n\(outcome.complaints)")
            #expect(outcome.lines.contains("Everything ended as told."))
            #expect(!outcome.text.contains("✗"))
            for told in [
                "✓ the server says: alice has 600 coins and \"forever\"",
                "✓ the SDK says pending",
                "✓ the SDK has delivered by itself: 1200 coins",
                "✓ the SDK says restored, and \"forever\" is open here too",
                "✓ the SDK says refused: belongsToAnother",
                "✓ the SDK says 600 coins, and nothing is open",
                "✓ no transaction waits in the store",
            ] {
                #expect(outcome.text.contains(told), "\(told)")
            }
        }

        @Test func `a story that cannot be told ends with an error`() throws {
            let outcome = try TillProcess.run(
                ["demo"], environment: ["TMPDIR": "/dev/null/nowhere"])
            #expect(outcome.exitCode == 70)
            #expect(outcome.complaints.contains("till demo:"))
        }
    #endif

    @Test func `proofs that are handed in twice are granted once, and forged ones never`() throws {
        let outcome = try TillProcess.run(["demo", "--proofs", "throwaway"])
        #expect(outcome.exitCode == 0, "\(outcome.text)\n\(outcome.complaints)")
        #expect(outcome.text.contains("0 granted, all known"))
        #expect(outcome.text.contains("untrustedRoot"))
    }

    @Test func `a folder without proofs is refused, and so are two demonstrations at once`() throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "till-demo-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try TillProcess.run(["demo", "--proofs", folder.path]).exitCode == 66)
        #expect(try TillProcess.run(["demo", "--stay", "--proofs", folder.path]).exitCode == 64)
    }
}
