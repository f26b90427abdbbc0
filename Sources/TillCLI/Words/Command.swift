/// One thing that `till` does.
struct Command: Sendable {
    /// What it is called and takes.
    let syntax: CommandSyntax
    /// Does it, and returns the exit code; prints its own errors but those of usage.
    let run: @Sendable (ParsedWords) async throws -> Int32
}

/// The exit codes that every command shares (sysexits.h).
enum ExitCode {
    /// The call could not be understood.
    static let usage: Int32 = 64
    /// A fault of Till itself.
    static let software: Int32 = 70
}
