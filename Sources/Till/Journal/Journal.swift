import AppStoreModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The orders that are not over, on disk: one file an order, so that a broken one spoils no other.
///
/// An order is noted before it is paid and struck out after its transaction has been let go of. The
/// files are read anew at each look, since an extension of the app, or a second `Till`, may write them
/// too.
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
    /// Orders whose files cannot be read.
    private var unreadable: Set<OrderID> = []
    /// Orders whose newest state the disk did not take: it holds for this launch.
    private var unwritten: Set<OrderID> = []
    private var ties = Ties()
    private var hasUnwrittenTies = false

    init(disk: any Disk) { self.disk = disk }

    /// What the journal says now.
    func view() async -> JournalView {
        await lane.enter()
        await read()
        await lane.leave()
        let named = sorted().map { order in
            var order = order
            order.customerID = ties.canonical(order.customerID)
            return order
        }
        return JournalView(
            orders: named,
            unreadable: unreadable.sorted { $0.description < $1.description }, ties: ties)
    }

    /// Every order, oldest first.
    func all() async -> [Order] { await view().orders }

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
            if await write(order) != nil {
                orders[id] = order
                unwritten.insert(id)
            }
        }
        await lane.leave()
    }

    func strikeOut(_ id: OrderID) async {
        await lane.enter()
        await read()
        await drop(id)
        await lane.leave()
    }

    /// Changes who is who; when the disk fails the change holds for this launch.
    ///
    /// Returns whether it would survive it.
    @discardableResult
    func tie(_ change: @Sendable (inout Ties) -> Void) async -> Bool {
        await lane.enter()
        await read()
        var changed = ties
        change(&changed)
        if changed != ties || hasUnwrittenTies {
            ties = changed
            hasUnwrittenTies = await !write(changed)
        }
        let isKept = !hasUnwrittenTies
        await lane.leave()
        return isKept
    }

    private func write(_ ties: Ties) async -> Bool {
        guard let bytes = try? JSONEncoder().encode(ties) else { return false }
        do throws(DiskFault) {
            try await disk.write(bytes, to: Self.tiesName)
            return true
        } catch {
            return false
        }
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
        unwritten.remove(order.orderID)
        unreadable.remove(order.orderID)
        return nil
    }

    private func drop(_ id: OrderID) async {
        let isKnown = orders.removeValue(forKey: id) != nil
        unwritten.remove(id)
        guard unreadable.remove(id) != nil || isKnown else { return }
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

    /// Reads what is there now; a folder that cannot be read changes nothing.
    private func read() async {
        guard let names = await disk.names() else { return }
        if !hasUnwrittenTies, names.contains(Self.tiesName),
            let bytes = await disk.read(Self.tiesName),
            let kept = try? JSONDecoder().decode(Ties.self, from: bytes)
        {
            ties = kept
        }
        var present: Set<OrderID> = []
        for name in names {
            guard let id = Self.orderID(ofFile: name) else { continue }
            present.insert(id)
            guard !unwritten.contains(id) else { continue }
            if let bytes = await disk.read(name),
                let order = try? JSONDecoder().decode(Order.self, from: bytes), order.orderID == id
            {
                orders[id] = order
                unreadable.remove(id)
            } else if orders[id] == nil {
                unreadable.insert(id)
            }
        }
        // Another instance struck them out.
        for id in orders.keys where !present.contains(id) && !unwritten.contains(id) {
            orders[id] = nil
        }
        unreadable.formIntersection(present)
    }

    private static let prefix = "order-"
    private static let suffix = ".json"
    private static let tiesName = "names.json"

    private static func fileName(_ id: OrderID) -> String { "\(prefix)\(id)\(suffix)" }

    /// The order of a file; drafts and strangers are none.
    private static func orderID(ofFile name: String) -> OrderID? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        return UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count)))
            .map { OrderID($0) }
    }
}
