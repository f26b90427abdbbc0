import Foundation

/// What survives of a device when the app's process ends.
struct DeviceFolder: Sendable {
    /// The device as it was named by the store.
    struct Record: Codable, Sendable, Hashable {
        var deviceID: String
        var store: String
        var environment: String
    }

    let url: URL

    private var recordURL: URL { url.appendingPathComponent("device.json") }

    var record: Record? {
        guard let data = try? Data(contentsOf: recordURL), data.count <= 64 << 10 else {
            return nil
        }
        return try? JSONDecoder().decode(Record.self, from: data)
    }

    func write(_ record: Record) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Without a folder the device is a new one at each launch; there is nobody to tell.
        guard let data = try? encoder.encode(record), makeFolder(url) else { return }
        try? data.write(to: recordURL, options: .atomic)
    }

    /// Apple names the file after the environment, and apps tell test builds by it.
    var receiptURL: URL {
        let isProduction = record?.environment == "Production"
        return
            url
            .appendingPathComponent("StoreKit", isDirectory: true)
            .appendingPathComponent(isProduction ? "receipt" : "sandboxReceipt")
    }

    func writeReceipt(_ receipt: Data?) {
        let place = receiptURL
        guard let receipt else {
            try? FileManager.default.removeItem(at: place)
            return
        }
        guard makeFolder(place.deletingLastPathComponent()) else { return }
        try? receipt.write(to: place, options: .atomic)
    }

    private func makeFolder(_ folder: URL) -> Bool {
        (try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true)) != nil
    }
}
