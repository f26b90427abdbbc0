import AppStoreTrust
import CryptoPrimitives
import Foundation
import TillServer

/// `till demo --proofs`: genuine, repeated, stolen and forged proofs meet a real server.
enum ProofDemo {
    private static let noInput: Int32 = 66

    static func run(folder: String, stage: Stage) async throws -> Int32 {
        let home = try DemoCommand.makeHome()
        guard let cast = try cast(DemoSource.named(folder), home: home, stage: stage)
        else { return noInput }
        return try await play(cast, home: home, stage: stage)
    }

    /// Who plays: the proofs, and the root they end in when that is not Apple's.
    private struct Cast {
        var proofs: [DemoProof]
        var rootFile: String?
    }

    private static func cast(_ source: DemoSource, home: String, stage: Stage) throws -> Cast? {
        stage.line("Till: proof of payment in, goods out exactly once", .bold)
        stage.line("")
        let folder: String
        switch source {
        case .throwaway:
            stage.line("Proofs: a few signed on the spot under a throw-away root. Nothing of it is")
            stage.line("        Apple's; only this server believes that root.")
            let signed = try ThrowawayProofs.make(in: home)
            return Cast(proofs: signed.proofs, rootFile: signed.rootFile)
        case .folder(let path):
            folder = path
            stage.line("Proofs: \(path), checked against Apple's pinned roots")
        }
        let verifier = ProofVerifier(configuration: try TrustConfiguration.unsafeAnyApp())
        let proofs = DemoSource.files(in: folder).compactMap { file in
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
        var story = ProofStory(proofs: cast.proofs, shop: shop, client: client, stage: stage)
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
