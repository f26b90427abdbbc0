import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The orders that are not over, on disk: one file an order, so that a broken one spoils no other.
///
/// An order is noted before it is paid and struck out after its transaction has been let go of.
actor Journal {
    /// Orders that are kept at the most.
    ///
    /// Beyond it those that ended without a payment go first, the oldest first; one that may be
    /// paid is never dropped.
    static let capacity = 256

    /// Milliseconds for which an order that may be paid is kept after the server gave it up: 30 days.
    static let patience: Int64 = 30 * 86_400_000

    private let disk: any Disk
    private let lane = Lane()
    private var orders: [OrderID: Order] = [:]
    private var isRead = false

    init(disk: any Disk) { self.disk = disk }

    /// Every order, oldest first.
    func all() async -> [Order] {
        await lane.enter()
        await read()
        await lane.leave()
        return sorted()
    }

    func order(_ id: OrderID) async -> Order? {
        await lane.enter()
        await read()
        await lane.leave()
        return orders[id]
    }

    /// Notes an order, and returns when it would survive a power cut.
    func note(_ order: Order) async throws(DiskFault) {
        await lane.enter()
        await read()
        let fault = await write(order)
        await makeRoom()
        await lane.leave()
        if let fault { throw fault }
    }

    /// Changes an order that is there; when the disk fails the change holds for this launch.
    func update(_ id: OrderID, _ change: @Sendable (inout Order) -> Void) async {
        await lane.enter()
        await read()
        if var order = orders[id] {
            change(&order)
            orders[id] = order
            _ = await write(order)
        }
        await lane.leave()
    }

    func strikeOut(_ id: OrderID) async {
        await lane.enter()
        await read()
        await drop(id)
        await lane.leave()
    }

    private func write(_ order: Order) async -> DiskFault? {
        guard let bytes = try? JSONEncoder().encode(order) else {
            return DiskFault(detail: "an order cannot be encoded")
        }
        do throws(DiskFault) {
            try await disk.write(bytes, to: Self.fileName(order.orderID))
        } catch {
            return error
        }
        orders[order.orderID] = order
        return nil
    }

    private func drop(_ id: OrderID) async {
        guard orders.removeValue(forKey: id) != nil else { return }
        await disk.remove(Self.fileName(id))
    }

    private func sorted() -> [Order] {
        orders.values.sorted {
            ($0.openedAt, $0.orderID.description) < ($1.openedAt, $1.orderID.description)
        }
    }

    private func makeRoom() async {
        guard orders.count > Self.capacity else { return }
        let droppable = sorted().filter { $0.state == .cancelled || $0.state == .failed }
        for order in droppable.prefix(orders.count - Self.capacity) { await drop(order.orderID) }
    }

    private func read() async {
        guard !isRead else { return }
        for name in await disk.names() where name.hasPrefix(Self.prefix) {
            guard let bytes = await disk.read(name),
                let order = try? JSONDecoder().decode(Order.self, from: bytes)
            else { continue }
            orders[order.orderID] = order
        }
        isRead = true
    }

    private static let prefix = "order-"

    private static func fileName(_ id: OrderID) -> String { "\(prefix)\(id).json" }
}
