public import AppStoreSigning

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

/// The folder that a store keeps: `keys/` with its root and keys, and `store.jsonl` with its state.
///
/// Open for one process at a time.
public final class StoreFolder: Sendable {
    /// Where it is.
    public let path: String
    /// Whether a state is there already, as of the opening.
    public let hadState: Bool
    private let lock: Int32

    /// Why a folder cannot be used.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// One line for people.
        public let description: String
    }

    /// Opens the folder, which is made if it is not there, for this process alone.
    public init(path: String) throws(Failure) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(description: "\(path) cannot be made")
        }
        lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Failure(description: "\(path) cannot be written to") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw Failure(description: "another store runs on \(path)")
        }
        hadState = FileManager.default.fileExists(atPath: "\(path)/store.jsonl")
    }

    deinit { close(lock) }

    /// The file with the state.
    public var stateFile: String { "\(path)/store.jsonl" }

    /// The keys, made at the first start.
    public func authority() throws(SigningError) -> SigningAuthority {
        try .open(folder: Self.keys(in: path))
    }

    /// Where a folder has its keys.
    public static func keys(in path: String) -> String { "\(path)/keys" }

    /// Where the state is when nobody says: `$XDG_STATE_HOME/till/store`, else `~/.local/state/till/store`.
    public static var usual: String {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], !state.isEmpty {
            return "\(state)/till/store"
        }
        return "\(environment["HOME"] ?? ".")/.local/state/till/store"
    }
}
