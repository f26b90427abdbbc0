#if canImport(Darwin)
    import Foundation

    /// Tells when the app comes forward.
    ///
    /// The names are those of UIKit and AppKit, so that neither has to be imported.
    enum Foreground {
        static func begin(_ wakeUps: AsyncStream<WakeUp>.Continuation) {
            for name in [
                "UIApplicationDidBecomeActiveNotification",
                "NSApplicationDidBecomeActiveNotification",
            ] {
                _ = NotificationCenter.default.addObserver(
                    forName: Notification.Name(name), object: nil, queue: nil
                ) { _ in wakeUps.yield(.cameForward) }
            }
        }
    }
#endif
