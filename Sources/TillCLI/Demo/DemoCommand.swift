import Foundation

extension TillCommand {
    static let demo = Command(
        syntax: CommandSyntax(
            name: "demo",
            summary: "watch purchases go through the SDK, the server and the store",
            options: [
                .flag("--stay", "leave store, server and phone running, to go on by hand"),
                .value(
                    "--proofs", "DIR",
                    "another demonstration: a folder of receipts and signed transactions meets a "
                        + "server; \"throwaway\" signs a few on the spot"),
            ],
            notes: "Exit codes: 0 every step ended as told, 1 one did not, 66 no proofs.")
    ) { words in
        await DemoCommand.run(proofs: words.value("--proofs"), stays: words.has("--stay"))
    }
}

/// `till demo`.
enum DemoCommand {
    static func run(proofs: String?, stays: Bool) async -> Int32 {
        let stage = Stage.standardOutput()
        do {
            if let proofs {
                guard !stays else { throw UsageError("--stay and --proofs exclude each other") }
                return try await ProofDemo.run(folder: proofs, stage: stage)
            }
            #if os(Linux)
                return try await PurchaseDemo.run(stage: stage, stays: stays)
            #else
                Terminal.complain(
                    "till demo: StoreKit over the local store is Linux's alone; "
                        + "here there is till demo --proofs throwaway")
                return ExitCode.usage
            #endif
        } catch let error as UsageError {
            Terminal.complain("till demo: \(error.message)\ntry: till demo --help")
            return ExitCode.usage
        } catch {
            Terminal.complain("till demo: \(error)")
            return ExitCode.software
        }
    }

    /// A new folder for what one demonstration leaves behind.
    static func makeHome() throws -> String {
        let name = "till-demo-" + UUID().uuidString.prefix(8).lowercased()
        let home = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        return home
    }
}
