import Foundation
import TillLedger
import TillServer

/// The ledger of a configuration, opened beside whoever else has it open.
struct OpenLedger {
    let configuration: ServerConfiguration
    let store: any LedgerStore
    let ledger: Ledger

    /// The exit codes of the commands that open a ledger (sysexits.h).
    enum Exit {
        static let database: Int32 = 74
        static let configuration: Int32 = 78
    }

    /// Does something with the ledger and closes it; an exit code when it cannot be opened.
    static func with(
        _ command: String, _ path: String,
        _ body: (OpenLedger) async throws -> Int32
    ) async throws -> Int32 {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) {
            configuration = try ServerConfiguration.read(
                contentsOf: path, environment: ProcessInfo.processInfo.environment)
        } catch {
            Terminal.complain("till \(command): \(path) is refused:")
            for fault in error.faults { Terminal.complain("  \(fault)") }
            return Exit.configuration
        }
        let store: any LedgerStore
        do throws(LedgerError) {
            store = try await RunningServer.open(configuration.database)
        } catch {
            Terminal.complain(
                "till \(command): cannot open \(configuration.database.text): \(error)")
            return Exit.database
        }
        let ledger = Ledger(
            store: store, catalog: configuration.catalog,
            newOrderID: RunningServer.randomOrderID)
        do {
            let code = try await body(
                OpenLedger(configuration: configuration, store: store, ledger: ledger))
            await store.close()
            return code
        } catch let error as LedgerError {
            await store.close()
            Terminal.complain("till \(command): \(error)")
            return Exit.database
        }
    }
}
