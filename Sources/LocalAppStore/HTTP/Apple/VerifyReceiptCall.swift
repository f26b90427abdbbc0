import AppStoreCoding
import AppStoreModel
import HTTPMessage
import HTTPServer
import SignedDataCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoreRoutes {
    /// Apple's retired `verifyReceipt`: always 200, its verdict in `status`.
    mutating func addVerifyReceipt() {
        let (store, environment) = (store, environment)
        for method in [HTTPMethod.get, .put, .patch, .delete] {
            apple(method, "/verifyReceipt") { _, _ in AppleAnswer.receiptStatus(21_000) }
        }
        apple(.post, "/verifyReceipt", bodyLimit: VerifyReceiptCall.bodyLimit) { request, _ in
            guard let call = VerifyReceiptCall(request.body) else {
                return AppleAnswer.receiptStatus(21_000)
            }
            return AppleAnswer.receipt(
                await store.verify(call, at: environment))
        }
    }
}

/// What is sent to `verifyReceipt`, as far as it can be read.
struct VerifyReceiptCall: Sendable {
    /// Nothing when it is missing or no text.
    let receiptData: String?
    let password: String?
    let excludesOld: Bool

    /// Twice base64's share over the largest receipt that is read.
    static let bodyLimit = 24 << 20

    /// Nothing for a body that is no JSON object.
    init?(_ body: Data) {
        guard case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { return nil }
        receiptData = members["receipt-data"]?.string
        password = members["password"]?.string
        excludesOld = members["exclude-old-transactions"]?.bool ?? false
    }
}

extension AppleAnswer {
    /// An answer of `verifyReceipt`.
    static func receipt(_ answer: VerifyReceiptResponse) -> HTTPResponse {
        guard let json = try? answer.appleJSON() else { return receiptStatus(21_009) }
        return HTTPResponse(
            status: .ok, fields: ["Content-Type": "application/json"], body: Data(json))
    }
}

extension LocalStore {
    /// Judges a receipt, and adds what the store knows of the purchases in it.
    func verify(
        _ call: VerifyReceiptCall, at environment: AppStoreEnvironment
    ) -> VerifyReceiptResponse {
        catchUp()
        guard let data = call.receiptData, !data.isEmpty,
            let bytes = Base64.decodeStandard(Array(data.utf8))
        else { return VerifyReceiptResponse(status: .malformed) }
        let check = ReceiptCheck(signer)
        if let legacy = try? LegacyTransactionReceipt(decoding: bytes),
            let content = try? LegacyReceipt(decoding: legacy)
        {
            return verify(
                legacy, content, call, data, check, at: environment)
        }
        guard let signed = try? SignedReceipt(decoding: bytes),
            let receipt = try? AppReceipt(decoding: signed)
        else { return VerifyReceiptResponse(status: .malformed) }
        guard check.believes(signed, madeAt: receipt.creationDate) else {
            return VerifyReceiptResponse(status: .notAuthentic)
        }
        let status = VerifyReceiptResponse.status(for: receipt.environment, at: environment)
        guard status == .valid else { return VerifyReceiptResponse(status: status) }
        let known = try? standing(of: receipt.inApp.map(\.transactionID), in: environment)
        var answer = VerifyReceiptResponse(
            receipt: receipt, receiptData: data, requestDate: state.now,
            excludeOldTransactions: call.excludesOld)
        let needsSecret = answer.latestReceipt != nil || known?.pending.isEmpty == false
        guard !needsSecret || call.password == keys.sharedSecret else {
            return VerifyReceiptResponse(status: .wrongSecret)
        }
        if let known { complete(&answer, known, call, data, environment) }
        return answer
    }

    /// Replaces what a receipt can tell by what the store knows.
    private func complete(
        _ answer: inout VerifyReceiptResponse, _ known: ReceiptStanding, _ call: VerifyReceiptCall,
        _ data: String, _ environment: AppStoreEnvironment
    ) {
        if case .app(var app)? = answer.receipt {
            app.inApp = app.inApp?.map { item in
                var item = item
                guard let id = item.transactionID,
                    let row = state.transaction(id, in: environment)
                else { return item }
                let info = state.latestReceiptInfo(row)
                item.inAppOwnershipType = info.inAppOwnershipType
                item.appAccountToken = info.appAccountToken
                if item.cancellationDate != DateTriplet() {
                    item.cancellationReason = info.cancellationReason
                }
                return item
            }
            answer.receipt = .app(app)
        }
        guard !known.pending.isEmpty else { return }
        answer.latestReceipt = known.latestReceipt.map { Data($0).base64EncodedString() } ?? data
        var seen: Set<TransactionID> = []
        answer.latestReceiptInfo = known.latest.compactMap { row in
            let isNewest = seen.insert(row.originalID).inserted
            if call.excludesOld, row.type == .autoRenewable, !isNewest { return nil }
            return state.latestReceiptInfo(row)
        }
        answer.pendingRenewalInfo = known.pending.map { state.pendingRenewalInfo($0) }
    }

    private func verify(
        _ legacy: LegacyTransactionReceipt, _ content: LegacyReceipt, _ call: VerifyReceiptCall,
        _ data: String, _ check: ReceiptCheck, at environment: AppStoreEnvironment
    ) -> VerifyReceiptResponse {
        let row = state.transaction(content.transactionID)
        guard check.believes(legacy, madeAt: row?.purchaseDate ?? state.now) else {
            return VerifyReceiptResponse(status: .notAuthentic)
        }
        let status = VerifyReceiptResponse.status(for: content.environment, at: environment)
        guard status == .valid else { return VerifyReceiptResponse(status: status) }
        guard content.expiresDate == nil || call.password == keys.sharedSecret else {
            return VerifyReceiptResponse(status: .wrongSecret)
        }
        // Whether a period is over is asked of the store's clock, on which it began.
        return VerifyReceiptResponse(
            legacyReceipt: content, receiptData: data, requestDate: state.now)
    }
}
