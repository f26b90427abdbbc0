import Foundation
import StoreKit

/// The app receipt on this device.
enum AppReceiptFile {
    /// Bytes of a receipt at the most.
    static let limit = 4 << 20

    /// The receipt's bytes; `nil` when there is no file or an empty one.
    static func bytes() -> Data? {
        guard let address = Bundle.main.appStoreReceiptURL,
            let bytes = try? Data(contentsOf: address), !bytes.isEmpty, bytes.count <= limit
        else { return nil }
        return bytes
    }
}
