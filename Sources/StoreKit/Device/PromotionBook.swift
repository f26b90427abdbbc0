import Foundation

/// The order and the visibility of promoted products, as this device sets them over the store's own.
struct Promotions: Codable, Sendable {
    /// Product names.
    var order: [String] = []
    /// Apple's numbers by product.
    var visibility: [String: Int] = [:]
}

/// Keeps the promotions in the device's folder, so that later launches find them.
struct PromotionBook: Sendable {
    private let url: URL
    private let guardian: Guarded<Promotions?>

    init(folder: URL) {
        url = folder.appendingPathComponent("promotions.json")
        guardian = Guarded(nil)
    }

    func read() -> Promotions { guardian.withLock { known(&$0) } }

    func change(_ body: (inout Promotions) -> Void) {
        guardian.withLock { kept in
            var promotions = known(&kept)
            body(&promotions)
            kept = promotions
            // Without a folder the next launch knows nothing; there is nobody to tell.
            guard let data = try? JSONEncoder().encode(promotions),
                (try? FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)) != nil
            else { return }
            try? data.write(to: url, options: .atomic)
        }
    }

    private func known(_ kept: inout Promotions?) -> Promotions {
        if let kept { return kept }
        let read =
            (try? Data(contentsOf: url)).flatMap { data in
                data.count <= 1 << 20 ? try? JSONDecoder().decode(Promotions.self, from: data) : nil
            } ?? Promotions()
        kept = read
        return read
    }
}
