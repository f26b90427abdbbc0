import Foundation

/// What the system knows of this process; nothing where it keeps no `/proc`.
enum ProcessFacts {
    static func samples() -> [MetricSample] {
        let folder = "/proc/self"
        var samples: [MetricSample] = []
        if let status = try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8),
            let facts = ProcessStatus(status)
        {
            let page = Double(sysconf(Int32(_SC_PAGESIZE)))
            let tick = 1 / Double(sysconf(Int32(_SC_CLK_TCK)))
            samples.append(MetricSample(.processorTime, Double(facts.processorTicks) * tick))
            samples.append(MetricSample(.memory, Double(facts.memoryPages) * page))
            if let boot = bootTime() {
                samples.append(MetricSample(.startTime, boot + Double(facts.startTicks) * tick))
            }
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd") {
            samples.append(MetricSample(.openFiles, Double(files.count)))
        }
        return samples
    }

    /// When the system started, in seconds since 1970.
    private static func bootTime() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }
}

/// The numbers of `/proc/self/stat` (proc(5)) that are told.
struct ProcessStatus: Hashable {
    let processorTicks: Int
    let startTicks: Int
    let memoryPages: Int

    /// Reads the file's one line; the program's name in it may hold spaces and brackets.
    init?(_ text: String) {
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        // The state, which follows the name, is the third field.
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        func field(_ number: Int) -> Int? {
            let index = number - 3
            return fields.indices.contains(index) ? Int(fields[index]) : nil
        }
        guard let user = field(14), let system = field(15), let start = field(22),
            let pages = field(24)
        else { return nil }
        processorTicks = user + system
        startTicks = start
        memoryPages = pages
    }
}
