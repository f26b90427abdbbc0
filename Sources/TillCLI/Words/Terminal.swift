import Foundation
import Synchronization

/// Where the command speaks to people and programs.
enum Terminal {
    /// Whether something could not be written to standard output: a pipe that nobody reads any longer, a full
    /// disk, a descriptor that is closed.
    static var isBroken: Bool { broken.load(ordering: .relaxed) }

    private static let broken = Atomic(false)

    /// Writes `text` and a line feed to standard output.
    static func print(_ text: String) {
        write(text + "\n")
    }

    /// Writes `text` without a line feed to standard output.
    static func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes bytes to standard output; nothing more once that failed.
    static func write(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            broken.store(true, ordering: .relaxed)
            complain("till: standard output cannot be written")
        }
    }

    /// Writes `text` and a line feed to standard error, where anybody listens there.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
