import AppStoreModel
import Foundation
import HTTPFetch
import HTTPMessage
import TestKit
import Testing

@testable import LocalAppStore

/// The files of the page, as the store answers with them.
@Suite struct PageFileTests {
    private func text(at path: String) throws -> String {
        let file = try #require(StorePage.file(at: path), "\(path) is missing")
        return String(decoding: file.bytes, as: UTF8.self)
    }

    @Test func `Every file that the page names is there`() throws {
        let document = try text(at: "/")
        var open = document.matches(of: /(?:href|src)="(\/[^"]+)"/).map { String($0.output.1) }
        #expect(open.count >= 3)
        var seen: Set<String> = []
        while let path = open.popLast() {
            guard seen.insert(path).inserted else { continue }
            let script = try text(at: path)
            open += script.matches(of: /from "\.\/([a-z-]+\.js)"/).map { "/script/\($0.output.1)" }
        }
        #expect(seen.contains("/script/connect.js"))
        #expect(
            StorePage.file(at: "/script/base.js")?.contentType.hasPrefix("text/javascript") == true)
        #expect(StorePage.file(at: "/script/nothing.js") == nil)
        #expect(StorePage.file(at: "") == nil)
    }

    @Test func `Nothing of the page comes from elsewhere, and no data becomes markup`() throws {
        for path in ["/", "/store.css", "/script/base.js", "/script/main.js", "/script/life.js"] {
            let text = try text(at: path)
            #expect(!text.contains("https://"), "\(path) names a place elsewhere")
            #expect(!text.contains("innerHTML"), "\(path) makes markup")
        }
        #expect(try text(at: "/").contains("default-src 'self'"))
    }

    @Test func `The Chinese keeps every value of the English`() throws {
        let pair = /\["((?:[^"\\]|\\.)+)"(?:\s*\+ "((?:[^"\\]|\\.)+)")*,\s*"([^"]+)"\]/
        var count = 0
        for path in ["/script/chinese-shop.js", "/script/chinese-store.js"] {
            for match in try text(at: path).matches(of: pair) {
                let whole = String(match.output.0)
                let english = whole.dropLast(match.output.3.count + 2)
                let names = { (text: Substring) in
                    Set(text.matches(of: /\{\w+\}/).map { String($0.output) })
                }
                #expect(names(english) == names(match.output.3), "\(whole)")
                count += 1
            }
        }
        #expect(count > 400)
    }
}

private let canBrowse =
    PythonPeer.path != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

@Suite(.enabled(if: canBrowse, "skipped: no Chromium or no .venv with Python; make peers"))
struct `In Chromium, or skipped where it or Python is missing` {
    /// Answers with what the person in front of the page said of each step.
    private func browse(_ url: String) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(PythonPeer.path))
        process.arguments = [PythonPeer.script("store_page.py"), url + "/"]
        if let folder = ProcessInfo.processInfo.environment["TILL_SCREENSHOTS"] {
            process.arguments?.append(folder)
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            // The wait blocks its thread, so it takes one of its own.
            Thread {
                do {
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    continuation.resume(
                        returning: (
                            process.terminationStatus, String(decoding: output, as: UTF8.self)
                        ))
                } catch {
                    continuation.resume(throwing: error)
                }
            }.start()
        }
    }

    @Test
    func `a person buys, renews, fails, refunds, resends and breaks things by the page alone`()
        async throws
    {
        let store = try LocalStore(
            LocalStoreConfiguration(seed: 7),
            signer: AuthoritySigner(try SigningTests.authority.get()), fetcher: CurlFetcher(),
            wall: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) })
        let server = try await StoreServer(store)
        let result = try await browse(server.url)
        try await server.stop()
        #expect(result.status == 0, "\(result.output)")
        let steps = result.output.split(separator: "\n").filter { $0.hasPrefix("ok: ") }
        #expect(steps.count == 18, "\(result.output)")
    }
}
