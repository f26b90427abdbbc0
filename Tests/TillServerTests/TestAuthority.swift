import AppStoreModel
import AppStoreSigning
import CryptoPrimitives
import Foundation

/// A store of the tests' own with two roots, one for receipts and one for signed values, as Apple's.
final class TestAuthority: Sendable {
    /// The store that the shops of these tests believe.
    static let shared = TestAuthority()
    /// One that nobody believes.
    static let stranger = TestAuthority()

    private let receipts: SigningAuthority
    private let values: SigningAuthority

    private init() {
        do {
            receipts = try SigningAuthority.make(named: "Test Receipt Root")
            values = try SigningAuthority.make(named: "Test Value Root")
        } catch {
            fatalError("no keys for the tests: \(error)")
        }
    }

    /// Writes the roots as `receipts.der` and `values.der`.
    func writeRoots(to folder: TemporaryFolder) throws {
        for (name, authority) in [("receipts.der", receipts), ("values.der", values)] {
            try Data(authority.root.der).write(to: URL(fileURLWithPath: folder.file(name)))
        }
    }

    /// The signed transaction in compact form.
    func sign(_ transaction: TransactionPayload) throws -> String { try values.sign(transaction) }

    /// The signed notification, and what is in it.
    func sign(
        _ notification: NotificationPayload, _ transaction: TransactionPayload? = nil,
        _ renewal: RenewalPayload? = nil
    ) throws -> String {
        try values.sign(notification, transaction: transaction, renewal: renewal)
    }

    /// The signed renewal info in compact form.
    func sign(_ renewal: RenewalPayload) throws -> String { try values.sign(renewal) }

    /// The signed receipt, DER.
    func sign(_ receipt: AppReceipt) throws -> [UInt8] { try receipts.sign(receipt) }
}
