public import Foundation
import HTTPFetch
public import HTTPMessage

/// Where this process finds its App Store, and the device that it plays.
///
/// This is not Apple's but Linux's alone. Without a word from the program the connection comes from the environment, see ``fromEnvironment``.
public struct LocalStoreConnection: Sendable {
    /// The store's address, as `http://127.0.0.1:8090`.
    public var url: String
    /// What carries the calls.
    public var fetcher: any HTTPFetching
    /// Where the device keeps what survives the process: its name, the receipt file.
    public var folder: URL
    /// The app; the store's own when there is none.
    public var bundleID: String?
    /// The Apple account to sign in; the one signed in before when there is none.
    public var accountID: String?
    /// The language of product texts, as `en_US`; the store's own when there is none.
    public var locale: String?
    /// The app's build number as it stands in receipts.
    public var appVersion: String?
    /// What the person in front of the device does.
    public var person = LocalStorePerson.usual
    /// How long one call may take, in milliseconds.
    public var callMilliseconds = 30_000

    /// Makes a connection; calls are carried over sockets unless another fetcher is given.
    public init(url: String, fetcher: (any HTTPFetching)? = nil, folder: URL? = nil) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.fetcher = fetcher ?? sharedFetcher
        self.folder = folder ?? Self.defaultFolder(ProcessInfo.processInfo.environment)
        bundleID = Bundle.main.bundleIdentifier
    }

    /// What the environment says.
    ///
    /// `TILL_STORE_URL` is the address; `TILL_STORE_DEVICE` the folder (else one named after the program
    /// in `~/.local/state/till-storekit`); `TILL_STORE_BUNDLE_ID`, `TILL_STORE_ACCOUNT`,
    /// `TILL_STORE_LOCALE` and `TILL_STORE_APP_VERSION` the rest.
    public static var fromEnvironment: LocalStoreConnection {
        let environment = ProcessInfo.processInfo.environment
        func word(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var connection = LocalStoreConnection(
            url: word("TILL_STORE_URL") ?? "", folder: defaultFolder(environment))
        connection.bundleID = word("TILL_STORE_BUNDLE_ID") ?? Bundle.main.bundleIdentifier
        connection.accountID = word("TILL_STORE_ACCOUNT")
        connection.locale = word("TILL_STORE_LOCALE")
        connection.appVersion =
            word("TILL_STORE_APP_VERSION")
            ?? Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String
        return connection
    }

    private static func defaultFolder(_ environment: [String: String]) -> URL {
        if let named = environment["TILL_STORE_DEVICE"], !named.isEmpty {
            return URL(fileURLWithPath: named, isDirectory: true)
        }
        let state: URL
        if let home = environment["XDG_STATE_HOME"], !home.isEmpty {
            state = URL(fileURLWithPath: home, isDirectory: true)
        } else {
            state = URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
                .appendingPathComponent(".local/state", isDirectory: true)
        }
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return
            state
            .appendingPathComponent("till-storekit", isDirectory: true)
            .appendingPathComponent(program, isDirectory: true)
    }
}

/// One fetcher for the process: each has a thread and connections of its own.
private let sharedFetcher = CurlFetcher()

/// Begins and ends launches of the app inside one process, for tests.
///
/// This is not Apple's but Linux's alone. A process is one launch by itself. Ending it forgets what an app forgets when it is killed: observers,
/// the queue in memory, usernames of payments, running loops over updates. What lies in the connection's
/// folder and in the store survives.
public enum LocalStoreLaunch {
    /// Begins a launch over `connection`, after ending the one that runs.
    public static func begin(_ connection: LocalStoreConnection) {
        StoreSession.replace(with: StoreSession(connection))
    }

    /// Kills the app: what was on its way to the store may or may not arrive.
    ///
    /// The next use of StoreKit begins a launch over the connection of the environment.
    public static func end() {
        StoreSession.replace(with: nil)
    }
}
