public import Foundation

/// The `till` command that was built with the tests, run as a person would run it.
public enum TillProcess {
    /// What one run gave.
    public struct Outcome: Sendable {
        /// The exit code.
        public let exitCode: Int32
        /// Everything on standard output.
        public let output: Data
        /// Everything on standard error, as text.
        public let complaints: String

        /// Standard output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
        /// Standard output as lines.
        public var lines: [String] {
            text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        }
    }

    /// The command's path: it lies beside the test bundle.
    public static var path: String { path(of: "till") }

    /// The path of a program of this package that was built with the tests; another's is given whole.
    public static func path(of program: String) -> String {
        guard !program.hasPrefix("/") else { return program }
        let bundle = ProcessInfo.processInfo.arguments.first ?? ""
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: program).path
    }

    /// Runs a program, `till` unless another is named, with these words to its end.
    ///
    /// The input goes through a file, so that it may be large; the environment is added to this process's.
    public static func run(
        _ words: [String], program: String = "till", input: Data = Data(),
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "till-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ content: Data = Data()) throws -> FileHandle {
            let url = folder.appending(path: name)
            try content.write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = Process()
        process.executableURL = URL(filePath: path(of: program))
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try file("input", input)
        process.standardOutput = try file("output")
        process.standardError = try file("complaints")
        try process.run()
        process.waitUntilExit()
        func content(_ name: String) throws -> Data {
            try Data(contentsOf: folder.appending(path: name))
        }
        return Outcome(
            exitCode: process.terminationStatus, output: try content("output"),
            complaints: String(decoding: try content("complaints"), as: UTF8.self))
    }
}
