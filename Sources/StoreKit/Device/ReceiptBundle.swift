import Foundation

// Apple's Foundation says where the app's receipt lies. Linux's has the property too and always says nil,
// and it is not ours to declare: an extension's property of the same name is ambiguous where a file
// imports Foundation as well, and unseen where a file imports nothing else. `Bundle` cannot be subclassed
// outside its module either. So the one object `Bundle.main` gets a class of its own: a copy of the class
// `Bundle`, with the getter replaced in its method table, and `Bundle` as its superclass. Should a
// toolchain lay classes out differently, nothing is changed and the property stays nil; a test would tell.

/// Brings the getter that takes the place of Foundation's.
///
/// A method's self is passed alike whatever its class, and this one does not look at it.
open class ReceiptGetter {
    init() {}

    /// Where the receipt of the device lies, whether or not there is one.
    open var appStoreReceiptURL: URL? {
        let session = StoreSession.current
        session.wake()
        return session.folder.receiptURL
    }
}

/// Where the parts of a class stand, from its address point, where there is no Objective-C.
private enum ClassLayout {
    static let superclass = 8
    static let size = 32
    static let addressPoint = 36
    /// After the description and the destroyer of stored properties.
    static let firstMethod = 56
    /// `ReceiptGetter` declares its initializer first and the getter second.
    static let receiptGetter = firstMethod + 8
}

private func giveMainBundleItsReceipt() {
    let name = "$s10Foundation6BundleC18appStoreReceiptURL0A10Essentials0F0VSgvg"
    guard let original = unsafe dlsym(nil, name) else { return }
    let bundle = unsafe unsafeBitCast(Bundle.self as AnyClass, to: UnsafeMutableRawPointer.self)
    let donor = unsafe unsafeBitCast(ReceiptGetter.self as AnyClass, to: UnsafeRawPointer.self)
    let size = unsafe Int(bundle.load(fromByteOffset: ClassLayout.size, as: UInt32.self))
    let point = unsafe Int(bundle.load(fromByteOffset: ClassLayout.addressPoint, as: UInt32.self))
    guard point > 0, size > point + ClassLayout.firstMethod, size < 1 << 16 else { return }
    let slot = stride(from: ClassLayout.firstMethod, to: size - point, by: 8).first {
        unsafe bundle.load(fromByteOffset: $0, as: UnsafeMutableRawPointer?.self) == original
    }
    guard let slot else { return }

    // Never given back: the main bundle lives as long as the process.
    let copy = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    unsafe copy.copyMemory(from: bundle - point, byteCount: size)
    let ours = unsafe copy + point
    unsafe ours.storeBytes(
        of: donor.load(fromByteOffset: ClassLayout.receiptGetter, as: UInt.self),
        toByteOffset: slot, as: UInt.self)
    unsafe ours.storeBytes(
        of: UInt(bitPattern: bundle), toByteOffset: ClassLayout.superclass, as: UInt.self)
    unsafe Unmanaged.passUnretained(Bundle.main).toOpaque()
        .storeBytes(of: UInt(bitPattern: ours), as: UInt.self)
}

// Runs before `main`, so that no question comes too early.
@section(".init_array") @used
private let atStart: @convention(c) () -> Void = { giveMainBundleItsReceipt() }
