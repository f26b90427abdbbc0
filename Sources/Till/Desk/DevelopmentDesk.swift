import AppStoreModel
import HTTPMessage
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A counter without a server: this device asks Apple's `verifyReceipt` and believes the answer.
actor DevelopmentDesk: Desk {
    /// The whole exchange with Apple may take this long.
    static let limits = HTTPFetchLimits(totalMilliseconds: 10_000)
    static let fileName = "unsafe-development.json"

    nonisolated let wantsReceipt = true

    private let verifier: UnsafeDevelopmentVerifier
    private let bundleID: BundleID?
    private let fetcher: any HTTPFetching
    private let disk: any Disk
    private var owned: Owned?

    /// What was handed out before.
    private struct Owned: Codable {
        var granted: Set<TransactionID> = []
        var entitlements: [EntitlementDocument] = []
    }

    init(
        verifier: UnsafeDevelopmentVerifier, bundleID: BundleID?, fetcher: any HTTPFetching,
        disk: any Disk
    ) {
        self.verifier = verifier
        self.bundleID = bundleID
        self.fetcher = fetcher
        self.disk = disk
    }

    func openOrder(
        _ request: OrderRequest, key: String, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        // The key is a fresh UUID of the caller's, which is all that an order needs here.
        let id = UUID(uuidString: key) ?? UUID()
        return DeskAnswer(value: document(id, request.productID, request.quantity))
    }

    func order(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        DeskAnswer(value: document(id.uuid, "", 1))
    }

    func deferOrder(
        _ id: OrderID, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OrderDocument> {
        try await order(id, for: caller)
    }

    private func document(_ id: UUID, _ product: ProductID, _ quantity: Int) -> OrderDocument {
        OrderDocument(
            orderID: id, status: .open, productID: product, quantity: quantity,
            expiresAt: Timestamp(milliseconds: .max))
    }

    func customer(_ caller: Caller) async throws(DeskFailure) -> DeskAnswer<CustomerDocument> {
        DeskAnswer(value: describe(await read(), caller))
    }

    func signature(
        _ request: OfferSignatureRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OfferSignatureDocument> {
        throw .refused(
            .init(
                status: 0, code: "offersNeedAServer",
                detail: "a device must not have the key that signs offers", mayFinish: false,
                isRetryable: false))
    }

    /// Nobody keeps a list of owners here: whoever shows a receipt has it.
    func owner(
        _ request: PurchaseRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<OwnerResponse> {
        DeskAnswer(value: OwnerResponse(owner: .nobody, transactions: []))
    }

    /// What is owned here belongs to the device, whoever is logged in.
    func merge(
        _ request: MergeRequest, for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<CustomerDocument> {
        try await customer(caller)
    }

    func signingKeys() async throws(DeskFailure) -> DeskAnswer<KeySetDocument> {
        DeskAnswer(value: KeySetDocument(keys: []))
    }

    func submit(
        _ request: PurchaseRequest, products: [TransactionID: ProductID], key: String,
        for caller: Caller
    ) async throws(DeskFailure) -> DeskAnswer<PurchaseResponse> {
        guard let receipt = request.receipt else { throw no("receiptMissing", mayFinish: false) }
        let verdict = try await verify(receipt)
        guard verdict.status == 0 || verdict.status == 21006 else {
            if verdict.isTrouble {
                throw .trouble(
                    status: verdict.status, retryAfterSeconds: nil,
                    detail: "verifyReceipt \(verdict.status)")
            }
            throw no("verifyReceipt\(verdict.status)", mayFinish: verdict.isForged)
        }
        guard let found = verdict.receipt, found.bundleID == bundleID?.rawValue else {
            throw no("wrongBundle", mayFinish: true)
        }
        if let version = verifier.applicationVersion ?? AppFacts.version,
            found.applicationVersion != version
        {
            throw no("wrongVersion", mayFinish: false)
        }
        var owned = await read()
        let reports = request.transactionIDs.compactMap { id in
            report(id, products[id], in: verdict, &owned)
        }
        owned.entitlements = entitlements(verdict, request.isRestore ? nil : owned)
        self.owned = owned
        if let bytes = try? JSONEncoder().encode(owned) {
            try? await disk.write(bytes, to: Self.fileName)
        }
        return DeskAnswer(
            value: PurchaseResponse(results: reports, customer: describe(owned, caller)),
            serverTime: verdict.serverTime)
    }

    private func report(
        _ id: TransactionID, _ product: ProductID?, in verdict: ReceiptVerdict,
        _ owned: inout Owned
    ) -> TransactionReport? {
        let purchase =
            verdict.purchases.first { $0.transactionID == id }
            ?? verdict.purchases.first { $0.originalTransactionID == id }
        guard let purchase else { return nil }
        let isRight = product == nil || purchase.productID == product
        var outcome = TransactionOutcome.refused
        if isRight {
            let isNew = owned.granted.insert(purchase.transactionID).inserted
            outcome = isNew ? .granted : .alreadyGranted
        }
        return TransactionReport(
            transactionID: purchase.transactionID,
            originalTransactionID: purchase.originalTransactionID ?? purchase.transactionID,
            productID: purchase.productID, outcome: outcome,
            reason: isRight ? nil : "wrongProduct", mayFinish: true,
            environment: verdict.environment.map { AppStoreEnvironment(rawValue: $0) })
    }

    private func entitlements(
        _ verdict: ReceiptVerdict, _ former: Owned?
    ) -> [EntitlementDocument] {
        var found: [ProductID: EntitlementDocument] = [:]
        for document in former?.entitlements ?? [] { found[document.productID] = document }
        let environment = AppStoreEnvironment(rawValue: verdict.environment ?? "Production")
        for purchase in verdict.purchases {
            let product = purchase.productID
            guard purchase.expires != nil || verifier.ownedProducts.contains(product) else {
                continue
            }
            let isLater = (found[product]?.expiresAt).map { end in
                purchase.expires.map { $0 >= end } ?? true
            }
            guard isLater ?? true else { continue }
            found[product] = EntitlementDocument(
                entitlement: product.rawValue, isActive: Self.isOpen(purchase, verdict),
                expiresAt: purchase.expires, productID: product, environment: environment)
        }
        return found.values.sorted { $0.entitlement < $1.entitlement }
    }

    private static func isOpen(
        _ purchase: ReceiptVerdict.Purchase, _ verdict: ReceiptVerdict
    ) -> Bool {
        guard purchase.cancelled == nil else { return false }
        guard let end = purchase.expires, let now = verdict.serverTime else { return true }
        return now < end
    }

    private func describe(_ owned: Owned, _ caller: Caller) -> CustomerDocument {
        CustomerDocument(
            customerID: caller.customerID, entitlements: owned.entitlements, balances: [:],
            balancesByEnvironment: [:], transactions: [])
    }

    private func read() async -> Owned {
        if let owned { return owned }
        guard let bytes = await disk.read(Self.fileName),
            let owned = try? JSONDecoder().decode(Owned.self, from: bytes)
        else { return Owned() }
        return owned
    }

    /// Production first, and the sandbox once when Apple says that the receipt is from there.
    private func verify(_ receipt: String) async throws(DeskFailure) -> ReceiptVerdict {
        let verdict = try await ask(verifier.productionAddress, receipt)
        guard verdict.status == 21007 else { return verdict }
        return try await ask(verifier.sandboxAddress, receipt)
    }

    private func ask(
        _ address: String, _ receipt: String
    ) async throws(DeskFailure) -> ReceiptVerdict {
        let question = [
            "receipt-data": receipt, "password": verifier.sharedSecret,
        ].compactMapValues(\.self)
        let request = HTTPRequest(
            method: .post, target: address,
            fields: HTTPFields(["Content-Type": "application/json"]),
            body: (try? JSONEncoder().encode(question)) ?? Data())
        let response: HTTPResponse
        do throws(HTTPFetchError) {
            response = try await fetcher.fetch(request, limits: Self.limits)
        } catch {
            throw .unreachable(detail: "\(error.code.rawValue): \(error.detail)")
        }
        guard response.status.isSuccess else {
            throw .trouble(
                status: response.status.rawValue, retryAfterSeconds: nil, detail: "verifyReceipt")
        }
        guard let verdict = try? JSONDecoder().decode(ReceiptVerdict.self, from: response.body)
        else { throw .unreachable(detail: "an answer that is not verifyReceipt's") }
        return verdict
    }

    private func no(_ code: String, mayFinish: Bool) -> DeskFailure {
        .refused(
            .init(
                status: 0, code: code, detail: nil, mayFinish: mayFinish, isRetryable: false))
    }
}
