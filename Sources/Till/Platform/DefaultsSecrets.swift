#if canImport(Security)
    import Foundation

    /// The user defaults as the second home of what is no secret.
    struct DefaultsSecrets: SecretStore {
        let prefix: String

        func read(_ name: String) -> SecretReading {
            UserDefaults.standard.string(forKey: key(name)).map { .found($0) } ?? .absent
        }

        func write(_ text: String, for name: String) -> Bool {
            UserDefaults.standard.set(text, forKey: key(name))
            return true
        }

        func remove(_ name: String) { UserDefaults.standard.removeObject(forKey: key(name)) }

        private func key(_ name: String) -> String { "\(prefix).\(name)" }
    }
#endif
