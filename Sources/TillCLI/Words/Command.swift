/// One thing that `till` does.
struct Command: Sendable {
    /// What it is called and takes.
    let syntax: CommandSyntax
    /// Does it, and returns the exit code; prints its own errors but those of usage.
    let run: @Sendable (ParsedWords) async throws -> Int32
}

/// The exit codes that every command shares (sysexits.h).
enum ExitCode {
    /// `till verify`: what was to be verified cannot be read, or is no proof.
    static let unreadableProof: Int32 = 2
    /// The call could not be understood.
    static let usage: Int32 = 64
    /// A fault of Till itself.
    static let software: Int32 = 70
    /// All went well, but what was to be said of it could not be written.
    static let output: Int32 = 74
}
