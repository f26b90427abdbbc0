import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The store's state on disk: one file, its first line the whole state, each further line a command.
///
/// A command is on disk before it is answered. A torn last line, as a kill leaves it, is a command that
/// nobody was answered for, and is dropped. Opening and every thousandth command write the file anew, beside
/// the old one and then over it.
final class StoreFile {
    struct Head: Codable {
        let format: Int
        let keys: StoreKeys
        let clock: StoreClock
        let state: StoreState
    }

    struct Line: Codable {
        /// Up to when time had passed.
        let at: Timestamp
        var command: StoreCommand?
        var clock: StoreClock?
    }

    /// Why a state file cannot be used.
    struct Damage: Error, CustomStringConvertible {
        let path: String
        let line: Int
        let reason: String
        var description: String { "\(path), line \(line): \(reason)" }
    }

    private let path: String
    private var descriptor: Int32 = -1
    private(set) var lines = 0

    /// After how many commands the file is written anew.
    static let compaction = 1_000

    init(path: String) { self.path = path }
    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads the file; nothing when there is none.
    func load() throws -> (head: Head, lines: [Line])? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        var parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        // What stands after the last line feed was not written whole.
        parts.removeLast()
        guard let first = parts.first else {
            throw Damage(path: path, line: 1, reason: "the state is not whole")
        }
        let decoder = JSONDecoder()
        let head: Head
        do {
            head = try decoder.decode(Head.self, from: Data(first))
        } catch {
            throw Damage(path: path, line: 1, reason: "\(error)")
        }
        guard head.format == StoreState.format else {
            throw Damage(path: path, line: 1, reason: "format \(head.format) is not known")
        }
        let lines = try parts.dropFirst().enumerated().map { place, part in
            do {
                return try decoder.decode(Line.self, from: Data(part))
            } catch {
                throw Damage(path: path, line: place + 2, reason: "\(error)")
            }
        }
        return (head, lines)
    }

    /// Writes the whole state in place of what was there.
    func write(_ head: Head) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = try encoder.encode(head)
        bytes.append(0x0A)
        let fresh = path + ".new"
        let target = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure("cannot create \(fresh)") }
        do {
            try put(bytes, to: target)
            guard fsync(target) == 0, rename(fresh, path) == 0 else {
                throw failure("cannot replace \(path)")
            }
        } catch {
            close(target)
            throw error
        }
        if descriptor >= 0 { close(descriptor) }
        descriptor = target
        lines = 0
    }

    /// Adds a command.
    func append(_ line: Line) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = try encoder.encode(line)
        bytes.append(0x0A)
        try put(bytes, to: descriptor)
        lines += 1
    }

    private func put(_ bytes: Data, to descriptor: Int32) throws {
        try bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = writeSome(
                    descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure("cannot write to \(path)") }
                written += count
            }
        }
    }

    private func failure(_ what: String) -> Damage {
        Damage(path: path, line: 0, reason: "\(what): \(String(cString: strerror(errno)))")
    }
}

private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    guard let bytes else { return 0 }
    return write(descriptor, bytes, count)
}
