import Foundation

/// Why a process of the demonstration is of no use.
struct ChildProcessError: Error, CustomStringConvertible {
    let description: String
}

/// A process of this program: what it prints comes line by line, and it can be killed.
final class ChildProcess: Sendable {
    /// The system's number for it.
    let pid: Int32
    private let lines: AsyncStream<String>
    private let input: FileHandle
    private let complaints: String

    /// Begins `till` with these words; what it complains of goes into a file.
    init(_ words: [String], environment: [String: String] = [:], complaints: String) throws {
        self.complaints = complaints
        _ = FileManager.default.createFile(atPath: complaints, contents: nil)
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        process.standardError = FileHandle(forWritingAtPath: complaints)
        try process.run()
        pid = process.processIdentifier
        self.input = input.fileHandleForWriting
        lines = Self.lines(of: output.fileHandleForReading)
    }

    private static func executable() throws -> URL {
        #if os(Linux)
            return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            return URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
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

    /// The next line; `nil` when the process has ended.
    func nextLine() async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// Waits until it says where it listens.
    func address() async throws -> String {
        let prefix = "listening on "
        while let line = await nextLine() {
            guard line.hasPrefix(prefix) else { continue }
            return String(line.dropFirst(prefix.count).prefix { $0 != " " })
        }
        throw ChildProcessError(
            description: "a process ended before it listened; see \(complaints)")
    }

    /// Writes a line to its standard input; a process that has ended reads none.
    func write(_ line: String) { try? input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends it as a crash does: no line of it runs any more.
    func kill() { _ = Foundation.kill(pid, SIGKILL) }

    /// Asks it to end.
    func stop() { _ = Foundation.kill(pid, SIGTERM) }
}
