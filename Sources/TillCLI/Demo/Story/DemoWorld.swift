#if os(Linux)
    import AppStoreModel
    import CryptoPrimitives
    import Foundation
    import StoreWire
    import TillAPI
    import TillLedger
    import TillServer

    /// A store and a server, each a process of its own, and the network between them and the phones.
    struct DemoWorld {
        static let coins: AppStoreModel.ProductID = "com.example.coins600"
        static let fewCoins: AppStoreModel.ProductID = "com.example.coins100"
        static let lifetime: AppStoreModel.ProductID = "com.example.lifetime"

        let home: String
        let store: ChildProcess
        let storeURL: String
        let server: ChildProcess
        let serverURL: String
        let network: DemoNetwork
        /// What a person would do on the store's page.
        let hand: ControlClient
        /// What the app's own backend would ask the server.
        let backend: DemoClient
        private let issuer: CustomerTokenIssuer

        /// Begins all of it with an empty ledger and no purchase.
        static func begin(home: String) async throws -> DemoWorld {
            let store = try ChildProcess(
                ["store", "--state", "\(home)/store", "--port", "0", "--production-port", "0"],
                complaints: "\(home)/store.log")
            do {
                return try await begin(home: home, store: store)
            } catch {
                store.kill()
                throw error
            }
        }

        private static func begin(home: String, store: ChildProcess) async throws -> DemoWorld {
            let storeURL = try await store.address()
            let hand = ControlClient(url: storeURL)
            let info = try await hand.call(.info, as: StoreInfo.self).value
            try Data(base64Encoded: info.rootCertificate)?
                .write(to: URL(fileURLWithPath: "\(home)/store-root.der"))
            let secret = secureRandomBytes(32).map { String(format: "%02x", $0) }.joined()
            let file = "\(home)/till.json"
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            try encoder.encode(configuration(secret: secret))
                .write(to: URL(fileURLWithPath: file))
            let server = try ChildProcess(
                ["serve", "--config", file], complaints: "\(home)/serve.log")
            do {
                let serverURL = try await server.address()
                return DemoWorld(
                    home: home, store: store, storeURL: storeURL, server: server,
                    serverURL: serverURL, network: try DemoNetwork(to: serverURL), hand: hand,
                    backend: DemoClient(url: serverURL, secret: SecretText(secret)),
                    issuer: CustomerTokenIssuer(secret: SecretText(secret)))
            } catch {
                server.kill()
                throw error
            }
        }

        private static func configuration(secret: String) -> JSONValue {
            [
                "listen": "127.0.0.1:0", "database": "sqlite:till.db",
                "customerTokens": ["hs256": .string(secret)],
                "apps": [
                    [
                        "bundleId": "com.example.app", "environments": ["Sandbox"],
                        "trustedRoots": ["store-root.der"],
                        "products": [
                            "com.example.coins100": [
                                "type": "consumable", "credits": ["coins": 100],
                            ],
                            "com.example.coins600": [
                                "type": "consumable", "credits": ["coins": 600],
                            ],
                            "com.example.lifetime": [
                                "type": "nonConsumable", "entitlements": ["forever"],
                            ],
                        ],
                    ]
                ],
            ]
        }

        /// A phone with the app on it, and somebody who is logged in in the app.
        func phone(
            _ name: String, of customer: String, account: String, isOld: Bool = false
        ) -> DemoPhone {
            let token = CustomerID(rawValue: customer).map {
                issuer.token(for: $0, until: SystemClock.now().advanced(byMilliseconds: 86_400_000))
            }
            return DemoPhone(
                name: name,
                environment: [
                    "TILL_STORE_URL": storeURL, "TILL_STORE_DEVICE": "\(home)/\(name)",
                    "TILL_STORE_ACCOUNT": account, "TILL_STORE_BUNDLE_ID": "com.example.app",
                ],
                launch: PhoneCommand(
                    verb: .launch, server: network.url, customer: customer, token: token,
                    folder: "\(home)/\(name)/till", isOld: isOld),
                complaints: "\(home)/\(name).log")
        }

        /// What the server says that a customer has.
        func customer(_ name: String) async throws -> CustomerDocument? {
            guard let id = CustomerID(rawValue: name) else { return nil }
            guard case .value(let document) = try await backend.customer(id) else { return nil }
            return document
        }

        /// What the store has sold of a product to an account.
        func sales(of product: AppStoreModel.ProductID, to account: String) async throws
            -> [TransactionRecord]
        {
            try await hand.call(
                .transactions, query: [("account", account), ("product", product.rawValue)],
                as: TransactionsPage.self
            ).value.transactions
        }

        func end() async {
            server.stop()
            store.stop()
            await network.close()
        }
    }
#endif
