#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names that a device keeps: its own, and its customer's.
struct DeviceIdentity {
    let homes: TwoHomes

    private static let deviceName = "device"
    private static let sessionName = "session"

    func deviceID(_ makeUUID: () -> UUID) -> String {
        homes.text(Self.deviceName) { makeUUID().uuidString.lowercased() }
    }

    /// The session lives in the first home alone: a token is no matter for the user defaults.
    func session() -> Session? {
        guard case .found(let text) = homes.first.read(Self.sessionName) else { return nil }
        return try? JSONDecoder().decode(Session.self, from: Data(text.utf8))
    }

    func keep(_ session: Session) {
        guard let bytes = try? JSONEncoder().encode(session) else { return }
        _ = homes.first.write(String(decoding: bytes, as: UTF8.self), for: Self.sessionName)
    }

    func forgetSession() { homes.first.remove(Self.sessionName) }
}
