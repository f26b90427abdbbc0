#if canImport(Security)
    import Foundation
    import Security

    /// Secrets in the Keychain: they outlive the app, are never in a backup of another device, and can
    /// be read in the background after the first unlock.
    struct KeychainSecrets: SecretStore {
        let service: String

        func read(_ name: String) -> SecretReading {
            let query = item(name)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne as String
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess:
                guard let bytes = found as? Data else { return .absent }
                return .found(String(decoding: bytes, as: UTF8.self))
            case errSecItemNotFound: return .absent
            default: return .unavailable
            }
        }

        func write(_ text: String, for name: String) -> Bool {
            let news = NSMutableDictionary()
            news[kSecValueData as String] = Data(text.utf8)
            let status = SecItemUpdate(item(name) as CFDictionary, news as CFDictionary)
            guard status == errSecItemNotFound else { return status == errSecSuccess }
            let fresh = item(name)
            fresh[kSecValueData as String] = Data(text.utf8)
            fresh[kSecAttrAccessible as String] =
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
            return SecItemAdd(fresh as CFDictionary, nil) == errSecSuccess
        }

        func remove(_ name: String) { _ = SecItemDelete(item(name) as CFDictionary) }

        private func item(_ name: String) -> NSMutableDictionary {
            let item = NSMutableDictionary()
            item[kSecClass as String] = kSecClassGenericPassword as String
            item[kSecAttrService as String] = service
            item[kSecAttrAccount as String] = name
            return item
        }
    }
#endif
