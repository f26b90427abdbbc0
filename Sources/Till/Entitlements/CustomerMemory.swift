import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How long what the server said may be shown while the server cannot be asked.
struct OfflineRules: Sendable, Hashable {
    /// Milliseconds after which nothing is open any more.
    var age: Int64
    /// Milliseconds for which a subscription whose end has come may be taken as renewed, when the
    /// server has not been asked since.
    var grace: Int64
}

/// What the server said last of one customer.
struct CustomerMemory: Sendable, Hashable, Codable {
    var customer: CustomerDocument
    var time: TrustedTime
    /// Whether the server has refused this customer since.
    var isRefused = false
    /// Until when what was signed may be believed; none where nobody signs.
    var validUntil: Timestamp?

    /// The view at a moment of the server's time.
    func view(at now: Timestamp, rules: OfflineRules, basis: EntitlementView.Basis)
        -> EntitlementView
    {
        let isTooOld =
            now > time.serverTime.advanced(byMilliseconds: rules.age)
            || validUntil.map { now >= $0 } ?? false
        let basis: EntitlementView.Basis = isRefused ? .refused : isTooOld ? .tooOld : basis
        let mayBeOpen = basis == .server || basis == .remembered
        let all = customer.entitlements.map { document in
            Entitlement(
                name: document.entitlement,
                isActive: mayBeOpen && document.isActive && Self.isOpen(document, now, rules),
                expiresAt: document.expiresAt, productID: document.productID)
        }
        return EntitlementView(basis: basis, all: all, asOf: time.serverTime)
    }

    private static func isOpen(
        _ document: EntitlementDocument, _ now: Timestamp, _ rules: OfflineRules
    ) -> Bool {
        guard let end = document.expiresAt else { return true }
        return now < end.advanced(byMilliseconds: rules.grace)
    }
}

/// Keeps what the server said on disk.
struct CustomerShelf: Sendable {
    let disk: any Disk

    static let fileName = "customer.json"

    func read(for customerID: String) async -> CustomerMemory? {
        guard let bytes = await disk.read(Self.fileName),
            let memory = try? JSONDecoder().decode(CustomerMemory.self, from: bytes),
            memory.customer.customerID == customerID
        else { return nil }
        return memory
    }

    /// A failing disk is no matter: the server is asked again.
    func keep(_ memory: CustomerMemory) async {
        guard let bytes = try? JSONEncoder().encode(memory) else { return }
        try? await disk.write(bytes, to: Self.fileName)
    }

    func clear() async { await disk.remove(Self.fileName) }
}
