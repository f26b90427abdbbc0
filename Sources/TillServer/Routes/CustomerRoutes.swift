import AppStoreModel
import HTTPMessage
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TillService {
    /// `GET /v1/customers/{id}`: for the customer itself and for backends.
    func showCustomer(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        let now = clock()
        let customer = try self.customer(id, of: request, now: now)
        let nonce = try Self.nonce(of: request)
        let app = try appToTellOf(request)
        let holdings = try await ledger.holdings(of: customer, now: now)
        return try Answers.json(
            document(of: holdings, in: app, for: customer, nonce: nonce, now: now))
    }

    /// A customer as the wire shows it, or of it one app's part, its entitlements signed where the server has a
    /// key for that.
    func document(
        of holdings: CustomerHoldings, in app: BundleID?, for name: CustomerID, nonce: String?,
        now: Timestamp
    ) throws -> CustomerDocument {
        var document = CustomerDocument(app.map { holdings.only($0) } ?? holdings)
        document.signedEntitlements = try signer?.sign(
            document, for: name, nonce: nonce, now: now)
        return document
    }

    /// What the caller wants to find in what is signed, so that it knows the answer to be fresh.
    static func nonce(of request: HTTPRequest) throws(ProblemDocument) -> String? {
        let fields = request.fields.values(of: APIWire.nonceField)
        guard let nonce = fields.first else { return nil }
        guard fields.count == 1, (1...APILimits.nonceBytes).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw ProblemDocument(
                .invalidRequest,
                detail: "\(APIWire.nonceField): 1 to \(APILimits.nonceBytes) visible characters")
        }
        return nonce
    }

    /// The customer in the path, where the caller may ask about it.
    func customer(
        _ id: String, of request: HTTPRequest, now: Timestamp, byBackendOnly: Bool = false
    ) throws(ProblemDocument) -> CustomerID {
        let caller = try callers.caller(of: request, now: now)
        let customer = CustomerID(rawValue: id)
        switch caller {
        case .customer(let own):
            // The answer to a stranger is the same whether the customer exists or not.
            guard own == customer, !byBackendOnly else { throw ProblemDocument(.forbidden) }
        case .backend(let named):
            if let named, named != customer { throw ProblemDocument(.forbidden) }
        }
        guard let customer else { throw ProblemDocument(.invalidCustomer) }
        return customer
    }
}

extension CustomerDocument {
    /// The wire's form of a customer.
    init(_ holdings: CustomerHoldings) {
        var byEnvironment: [String: [String: Int64]] = [:]
        for balance in holdings.balances {
            let environment = balance.book.environment.rawValue
            byEnvironment[environment, default: [:]][balance.currency.rawValue, default: 0] +=
                balance.amount
        }
        var debts: [String: [String: Int64]] = [:]
        for balance in holdings.balances where balance.debt != 0 {
            let environment = balance.book.environment.rawValue
            debts[environment, default: [:]][balance.currency.rawValue, default: 0] +=
                balance.debt
        }
        var balances: [String: Int64] = [:]
        if let production = byEnvironment[AppStoreEnvironment.production.rawValue] {
            balances = production
        } else {
            for (currency, amount) in byEnvironment.values.joined() {
                balances[currency, default: 0] += amount
            }
        }
        self.init(
            customerID: holdings.customer.rawValue,
            entitlements: holdings.entitlements.map { EntitlementDocument($0) },
            subscriptions: holdings.subscriptions.map { SubscriptionDocument($0) },
            balances: balances, balancesByEnvironment: byEnvironment,
            debtsByEnvironment: debts.isEmpty ? nil : debts,
            transactions: holdings.history.map { TransactionDocument($0) })
    }
}

extension EntitlementDocument {
    /// The wire's form of an entitlement.
    init(_ state: EntitlementState) {
        self.init(
            entitlement: state.entitlement.rawValue, isActive: state.isActive,
            expiresAt: state.expiresAt, productID: state.productID,
            bundleID: state.book.bundleID, environment: state.book.environment,
            promotionID: state.isPromotional ? state.transactionID.rawValue : nil)
    }
}

extension TransactionDocument {
    /// The wire's form of one transaction of a customer's history.
    init(_ entry: HistoryEntry) {
        let transaction = entry.transaction
        self.init(
            transactionID: transaction.id, originalTransactionID: transaction.originalID,
            bundleID: entry.book.bundleID, productID: transaction.productID,
            quantity: Int(transaction.quantity), environment: entry.book.environment,
            outcome: .init(rawValue: entry.outcome.code), reason: entry.outcome.reason?.rawValue,
            purchaseDate: transaction.purchaseDate, expiresDate: entry.state?.fields.expiresDate,
            revocationDate: entry.state?.fields.revocationDate,
            orderID: entry.orderID.map { UUID($0) }, recordedAt: transaction.recordedAt)
    }
}
