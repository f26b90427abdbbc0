#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why something could not be written.
struct DiskFault: Error, Sendable, Hashable {
    var detail: String
}

/// A folder of small files.
protocol Disk: Sendable {
    /// What is in the folder, nothing before it is made; `nil` when nobody can say now.
    func names() async -> [String]?
    func read(_ name: String) async -> Data?
    /// Replaces the whole file or nothing of it, and returns when it would survive a power cut.
    func write(_ bytes: Data, to name: String) async throws(DiskFault)
    func remove(_ name: String) async
}
