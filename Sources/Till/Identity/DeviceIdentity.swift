import TillAPI

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
    private static let standingName = "standing"
    private static let keysName = "entitlementKeys"
    private static let mergesName = "merges"

    func deviceID(_ makeUUID: () -> UUID) -> String {
        homes.text(Self.deviceName) { makeUUID().uuidString.lowercased() }
    }

    /// The session lives in the first home alone: a token is no matter for the user defaults.
    func session() -> Session? { read(Session.self, Self.sessionName) }

    func keep(_ session: Session) { write(session, Self.sessionName) }

    /// What was seen of signed answers; none where it cannot be read.
    func standing(of customerID: String) -> Standing? {
        let standing = read(Standing.self, Self.standingName)
        return standing?.customerID == customerID ? standing : nil
    }

    func keep(_ standing: Standing) { write(standing, Self.standingName) }

    /// The server's public keys, as they were fetched last.
    func keySet() -> KeySetDocument? { read(KeySetDocument.self, Self.keysName) }

    func keep(_ keys: KeySetDocument) { write(keys, Self.keysName) }

    /// Customers who are to become part of others, with their tokens.
    func merges() -> [PendingMerge] { read([PendingMerge].self, Self.mergesName) ?? [] }

    /// Whether it is kept now.
    @discardableResult
    func keep(_ merges: [PendingMerge]) -> Bool {
        if merges.isEmpty {
            homes.first.remove(Self.mergesName)
            return true
        }
        return write(Array(merges.suffix(PendingMerge.limit)), Self.mergesName)
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
        guard case .found(let text) = homes.first.read(name) else { return nil }
        return try? JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @discardableResult
    private func write(_ value: some Encodable, _ name: String) -> Bool {
        guard let bytes = try? JSONEncoder().encode(value) else { return false }
        return homes.first.write(String(decoding: bytes, as: UTF8.self), for: name)
    }

    func forgetSession() { homes.first.remove(Self.sessionName) }
}
