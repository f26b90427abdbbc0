import AppStoreModel
import CryptoPrimitives
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a person, a script or the page asks the store: one function for each ``ControlRoute``.
extension LocalStore {
    func info() throws(StoreProblem) -> StoreInfo {
        catchUp()
        return StoreInfo(
            bundleID: state.app.bundleID, appAppleID: state.app.appleID, appName: state.app.name,
            products: state.catalog.products.map(wire),
            apiKey: APIKeyInfo(
                keyID: keys.keyID, issuerID: keys.issuerID, privateKey: keys.privateKey),
            sharedSecret: keys.sharedSecret,
            rootFingerprint: hexadecimal(SHA256.hash(signer.tokenRoot)),
            rootCertificate: Data(signer.tokenRoot).base64EncodedString(),
            receiptRootFingerprint: hexadecimal(SHA256.hash(signer.receiptRoot)),
            receiptRootCertificate: Data(signer.receiptRoot).base64EncodedString(),
            environments: state.settings.rows.map(wire), clock: clockInfo(), seed: state.seed)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func wire(_ settings: EnvironmentSettings) -> EnvironmentInfo {
        EnvironmentInfo(
            environment: settings.id, notificationURL: settings.notificationURL,
            notificationVersion: settings.notificationVersion,
            renewalRate: settings.renewalRate.rawValue, gracePeriodDays: settings.graceDays,
            graceExcludesTrials: settings.graceExcludesTrials)
    }

    func wire(_ product: Product) -> CatalogProduct {
        let storefront = Storefront(countryCode: state.catalog.settings.storefront) ?? .usa
        return CatalogProduct(
            productID: product.id, type: product.type,
            displayName: product.displayName(state.catalog.settings.locale), price: product.price,
            currency: storefront.currency, isFamilyShareable: product.isFamilyShareable,
            isForSale: product.isForSale, groupID: product.subscription?.groupID,
            groupLevel: product.subscription?.level,
            period: product.subscription?.period.description,
            offers: ((product.subscription?.offers ?? []) + product.codeOffers).map {
                WireOffer($0, currency: storefront.currency)
            })
    }

    // MARK: Catalog

    func catalogInfo() -> CatalogInfo {
        CatalogInfo(
            source: state.catalog.source, products: state.catalog.products.map(wire),
            storefront: state.catalog.settings.storefront, locale: state.catalog.settings.locale)
    }

    func replaceCatalog(
        _ bytes: [UInt8], source: String
    ) throws(StoreProblem) -> CatalogInfo {
        let catalog: Catalog
        do {
            catalog = try Catalog(storekit: bytes, source: source)
        } catch {
            throw StoreProblem(.invalidCatalog, detail: error.description)
        }
        try perform(.replaceCatalog(catalog))
        return catalogInfo()
    }

    func changeProduct(
        _ id: ProductID, _ change: ProductChange
    ) throws(StoreProblem) -> CatalogProduct {
        try perform(.changeProduct(id, change))
        guard let product = state.catalog.product(id) else { throw StoreProblem(.productNotFound) }
        return wire(product)
    }

    func makeCodes(_ request: OfferCodesRequest) throws(StoreProblem) -> OfferCodesResponse {
        guard case .names(let codes) = try perform(.makeCodes(request)) else {
            return OfferCodesResponse(codes: [])
        }
        return OfferCodesResponse(codes: codes)
    }

    func changeEnvironment(
        _ environment: AppStoreEnvironment, _ change: EnvironmentChange
    ) throws(StoreProblem) -> EnvironmentInfo {
        try perform(.changeEnvironment(environment, change))
        guard let settings = state.settings[environment] else { throw StoreProblem(.invalidValue) }
        return wire(settings)
    }

    // MARK: Clock

    func clockInfo() -> ClockInfo {
        ClockInfo(now: state.now, rate: clock.rate, nextEvent: state.nextDue)
    }

    func moveClock(_ change: ClockChange) async throws(StoreProblem) -> ClockInfo {
        catchUp()
        if let rate = change.rate {
            guard (0...StoreClock.rateLimit).contains(rate) else {
                throw StoreProblem(.invalidValue, detail: "rate is from 0 to 10000000")
            }
            clock = StoreClock(base: state.now, wall: wall(), rate: rate)
            try save(.init(at: state.now, clock: clock))
        }
        if let now = change.now {
            guard (Timestamp.zero...StoreClock.last).contains(now) else {
                throw StoreProblem(.invalidValue, detail: "now is from 1970 to 2200")
            }
            if now < state.now {
                // The time of a command is what it is replayed at, so it goes back by itself.
                try perform(.setBack(now))
                clock = StoreClock(base: now, wall: wall(), rate: clock.rate)
                try save(.init(at: now, clock: clock))
            } else {
                try await run(until: now)
            }
        }
        if let length = change.advanceMilliseconds {
            guard length >= 0, length <= 400 * 366 * 86_400_000,
                state.now.advanced(byMilliseconds: length) <= StoreClock.last
            else { throw StoreProblem(.invalidValue, detail: "advance leads past the year 2200") }
            try await run(until: state.now.advanced(byMilliseconds: length))
        }
        if change.toNextEvent == true, let next = state.nextDue { try await run(until: next) }
        return clockInfo()
    }

    // MARK: Accounts and devices

    func accountsInfo() -> AccountsResponse {
        AccountsResponse(accounts: state.accounts.rows.map(wire))
    }

    func accountInfo(_ id: AccountID) throws(StoreProblem) -> AccountInfo {
        guard let account = state.accounts[id] else {
            throw StoreProblem(.accountNotFound, detail: id.rawValue)
        }
        return wire(account)
    }

    private func wire(_ account: Account) -> AccountInfo {
        AccountInfo(
            accountID: account.id, environment: account.environment,
            storefront: WireStorefront(state.storefront(account)),
            canMakePayments: account.canMakePayments, asksToBuy: account.asksToBuy,
            interruptsPurchases: account.interruptsPurchases, billingFails: account.billingFails,
            renewalRate: account.renewalRate?.rawValue, familyOrganizer: account.family,
            devices: state.devices.rows.filter { $0.account == account.id }.map(\.id),
            appTransactionID: TransactionID(account.appTransactionID))
    }

    func makeAccount(_ request: AccountRequest) throws(StoreProblem) -> AccountInfo {
        try accountInfo(AccountID(try perform(.makeAccount(request)).name))
    }

    func changeAccount(
        _ id: AccountID, _ request: AccountRequest
    ) throws(StoreProblem) -> AccountInfo {
        try perform(.changeAccount(id, request))
        return try accountInfo(id)
    }

    func clearHistory(_ id: AccountID) throws(StoreProblem) -> AccountInfo {
        try perform(.clearHistory(id))
        return try accountInfo(id)
    }

    func setFamily(_ request: FamilyRequest) throws(StoreProblem) -> FamilyInfo {
        try perform(.setFamily(request.organizer, request.members))
        return FamilyInfo(
            organizer: request.organizer,
            members: state.accounts.rows.filter {
                $0.family == request.organizer && $0.id != request.organizer
            }.map(\.id))
    }

    func devicesInfo() throws(StoreProblem) -> DevicesResponse {
        var sessions: [DeviceSession] = []
        for device in state.devices.rows { sessions.append(try session(device.id)) }
        return DevicesResponse(devices: sessions)
    }

    func signIn(_ id: DeviceID, _ request: SignInRequest) throws(StoreProblem) -> DeviceSession {
        try perform(.signIn(id, request.accountID))
        return try session(id)
    }

    func promote(_ request: PromoteRequest) throws(StoreProblem) -> PurchaseIntentItem {
        let name = try perform(.promote(request)).name
        return PurchaseIntentItem(
            intentID: name, productID: request.productID, offerID: request.offerID)
    }
}
