import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of the file system.
///
/// Its blocking calls run on a queue of their own, one after the other.
final class FileDisk: Disk {
    /// Bytes of one file at the most; what is larger is none of ours.
    static let fileBytes = 4 << 20

    private let folder: String
    private let queue = DispatchQueue(label: "till.disk")

    /// The folder is made when the first file is written.
    init(folder: String) { self.folder = folder }

    func names() async -> [String]? {
        await onQueue {
            if let names = try? FileManager.default.contentsOfDirectory(atPath: self.folder) {
                return names
            }
            return FileManager.default.fileExists(atPath: self.folder) ? nil : []
        }
    }

    func read(_ name: String) async -> Data? {
        await onQueue {
            guard let bytes = FileManager.default.contents(atPath: self.path(name)),
                bytes.count <= Self.fileBytes
            else { return nil }
            return bytes
        }
    }

    func write(_ bytes: Data, to name: String) async throws(DiskFault) {
        let fault: DiskFault? = await onQueue {
            do throws(DiskFault) {
                try self.makeFolder()
                try DurableFile.replace(self.path(name), with: bytes, in: self.folder)
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    func remove(_ name: String) async {
        await onQueue { DurableFile.remove(self.path(name), in: self.folder) }
    }

    private func makeFolder() throws(DiskFault) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw DiskFault(detail: "no folder \(folder): \(error)")
        }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
