import Foundation
import Testing

@testable import Till

/// A program that was built beside these tests, as a process of its own.
final class RunningProcess: Sendable {
    let pid: Int32
    private let lines: AsyncStream<String>
    private let ended: Task<Int32, Never>
    private let signalled: Locked<Bool>

    /// Where the programs are.
    static let folder: URL? = {
        let built = URL(fileURLWithPath: CommandLine.arguments.first ?? "/")
            .deletingLastPathComponent()
        let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return [built, checkout.appendingPathComponent(".build/debug")].first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("till").path)
        }
    }()

    init(_ program: String, _ words: [String], environment: [String: String] = [:]) throws {
        let folder: URL = try #require(Self.folder)
        let process = Process()
        process.executableURL = folder.appendingPathComponent(program)
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        let signalled = Locked(false)
        let (codes, code) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            signalled.withLock { $0 = process.terminationReason == .uncaughtSignal }
            code.yield(process.terminationStatus)
            code.finish()
        }
        try process.run()
        pid = process.processIdentifier
        self.signalled = signalled
        ended = Task {
            for await code in codes { return code }
            return -1
        }
        lines = Self.lines(of: pipe.fileHandleForReading)
    }

    /// Reads on a thread of its own, since reading a pipe blocks.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let bytes = handle.availableData
                guard !bytes.isEmpty else { break }
                rest.append(bytes)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        return stream
    }

    /// Where it says that it listens.
    func address() async throws -> String {
        let prefix = "listening on "
        let line = try await line { $0.hasPrefix(prefix) }
        return String(line.dropFirst(prefix.count).prefix { $0 != " " })
    }

    /// Waits until it prints a line of a kind.
    func line(_ isMeant: (String) -> Bool) async throws -> String {
        for await line in lines where isMeant(line) { return line }
        throw EndedWithout()
    }

    struct EndedWithout: Error {}

    /// Waits for its end, and tells what it printed.
    func end() async -> ProcessShop.Launch {
        var printed: [String] = []
        for await line in lines { printed.append(line) }
        let status = await ended.value
        return ProcessShop.Launch(
            wasKilled: signalled.withLock { $0 }, status: status, lines: printed)
    }

    /// Ends it as a crash does.
    func kill() { _ = Foundation.kill(pid, SIGKILL) }
}
