@testable import StoreKit

/// Waits until a loop that was begun elsewhere hears what comes from now on.
enum Listening {
    static func toStatuses() async {
        while !StoreSession.current.subscriptions.hasListeners { await Task.yield() }
    }
}
