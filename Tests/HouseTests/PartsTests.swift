import Foundation
import TestKit
import Testing

/// Tests that drive another program are skipped where it is missing, and say so.
@Suite struct PartsTests {
    /// A machine on which nothing may be skipped says so, as `.ci/run` does: it would pass by lacking something.
    private static let skipsNothing =
        ProcessInfo.processInfo.environment["TILL_SKIPS_NOTHING"] != nil

    @Test(.enabled(if: skipsNothing, "skipped: TILL_SKIPS_NOTHING is not set"))
    func `every program that tests drive is installed`() {
        #expect(PostgresServer.isInstalled)
        #expect(PgBouncer.isInstalled)
        #expect(PythonPeer.path != nil)
        for program in ["/usr/bin/chromium", "/usr/bin/openssl", "/usr/bin/sqlite3"] {
            #expect(FileManager.default.isExecutableFile(atPath: program), "\(program)")
        }
    }
}
