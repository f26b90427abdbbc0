import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import Testing

@testable import AppStoreClient

/// What a client is told, and what it does not take.
@Suite struct ConfigurationTests {
    private func fault(
        _ change: (inout AppStoreClient.Configuration) -> Void
    ) throws -> AppStoreClientError? {
        var configuration = try ScriptedWorld.configuration()
        change(&configuration)
        do throws(AppStoreClientError) {
            _ = try AppStoreClient(configuration, fetcher: Script([]))
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "https://api.example.com", "https://api.example.com/", "https://api.example.com/apple//",
        "HTTPS://api.example.com:8443", "http://127.0.0.1:8090", "http://localhost:8090",
        "http://[::1]:8090", "http://127.9.8.7",
    ]) func `An address that is safe is taken`(_ address: String) throws {
        #expect(try fault { $0.production = .init(both: address) } == nil)
    }

    @Test(arguments: [
        "", "/", "api.example.com", "ftp://api.example.com", "https://", "https:///path",
        "https://api.example.com?x=1", "https://api.example.com#x", "https://user@example.com",
        "https://api example.com", "https://äpi.example.com", "http://api.example.com",
        "http://127.0.0.1.example.com", "http://127.example.com", "http://localhost.example.com",
        "http://128.0.0.1", "http://[::1", "http://127.0.0.256", "https://a\\b", "http://0x7f.1",
    ]) func `An address that is none or sends secrets about in the open is refused`(
        _ address: String
    ) throws {
        for change in [
            { $0.production = .init(both: address) }, { $0.sandbox.serverAPI = address },
            { $0.sandbox.verifyReceipt = address },
        ] as [(inout AppStoreClient.Configuration) -> Void] {
            let error = try fault(change)
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.remedy == .configuration([.addresses]))
        }
    }

    @Test func `Plain HTTP to another machine must be asked for by its name`() throws {
        #expect(
            try fault {
                $0.sandbox = .init(both: "http://store:8090")
                $0.unsafelyAllowsPlainHTTP = true
            } == nil)
    }

    @Test func `Environments are production, sandbox or both, each once`() throws {
        for environments in [[], [.production, .production], [.xcode], ["Moon"]]
            as [[AppStoreEnvironment]]
        {
            #expect(
                try fault { $0.environments = environments }?.remedy
                    == .configuration([.environments]))
        }
        for environments in [[.sandbox], [.production], [.sandbox, .production]]
            as [[AppStoreEnvironment]]
        {
            #expect(try fault { $0.environments = environments } == nil)
        }
    }

    @Test func `A key that cannot sign is found before anything is sent`() throws {
        let rsa = try PrivateKey.generate(.rsa(bits: 2_048)).pem
        let p384 = try PrivateKey.generate(.p384).pem
        let good = try ScriptedWorld.key.get().pem
        for pem in ["", "key", rsa, p384, String(good.dropFirst(30))] {
            let error = try fault { $0.serverKey?.privateKey = SecretText(pem) }
            #expect(error?.remedy == .configuration([.serverKey]))
        }
        #expect(try fault { $0.serverKey?.keyID = "" } != nil)
        #expect(try fault { $0.serverKey?.issuerID = "" } != nil)
        #expect(try fault { $0.serverKey?.privateKey = SecretText(good + "\n") } == nil)
    }

    @Test func `Limits are above zero and no more than a day, and an app has a name`() throws {
        let changes: [(inout AppStoreClient.CallLimits) -> Void] = [
            { $0.totalMilliseconds = 0 }, { $0.attemptMilliseconds = 0 },
            { $0.connectMilliseconds = -1 }, { $0.responseBytes = 0 }, { $0.repeats = -1 },
            { $0.firstPauseMilliseconds = 0 }, { $0.longestPauseMilliseconds = 0 },
            { $0.longestRatePauseMilliseconds = 0 }, { $0.totalMilliseconds = .max },
            { $0.longestPauseMilliseconds = 86_400_001 }, { $0.responseBytes = .max },
            { $0.repeats = 101 },
        ]
        for change in changes {
            #expect(try fault { change(&$0.limits) }?.remedy == .configuration([.limits]))
        }
        #expect(try fault { $0.limits.repeats = 0 } == nil)
        #expect(try fault { $0.limits.totalMilliseconds = 86_400_000 } == nil)
        #expect(try fault { $0.bundleID = "" }?.remedy == .configuration([.bundleID]))
    }

    @Test func `Out of the box Apple's own addresses are asked`() {
        #expect(
            AppStoreClient.Addresses.appleProduction.serverAPI == "https://api.storekit.apple.com")
        #expect(
            AppStoreClient.Addresses.appleSandbox.serverAPI
                == "https://api.storekit-sandbox.apple.com")
    }
}
