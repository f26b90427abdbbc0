import Foundation
import HTTPFetch
import HTTPMessage
import Testing

/// `till store` and its kin as a person starts them.
@Suite(.serialized) struct StoreCommandTests {
    private struct Info: Decodable {
        struct Key: Decodable { let keyId: String, issuerId: String, privateKey: String }
        struct Product: Decodable { let productId: String }
        let bundleId: String
        let appAppleId: Int64
        let rootFingerprint: String
        let apiKey: Key
        let products: [Product]
    }

    private struct Bought: Decodable {
        let transactionId: String
        let originalTransactionId: String
        let signedTransactionInfo: String
        let receipt: String
    }

    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("till-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test
    func `A store keeps its root and its purchases from start to start, and stops on SIGTERM`()
        async throws
    {
        let state = try folder()
        defer { try? FileManager.default.removeItem(atPath: state) }
        let words = [
            "store", "--port", "0", "--state", state, "--clock", "2026-01-01", "--rate", "0",
        ]
        var store = try RunningTill(words)
        var url = try #require(try store.firstAddress())
        let info = try JSONDecoder().decode(
            Info.self,
            from: Data(try Till.run(["store", "ctl", "--url", url, "info", "--json"]).output.utf8))
        #expect(info.bundleId == "com.example.app" && info.appAppleId == 1_234_567_890)
        #expect(info.apiKey.keyId.count == 10 && info.apiKey.privateKey.hasPrefix("-----BEGIN"))
        #expect(info.products.contains { $0.productId == "com.example.coins600" })
        let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
        let buying = try Till.run([
            "store", "ctl", "--url", url, "buy", "com.example.coins600", "--quantity", "2",
            "--app-account-token", token, "--json",
        ])
        let bought = try JSONDecoder().decode(Bought.self, from: Data(buying.output.utf8))
        #expect(bought.transactionId == bought.originalTransactionId)
        #expect(bought.signedTransactionInfo.split(separator: ".").count == 3)
        #expect(Data(base64Encoded: bought.receipt) != nil)
        #expect(store.end() == 0)

        store = try RunningTill(words)
        url = try #require(try store.firstAddress())
        let table = try Till.run(["store", "ctl", "--url", url, "transactions"])
        #expect(table.output.contains(bought.transactionId))
        let certificate = state + "/root.der"
        let root = try Till.run(["store", "root", "--state", state, "--der", certificate])
        let digits = root.output.filter { $0.isHexDigit }.lowercased()
        #expect(root.status == 0 && digits == info.rootFingerprint)
        #expect(FileManager.default.contents(atPath: certificate)?.isEmpty == false)
        // A second store on the same folder would write over the first.
        let second = try Till.run(words)
        #expect(second.status == 74 && second.output.contains("another store runs"))
        #expect(store.end() == 0)
    }

    @Test func `A broken catalog is refused with its place, and so are words that make no sense`()
        throws
    {
        let place = try folder()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let catalog = place + "/broken.storekit"
        try Data("{\n \"products\": [\n  {\"type\": 7}\n ]\n}".utf8)
            .write(to: URL(fileURLWithPath: catalog))
        let broken = try Till.run(["store", "--ephemeral", "--port", "0", "--catalog", catalog])
        #expect(broken.status == 65)
        #expect(broken.output.contains("broken.storekit") && broken.output.contains("line 3"))
        for words in [
            ["--port", "70000"], ["--port", "1", "--production-port", "1"], ["--clock", "soon"],
            ["--rate", "-1"], ["--notify", "ftp://x"], ["--seed", "x"],
            ["--ephemeral", "--state", place], ["--prot", "1"],
        ] {
            #expect(try Till.run(["store"] + words).status == 64, "\(words)")
        }
    }

    @Test func `ctl lists its verbs and says what it cannot do`() throws {
        let help = try Till.run(["store", "ctl", "--help"])
        #expect(help.status == 0)
        for verb in ["info", "buy PRODUCT", "clock move", "refund ID", "faults add KIND"] {
            #expect(help.output.contains(verb))
        }
        #expect(try Till.run(["store", "ctl", "bye", "x"]).status == 64)
        #expect(try Till.run(["store", "ctl", "buy"]).status == 64)
        #expect(try Till.run(["store", "ctl", "info", "--price", "1"]).status == 64)
        let nobody = try Till.run(["store", "ctl", "--url", "http://127.0.0.1:1", "info"])
        #expect(nobody.status == 69 && nobody.output.contains("till store running"))
    }
}

/// The `till` that was built beside the tests.
private enum Till {
    struct Missing: Error {}

    static func path() throws -> String {
        let folders = [
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
        ]
        let checkout = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let candidates = folders.map { $0.path + "/till" } + [checkout + "/.build/debug/till"]
        guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:))
        else { throw Missing() }
        return found
    }

    /// Runs it to its end; both of its outputs.
    static func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path())
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

/// A `till` that runs until it is told to stop.
private final class RunningTill {
    private let process = Process()
    private let output = Pipe()

    init(_ words: [String]) throws {
        process.executableURL = URL(fileURLWithPath: try Till.path())
        process.arguments = words
        process.standardOutput = output
        try process.run()
    }

    /// The first address that it says it listens on.
    func firstAddress() throws -> String? {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
            if byte != UInt8(ascii: "\n") {
                line.append(byte)
                continue
            }
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            if words.first == "listening", words.count > 2 { return String(words[2]) }
            line = []
        }
        return nil
    }

    /// Asks it to stop and waits; its exit code.
    func end() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
