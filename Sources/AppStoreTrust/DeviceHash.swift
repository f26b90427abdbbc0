public import AppStoreModel
import CryptoPrimitives

extension Verified where Value == AppReceipt {
    /// Whether the receipt was made for the device with that identifier, as the hash in it (attribute 5) tells.
    ///
    /// The identifier is the 16 bytes of `identifierForVendor`, or on a Mac the 6 of the address of its first
    /// network interface; what is longer or shorter names no device. Whoever sends a receipt can send its
    /// device's identifier too, so that this tells an app that runs where it should from a copied receipt, and
    /// is no part of the proof of payment.
    public func isMade(forDevice identifier: [UInt8]) -> Bool {
        let device = value.device
        guard [6, 16].contains(identifier.count), !device.opaqueValue.isEmpty else { return false }
        return SHA1.hash(identifier + device.opaqueValue + device.bundleIDAttribute) == device.hash
    }
}
