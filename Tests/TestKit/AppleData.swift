import Foundation

/// What is known of each file of `AppleSamples`, for tests that compare.
public enum AppleData {
    /// One file with what a reader must find in it.
    public struct Truth: Sendable, CustomTestStringConvertibleByFile {
        /// The file's path inside the data.
        public let file: String
        /// What kind of file it is.
        public let kind: String
        /// Everything that is known of it, as JSON.
        public let json: [UInt8]
    }

    /// One row of the list of all files.
    public struct IndexRow: Sendable, CustomTestStringConvertibleByFile {
        /// The file's path inside the data.
        public let file: String
        /// What kind of file it is.
        public let kind: String
        /// Where it comes from.
        public let source: String
        /// What it is.
        public let what: String
        /// What a reader should make of it, in words.
        public let expected: String
    }

    /// The list of all files; empty without the data.
    public static let index: [IndexRow] = lines(of: "index.tsv").dropFirst().compactMap { line in
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count >= 5 else { return nil }
        return IndexRow(
            file: columns[0], kind: columns[1], source: columns[2], what: columns[3],
            expected: columns[4])
    }

    /// What readers must find in receipts and signed values; empty without the data.
    public static let truths: [Truth] = lines(of: "truth.jsonl").compactMap { line in
        struct Head: Decodable {
            let file: String
            let kind: String
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(line.utf8)) else {
            return nil
        }
        return Truth(file: head.file, kind: head.kind, json: Array(line.utf8))
    }

    /// The paths of all files in a folder of the data, sorted; empty without the data.
    public static func files(in folder: String) -> [String] {
        AppleSamples.names(in: folder).map { "\(folder)/\($0)" }
    }

    private static func lines(of file: String) -> [Substring] {
        guard let text = try? AppleSamples.bytes(file) else { return [] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}

/// Names a test's case by its file.
public protocol CustomTestStringConvertibleByFile: CustomStringConvertible {
    /// The file's path inside the data.
    var file: String { get }
}

extension CustomTestStringConvertibleByFile {
    /// The file.
    public var description: String { file }
}
