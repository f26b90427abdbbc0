import AppStoreModel
import StoreWire

extension ControlVerb {
    private static let accountOptions = [
        "--storefront", "--payments", "--ask-to-buy", "--interrupt", "--billing-fails",
        "--renewal-rate",
    ]

    /// Apple accounts, families and devices.
    static let aboutAccounts: [ControlVerb] = [
        ControlVerb("accounts", "the Apple accounts") { store, _ in
            ControlReport(try await store.call(.accounts, as: AccountsResponse.self)) {
                var table = TextTable("ACCOUNT", "ENVIRONMENT", "STOREFRONT", "FAMILY", "REMARKS")
                for account in $0.accounts {
                    table.add(
                        account.accountID.rawValue, account.environment.rawValue,
                        account.storefront.countryCode, account.familyOrganizer?.rawValue,
                        account.remarks)
                }
                return table.text
            }
        },
        ControlVerb(
            "account new", takes: "[NAME]", count: 0...1,
            options: ["--environment"] + accountOptions,
            "make an account"
        ) { store, words in
            var request = try account(words)
            request.accountID = words.operands.first.map { AccountID($0) }
            request.environment = words.value("--environment")
            return ControlReport(
                try await store.call(.makeAccount, body: request, as: AccountInfo.self), \.shown)
        },
        ControlVerb(
            "account set", takes: "NAME", count: 1...1, options: accountOptions, "change an account"
        ) {
            store, words in
            ControlReport(
                try await store.call(
                    .changeAccount, ["account": words[0]], body: try account(words),
                    as: AccountInfo.self), \.shown)
        },
        ControlVerb(
            "account clear", takes: "NAME", count: 1...1, "clear an account's purchase history"
        ) {
            store, words in
            ControlReport(
                try await store.call(
                    .clearHistory, ["account": words[0]], as: AccountInfo.self), \.shown)
        },
        ControlVerb(
            "family", takes: "ORGANIZER [MEMBER …]", count: 1...6,
            "put accounts in a family; the organizer alone ends it"
        ) { store, words in
            let request = FamilyRequest(
                organizer: AccountID(words[0]),
                members: words.operands.dropFirst().map { AccountID($0) })
            return ControlReport(
                try await store.call(.setFamily, body: request, as: FamilyInfo.self)
            ) {
                let members = $0.members.map(\.rawValue).joined(separator: ", ")
                return "\($0.organizer) shares with \(members.isEmpty ? "nobody" : members)"
            }
        },
        ControlVerb("devices", "the devices that apps run on") { store, _ in
            ControlReport(try await store.call(.devices, as: DevicesResponse.self)) {
                var table = TextTable(
                    "DEVICE", "ENVIRONMENT", "ACCOUNT", "PLATFORM", "APP", "RECEIPT")
                for device in $0.devices {
                    table.add(
                        device.deviceID.rawValue, device.environment.rawValue,
                        device.accountID?.rawValue, device.platform,
                        "\(device.bundleID) \(device.appVersion)", device.hasReceipt ? "yes" : "no")
                }
                return table.text
            }
        },
        ControlVerb(
            "sign-in", takes: "DEVICE ACCOUNT", count: 2...2, "sign an account in on a device"
        ) {
            store, words in
            try await signIn(store, words[0], AccountID(words[1]))
        },
        ControlVerb("sign-out", takes: "DEVICE", count: 1...1, "sign out on a device") {
            store, words in
            try await signIn(store, words[0], nil)
        },
    ]

    private static func signIn(
        _ store: ControlClient, _ device: String, _ account: AccountID?
    ) async throws -> ControlReport {
        ControlReport(
            try await store.call(
                .signIn, ["device": device], body: SignInRequest(accountID: account),
                as: DeviceSession.self)
        ) { "\($0.deviceID): \($0.accountID?.rawValue ?? "signed out")" }
    }

    private static func account(_ words: VerbWords) throws(UsageError) -> AccountRequest {
        AccountRequest(
            storefront: words.value("--storefront"),
            canMakePayments: try words.choice("--payments"),
            asksToBuy: try words.choice("--ask-to-buy"),
            interruptsPurchases: try words.choice("--interrupt"),
            billingFails: try words.choice("--billing-fails"),
            renewalRate: words.value("--renewal-rate"))
    }
}

extension AccountInfo {
    fileprivate var remarks: String? {
        var words: [String] = []
        if !canMakePayments { words.append("no payments") }
        if asksToBuy { words.append("asks to buy") }
        if interruptsPurchases { words.append("interrupted") }
        if billingFails { words.append("billing fails") }
        if let renewalRate { words.append(renewalRate) }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    fileprivate var shown: String {
        "\(accountID), \(environment), \(storefront.countryCode)"
            + (remarks.map { ", \($0)" } ?? "")
    }
}
