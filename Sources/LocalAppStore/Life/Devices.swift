import AppStoreModel
import StoreWire

extension StoreState {
    /// A device begins a process, for the first time or again; answers with its name.
    mutating func launch(
        _ request: LaunchRequest, environment: AppStoreEnvironment
    ) throws(StoreProblem) -> DeviceID {
        if let id = request.deviceID, let known = devices[id] {
            guard request.environment == nil || request.environment == known.environment else {
                throw StoreProblem(.notAllowedNow, detail: "a device stays in its environment")
            }
            if let account = request.accountID { try signIn(id, account) }
            devices.update(id) {
                $0.launches += 1
                if let version = request.appVersion { $0.appVersion = version }
                if let locale = request.locale { $0.locale = locale }
            }
            return id
        }
        let environment = request.environment ?? environment
        guard settings[environment] != nil else {
            throw StoreProblem(.invalidValue, detail: "no environment \(environment)")
        }
        if let bundleID = request.bundleID, bundleID != app.bundleID {
            throw StoreProblem(.invalidValue, detail: "the store sells for \(app.bundleID) alone")
        }
        if let vendor = request.vendorID, !UUIDText.isValid(vendor) {
            throw StoreProblem(.invalidValue, detail: "vendorId is no UUID")
        }
        guard devices.count < 10_000 else { throw StoreProblem(.limitReached) }
        let account: AccountID
        if let wanted = request.accountID {
            guard let known = accounts[wanted] else { throw StoreProblem(.accountNotFound) }
            guard known.environment == environment else {
                throw StoreProblem(
                    .invalidValue, detail: "\(wanted) belongs to \(known.environment)")
            }
            account = wanted
        } else {
            account = defaultAccount(environment)
        }
        let id = request.deviceID ?? DeviceID(ids.uuid())
        guard (1...128).contains(id.rawValue.utf8.count) else { throw StoreProblem(.invalidValue) }
        devices.append(
            Device(
                id: id, environment: environment, bundleID: app.bundleID, account: account,
                platform: request.platform ?? "iOS", appVersion: request.appVersion ?? app.version,
                locale: request.locale ?? catalog.settings.locale,
                vendorID: request.vendorID ?? ids.uuid().uppercased(),
                deviceVerificationID: ids.uuid(), launches: 1))
        note("launched", account: account, environment: environment, id.rawValue)
        return id
    }

    /// The account that is there from the start; made when it is first wanted.
    mutating func defaultAccount(_ environment: AppStoreEnvironment) -> AccountID {
        let name: AccountID =
            environment == .sandbox
            ? "default" : AccountID("default-\(environment.rawValue.lowercased())")
        if accounts[name] == nil { addAccount(name, environment, storefront: nil) }
        return name
    }

    mutating func addAccount(
        _ name: AccountID, _ environment: AppStoreEnvironment, storefront: String?
    ) {
        let bought =
            environment == .sandbox ? Timestamp(milliseconds: 1_375_340_400_000) : now
        accounts.append(
            Account(
                id: name, environment: environment,
                storefront: storefront ?? catalog.settings.storefront,
                asksToBuy: environment != .production && catalog.settings.asksToBuy,
                interruptsPurchases: environment != .production
                    && catalog.settings.interruptsPurchases,
                appTransactionID: ids.appTransactionID(), appPurchaseDate: bought,
                originalAppVersion: environment == .sandbox ? "1.0" : app.version,
                originalPlatform: "iOS", changed: now))
    }

    /// Signs an account in on a device, or out.
    mutating func signIn(_ id: DeviceID, _ name: AccountID?) throws(StoreProblem) {
        guard let device = devices[id] else { throw StoreProblem(.deviceNotFound) }
        if let name {
            guard let account = accounts[name] else { throw StoreProblem(.accountNotFound) }
            guard account.environment == device.environment else {
                throw StoreProblem(
                    .notAllowedNow, detail: "\(name) belongs to \(account.environment)")
            }
        }
        guard device.account != name else { return }
        devices.update(id) { $0.account = name }
        tell(device: id, .accountChanged) { $0.account = name }
        if device.account.flatMap({ accounts[$0]?.storefront })
            != name.flatMap({ accounts[$0]?.storefront })
        {
            tell(device: id, .storefrontChanged) { _ in }
        }
    }
}
