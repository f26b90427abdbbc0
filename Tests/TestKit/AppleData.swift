public import Foundation

/// Genuine files of Apple's and others for interoperability, which lie beside a checkout and never in it.
///
/// They are sought in `../shared/data` from the package's root. Where they are not, tests that need
/// them skip and say so.
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

    /// The package's root: this file's folder's folder's folder.
    public static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Where the data are if they are there.
    public static let folder = packageRoot.deletingLastPathComponent()
        .appendingPathComponent("shared/data")

    /// Whether the data are there.
    public static let isPresent = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("index.tsv").path)

    /// What a skipped test says.
    public static let absence =
        "skipped: genuine files are not there; they are sought in ../shared/data beside the checkout"

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

    /// The bytes of a file, which must be there.
    public static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(file)))
    }

    /// The paths of all files in a folder of the data, sorted; empty without the data.
    public static func files(in folderName: String) -> [String] {
        let path = folder.appendingPathComponent(folderName).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().map { "\(folderName)/\($0)" }
    }

    /// The DER of a receipt, out of base64 where the file is in it.
    public static func receipt(_ file: String) throws -> [UInt8] {
        let raw = try bytes(file)
        guard file.hasSuffix(".b64") else { return raw }
        struct NotBase64: Error { let file: String }
        guard let data = Data(base64Encoded: Data(raw), options: .ignoreUnknownCharacters) else {
            throw NotBase64(file: file)
        }
        return Array(data)
    }

    private static func lines(of file: String) -> [Substring] {
        guard let text = try? bytes(file) else { return [] }
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
