/// Chooses the StoreKit that owns the queue.
enum SystemStore {
    static func front(_ choice: TillConfiguration.StoreKitChoice) -> any StoreFront {
        if choice == .automatic, #available(iOS 15, macOS 12, tvOS 15, watchOS 8, *) {
            return ModernStoreFront()
        }
        return OriginalStoreFront()
    }
}
