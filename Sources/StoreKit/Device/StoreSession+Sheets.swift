import AppStoreModel
import Foundation
import StoreWire

// The sheets of the App Store, answered by the connection's person.
extension StoreSession {
    private func answer(_ sheet: LocalStorePerson.Sheet) async -> LocalStorePerson.Answer {
        await connection.person.answer(sheet)
    }

    /// Whether the person signs in where the App Store asks for the password.
    func signsIn() async -> Bool {
        switch await answer(.signIn) {
        case .closes, .refuses: false
        case .agrees, .enters, .moves: true
        }
    }

    /// Shows the payment sheet and puts into the request what the person does there.
    ///
    /// A storefront that changed since the payment began is put to the app by `goesOn`.
    func payment(
        _ request: PurchaseRequest, goesOn: @Sendable (WireStorefront) async -> Bool
    ) async throws(StoreFault) -> PurchaseRequest {
        _ = try await launched()
        let before = standing?.storefront
        var request = request
        switch await answer(.payment(productID: request.productID.rawValue)) {
        case .closes, .refuses: request.userCancels = true
        case .moves(let country): try await move(toStorefront: country)
        case .agrees, .enters: break
        }
        let now = try await refreshStanding().storefront
        if let before, now != before, !request.userCancels, await !goesOn(now) {
            throw .failed(
                StoreFailure(
                    code: "storeProductNotAvailable",
                    skErrorCode: SKError.Code.storeProductNotAvailable.rawValue,
                    storeKitError: "notAvailableInStorefront",
                    message: "The storefront changed during the purchase."))
        }
        return request
    }

    private func move(toStorefront country: String) async throws(StoreFault) {
        let launched = try await launched()
        guard let account = standing?.accountID else { return }
        _ = try await launched.client.call(
            .changeAccount, parameters: ["account": account.rawValue],
            AccountRequest(storefront: country), AccountInfo.self)
    }

    func requestRefund(
        of transactionID: UInt64
    ) async throws(Transaction.RefundRequestError) -> Transaction.RefundRequestStatus {
        var request = DeviceRefundRequest(transactionID: .init(String(transactionID)))
        switch await answer(.refund(transactionID: transactionID)) {
        case .closes, .refuses: request.userCancels = true
        case .enters(let reason): request.reason = reason
        case .agrees, .moves: break
        }
        let status: DeviceRefundStatus
        do throws(StoreFault) {
            let launched = try await launched()
            status = try await launched.client.call(
                .requestRefund, request, DeviceRefundResponse.self
            ).status
        } catch {
            throw .failed
        }
        switch status {
        case .success: return .success
        case .userCancelled: return .userCancelled
        case .duplicateRequest: throw .duplicateRequest
        default: throw .failed
        }
    }

    func manageSubscriptions(groupID: String?) async throws {
        var change = ManageSubscriptionRequest(originalTransactionID: .init(""))
        switch await answer(.subscriptions(groupID: groupID)) {
        case .agrees: change.autoRenew = true
        case .refuses: change.autoRenew = false
        case .enters(let productID): change.productID = .init(productID)
        case .closes, .moves: return
        }
        do throws(StoreFault) {
            let launched = try await launched()
            let statuses = try await launched.client.call(
                .subscriptions, SubscriptionStatusesResponse.self,
                query: groupID.map { [("groupId", $0)] } ?? []
            ).statuses
            for status in statuses where [1, 3, 4].contains(status.status) {
                change.originalTransactionID = status.originalTransactionID
                _ = try await launched.client.call(
                    .manageSubscription, change, WireSubscriptionStatus.self)
            }
        } catch {
            throw error.modern
        }
    }

    /// Redeems the code that the person enters; nothing when the sheet is closed.
    func redeemOfferCode() async throws(StoreFault) -> PurchaseResponse? {
        guard case .enters(let code) = await answer(.offerCode) else { return nil }
        let launched = try await launched()
        return try await launched.client.call(
            .redeemCode, OfferCodeRequest(code: code), PurchaseResponse.self)
    }

    /// Redeems a code and gives the transaction to the caller alone.
    func redeemedTransaction() async throws -> VerificationResult<Transaction> {
        do throws(StoreFault) {
            return try await answers.hold { () async throws(StoreFault) in
                guard let answer = try await self.redeemOfferCode() else {
                    throw .failed(
                        StoreFailure(
                            code: "userCancelled", storeKitError: "userCancelled",
                            message: "The sheet was closed."))
                }
                let launched = try await self.launched()
                if let failure = answer.failure { throw .failed(failure) }
                self.payments.keepFromObservers(answer.item.itemID)
                await self.fetchReceipt(launched)
                guard
                    let result = answer.item.transaction.flatMap({
                        launched.trust.transaction($0.signedTransactionInfo)
                    })
                else { throw .unreadable("a redeemed code without a transaction") }
                self.broughtByList.withLock { _ = $0.insert(result.unsafePayloadValue) }
                return result
            }
        } catch {
            throw error.modern
        }
    }

    /// Shows a message; one about a price may be answered there.
    func display(_ message: Message) async throws {
        guard message.reason == .priceIncreaseConsent, let subject = message.subject else {
            _ = await answer(.message(message.reason))
            return
        }
        let consents: Bool
        switch await answer(.priceIncrease(productID: subject.productID)) {
        case .agrees: consents = true
        case .refuses: consents = false
        case .closes, .enters, .moves: return
        }
        do throws(StoreFault) {
            let launched = try await launched()
            _ = try await launched.client.call(
                .priceConsent,
                PriceConsentRequest(
                    originalTransactionID: .init(subject.originalTransactionID),
                    consents: consents), WireSubscriptionStatus.self)
        } catch {
            throw error.modern
        }
    }
}
