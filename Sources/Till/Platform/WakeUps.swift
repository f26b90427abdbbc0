/// Everything on this platform that is a reason to try again.
enum WakeUps {
    static func system() -> AsyncStream<WakeUp> {
        AsyncStream { continuation in
            #if canImport(Network)
                NetworkReturn.begin(continuation)
            #endif
            #if canImport(Darwin)
                Foreground.begin(continuation)
            #endif
        }
    }
}
