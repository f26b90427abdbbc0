#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Genuine files of Apple's, and forged ones, that lie beside a checkout and never in it.
///
/// Tests that need them say so with `.enabled(if: AppleSamples.areThere, AppleSamples.comment)`.
public enum AppleSamples {
    /// Why a test is skipped.
    public static let comment = "the samples are not beside this checkout (../shared/data)"

    /// Where the samples would be.
    public static let folder: String = {
        let root = #filePath.split(separator: "/").dropLast(4)
        return "/" + (root + ["shared", "data"]).joined(separator: "/")
    }()

    /// Whether the samples are there.
    public static let areThere = FileManager.default.fileExists(atPath: folder + "/index.tsv")

    /// The names of the files in a folder of the samples, in order; none where it is absent.
    public static func names(in folder: String) -> [String] {
        let path = AppleSamples.folder + "/" + folder
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The bytes of a file, as they are.
    public static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path)))
    }

    /// The text of a file, without white space around it.
    public static func text(_ path: String) throws -> String {
        let text = String(decoding: try bytes(path), as: UTF8.self)
        let isBlank: (Character) -> Bool = { $0.isWhitespace }
        let front = text.drop(while: isBlank)
        return String(front.reversed().drop(while: isBlank).reversed())
    }

    /// The bytes of a file, decoded where its name says that it is base64.
    public static func decoded(_ path: String) throws -> [UInt8] {
        guard path.hasSuffix(".b64") else { return try bytes(path) }
        let text = Data(try bytes(path))
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw NotBase64(path: path)
        }
        return Array(data)
    }

    /// A file that is named as base64 and is none.
    public struct NotBase64: Error {
        /// Which file.
        public let path: String
    }
}
