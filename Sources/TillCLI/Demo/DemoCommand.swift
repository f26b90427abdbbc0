import AppStoreTrust
import CryptoPrimitives
import Foundation
import TillServer

extension TillCommand {
    static let demo = Command(
        syntax: CommandSyntax(
            name: "demo",
            summary: "watch proofs of payment being verified and granted by a real server",
            options: [
                .value(
                    "--proofs", "DIR",
                    "a folder of receipts and signed transactions; by default Apple's own ones "
                        + "in ../shared/data, or else a few signed on the spot")
            ],
            notes: "Exit codes: 0 the laws held, 1 one did not, 66 no proofs.")
    ) { words in
        await DemoCommand.run(folder: words.value("--proofs"))
    }
}

/// `till demo`.
enum DemoCommand {
    private static let noInput: Int32 = 66

    static func run(folder: String?) async -> Int32 {
        let stage = Stage.standardOutput()
        do {
            let home = try makeHome()
            guard let cast = try cast(DemoSource.find(named: folder), home: home, stage: stage)
            else { return noInput }
            return try await play(cast, home: home, stage: stage)
        } catch {
            Terminal.complain("till demo: \(error)")
            return ExitCode.software
        }
    }

    /// Who plays: the proofs, and the root they end in when that is not Apple's.
    private struct Cast {
        var proofs: [DemoProof]
        var rootFile: String?
    }

    private static func makeHome() throws -> String {
        let name = "till-demo-" + UUID().uuidString.prefix(8).lowercased()
        let home = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        return home
    }

    private static func cast(_ source: DemoSource, home: String, stage: Stage) throws -> Cast? {
        stage.line("Till: proof of payment in, goods out exactly once", .bold)
        stage.line("")
        let folder: String
        var subfolders: [String]?
        switch source {
        case .throwaway:
            stage.line(
                "Proofs: a few signed on the spot under a throw-away root (no ../shared/data")
            stage.line(
                "        here). Nothing of it is Apple's; only this server believes that root.")
            let signed = try ThrowawayProofs.make(in: home)
            return Cast(proofs: signed.proofs, rootFile: signed.rootFile)
        case .folder(let path):
            folder = path
            stage.line("Proofs: \(path), checked against Apple's pinned roots")
        case .shared(let path):
            folder = path
            subfolders = ["receipts", "jws"]
            stage.line("Proofs: genuine ones signed by Apple, and some that are not, from \(path),")
            stage.line("        checked against Apple's pinned roots")
        }
        let verifier = ProofVerifier(configuration: try TrustConfiguration.unsafeAnyApp())
        let proofs = DemoSource.files(in: folder, subfolders: subfolders).compactMap { file in
            DemoSource.bytes(of: file).flatMap {
                DemoProof(
                    name: URL(fileURLWithPath: file).lastPathComponent, bytes: $0,
                    verifier: verifier)
            }
        }
        guard !proofs.isEmpty else {
            Terminal.complain("till demo: there is no proof in \(folder)")
            return nil
        }
        return Cast(proofs: proofs, rootFile: nil)
    }

    private static func play(_ cast: Cast, home: String, stage: Stage) async throws -> Int32 {
        let secret = secureRandomBytes(32).map { String(format: "%02x", $0) }.joined()
        let shop = DemoShop(cast.proofs)
        let file = "\(home)/till.json"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try encoder.encode(shop.configuration(secret: secret, rootFile: cast.rootFile))
            .write(to: URL(fileURLWithPath: file))
        let configuration = try ServerConfiguration.read(contentsOf: file, environment: [:])
        let server = try await RunningServer.start(configuration, log: .silent)
        stage.line("Server: \(server.url), a real one, with an empty ledger in \(home)/till.db")
        stage.line(
            "Shop:   \(shop.apps.count) apps and \(shop.productCount) products, made from the proofs"
        )
        let client = DemoClient(url: server.url, secret: SecretText(secret))
        var story = DemoStory(proofs: cast.proofs, shop: shop, client: client, stage: stage)
        let faults: [String]
        do {
            faults = try await story.tell()
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        closing(home: home, faults: faults, stage: stage)
        return faults.isEmpty ? 0 : 1
    }

    private static func closing(home: String, faults: [String], stage: Stage) {
        stage.heading(6, "See for yourself")
        stage.line("   sqlite3 \(home)/till.db \\")
        stage.line(
            "     \"SELECT customer_id, product_id, credits, entitlements FROM grants LIMIT 5\"")
        stage.line("   till serve --config \(home)/till.json    # goes on where this ended")
        stage.line("")
        if faults.isEmpty {
            stage.line(
                "Every law held: nothing was granted twice, nothing forged was taken.", .good)
        } else {
            for fault in faults { stage.line("A law was broken: \(fault)", .bad) }
        }
    }
}
