#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Secrets in files that their owner alone may read, where there is no Keychain.
struct FileSecrets: SecretStore {
    let folder: String

    func read(_ name: String) -> SecretReading {
        let path = path(name)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            return FileManager.default.fileExists(atPath: path) ? .unavailable : .absent
        }
        return bytes.isEmpty ? .absent : .found(String(decoding: bytes, as: UTF8.self))
    }

    func write(_ text: String, for name: String) -> Bool {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try DurableFile.replace(path(name), with: Data(text.utf8), in: folder)
            return true
        } catch {
            return false
        }
    }

    func remove(_ name: String) { DurableFile.remove(path(name), in: folder) }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}
