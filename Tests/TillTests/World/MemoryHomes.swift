import HTTPMessage

@testable import Till

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a device, which outlive its launches.
final class DeviceFiles: Sendable {
    private let contents = Locked<[String: Data]>([:])
    private let broken = Locked(false)

    var names: [String] { contents.withLock { $0.keys.sorted() } }
    var orderCount: Int { names.filter { $0.hasPrefix("order-") }.count }

    private let hidden = Locked(false)

    /// The folder cannot be listed.
    func hides(_ isHidden: Bool) { hidden.withLock { $0 = isHidden } }
    var isHidden: Bool { hidden.withLock { $0 } }

    func breaks(_ isBroken: Bool) { broken.withLock { $0 = isBroken } }

    subscript(name: String) -> Data? {
        get { contents.withLock { $0[name] } }
        set { contents.withLock { $0[name] = newValue } }
    }

    var isBroken: Bool { broken.withLock { $0 } }
}

/// One launch's way to the files.
struct LaunchDisk: Disk {
    let files: DeviceFiles
    let life: KillSwitch

    func names() async -> [String]? { files.isHidden ? nil : files.names }

    func read(_ name: String) async -> Data? { files[name] }

    func write(_ bytes: Data, to name: String) async throws(DiskFault) {
        await life.pass("before writing \(name.prefix(5))")
        if files.isBroken { throw DiskFault(detail: "full") }
        files[name] = bytes
        await life.pass("after writing \(name.prefix(5))")
    }

    func remove(_ name: String) async {
        await life.pass("before removing \(name.prefix(5))")
        files[name] = nil
        await life.pass("after removing \(name.prefix(5))")
    }
}

/// A keychain in memory, which can be locked.
final class MemorySecrets: SecretStore {
    private let texts = Locked<[String: String]>([:])
    private let locked = Locked(false)

    func lock(_ isLocked: Bool) { locked.withLock { $0 = isLocked } }

    subscript(name: String) -> String? {
        get { texts.withLock { $0[name] } }
        set { texts.withLock { $0[name] = newValue } }
    }

    func read(_ name: String) -> SecretReading {
        if locked.withLock({ $0 }) { return .unavailable }
        return self[name].map { .found($0) } ?? .absent
    }

    func write(_ text: String, for name: String) -> Bool {
        if locked.withLock({ $0 }) { return false }
        self[name] = text
        return true
    }

    func remove(_ name: String) { self[name] = nil }
}
