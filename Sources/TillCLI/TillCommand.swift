import Foundation

/// `till`: finds the command that the words name, and runs it.
@main
enum TillCommand {
    /// Every command, in the order in which `till --help` lists them.
    static let commands: [Command] =
        [verify, serve, rebuild, importing, doctor, store, storeRoot, storeCtl, demo]
        + linuxCommands

    #if os(Linux)
        private static let linuxCommands = [demoPhone]
    #else
        private static let linuxCommands: [Command] = []
    #endif

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let code = await run(words)
        exit(code == 0 && Terminal.isBroken ? ExitCode.output : code)
    }

    /// Runs the command that `words` name and returns its exit code.
    static func run(_ words: [String]) async -> Int32 {
        guard let first = words.first, !["-h", "--help", "help"].contains(first) else {
            Terminal.write(help)
            return words.isEmpty ? ExitCode.usage : 0
        }
        if first == "--version" {
            Terminal.print("till \(Version.text)")
            return 0
        }
        guard let (command, rest) = command(named: words) else {
            let near = Spelling.nearest(to: first, among: commands.map(\.syntax.name))
            Terminal.complain(
                "till: there is no command \"\(first)\""
                    + (near.map { "; did you mean \($0)?" } ?? "") + "\ntry: till --help")
            return ExitCode.usage
        }
        if rest.contains(where: { $0 == "--help" || $0 == "-h" }) {
            Terminal.write(command.syntax.help)
            return 0
        }
        do {
            return try await command.run(try command.syntax.parse(rest))
        } catch let error as UsageError {
            let name = command.syntax.name
            Terminal.complain("till \(name): \(error.message)\ntry: till \(name) --help")
            return ExitCode.usage
        } catch {
            Terminal.complain("till \(command.syntax.name): \(error)")
            return ExitCode.software
        }
    }

    /// The command with the most words that `words` begin with: `store root` before `store`.
    private static func command(named words: [String]) -> (Command, [String])? {
        let fitting = commands.filter { command in
            words.starts(with: command.syntax.name.split(separator: " ").map(String.init))
        }
        let best = fitting.max { $0.syntax.name.count < $1.syntax.name.count }
        return best.map { ($0, Array(words.dropFirst($0.syntax.name.split(separator: " ").count))) }
    }

    private static var help: String {
        var text = "till: the cash register for apps that sell through the App Store\n\n"
        text += "usage: till COMMAND [options]\n\n"
        let shown = commands.filter { !$0.syntax.isHidden }
        let width = shown.map(\.syntax.name.count).max() ?? 0
        for command in shown {
            let name = command.syntax.name
            text += "  \(name)\(String(repeating: " ", count: width - name.count + 2))"
            text += "\(command.syntax.summary)\n"
        }
        return text + "\ntill COMMAND --help tells more.\n"
    }
}
