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

    /// What the app let go of and the store has not heard of, so that a process that ends at once loses
    /// none of it.
    struct Finishes: Codable, Sendable, Hashable {
        var store: String
        var itemIDs: [String] = []
        var transactionIDs: [String] = []

        /// Names of each kind at the most; the oldest go first.
        static let limit = 4_096

        var isEmpty: Bool { itemIDs.isEmpty && transactionIDs.isEmpty }

        mutating func note(_ key: FinishKey) {
            forget(key)
            switch key {
            case .item(let id): itemIDs = (itemIDs + [id]).suffix(Self.limit)
            case .transaction(let number):
                transactionIDs = (transactionIDs + [String(number)]).suffix(Self.limit)
            }
        }

        mutating func forget(_ key: FinishKey) {
            switch key {
            case .item(let id): itemIDs.removeAll { $0 == id }
            case .transaction(let number): transactionIDs.removeAll { $0 == String(number) }
            }
        }
    }

    private var finishesURL: URL { url.appendingPathComponent("finishes.json") }

    /// What waits to be finished at a store; what another store was to hear is no matter.
    func finishes(at store: String) -> Finishes {
        guard let data = try? Data(contentsOf: finishesURL), data.count <= 1 << 20,
            let kept = try? JSONDecoder().decode(Finishes.self, from: data), kept.store == store
        else { return Finishes(store: store) }
        return kept
    }

    /// Without a folder a finish is as safe as its process.
    func write(_ finishes: Finishes) {
        guard !finishes.isEmpty else {
            try? FileManager.default.removeItem(at: finishesURL)
            return
        }
        guard let data = try? JSONEncoder().encode(finishes), makeFolder(url) else { return }
        try? data.write(to: finishesURL, options: .atomic)
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
