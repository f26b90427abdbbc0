import Foundation

/// Prints the story: headings, aligned rows, colours on a terminal alone.
struct Stage: Sendable {
    private let hasColours: Bool
    private let write: @Sendable (String) -> Void

    /// A stage on standard output.
    static func standardOutput() -> Stage {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let refused = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty == false
        return Stage(hasColours: isTerminal && !refused, write: { Terminal.print($0) })
    }

    init(hasColours: Bool, write: @escaping @Sendable (String) -> Void) {
        self.hasColours = hasColours
        self.write = write
    }

    enum Tone: String {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case good = "32"
        case bad = "31"
        case known = "36"
    }

    func paint(_ text: String, _ tone: Tone) -> String {
        hasColours && tone != .plain ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    func heading(_ number: Int, _ text: String) {
        write("")
        write(paint("\(number). \(text)", .bold))
    }

    func line(_ text: String = "", _ tone: Tone = .plain) { write(paint(text, tone)) }

    /// Cells of fixed widths and a last one of any length; too long ones are cut in the middle.
    func row(_ cells: [(text: String, width: Int)], _ last: String, _ tone: Tone = .plain) {
        var line = "   "
        for cell in cells { line += Self.fitted(cell.text, cell.width) + "  " }
        write(line + paint(last, tone))
    }

    /// The text in exactly `width` characters.
    static func fitted(_ text: String, _ width: Int) -> String {
        guard text.count > width else {
            return text + String(repeating: " ", count: width - text.count)
        }
        let head = (width - 1) / 2
        return text.prefix(head) + "…" + text.suffix(width - 1 - head)
    }
}
