public import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Till {
    /// Whose a product is that this device's Apple account holds; for a subscription, whose any
    /// subscription of its group is that runs, and with StoreKit 1 that ever ran.
    ///
    /// Several people may use one Apple account, or one person two accounts of the app. Records nothing
    /// and asks nobody for a password. `buy` asks it by itself, see ``TillConfiguration/asksForOwner``.
    public func owner(of productID: ProductID) async -> ProductOwner {
        await start()
        guard let caller = session?.caller else {
            return .unknown(TillFailure(.loginRequired, at: .checking, next: .logIn))
        }
        do throws(TillFailure) {
            guard let product = try await products([productID]).first else {
                throw TillFailure(.productNotFound, at: .askingStore, next: .fixTheCause)
            }
            return await owner(of: product, asking: caller)
        } catch {
            return .unknown(error)
        }
    }

    func owner(of product: TillProduct, asking caller: Caller) async -> ProductOwner {
        guard product.canBeOwnedOnce else { return .nobody }
        let request: PurchaseRequest
        if let held = await front.holdings(of: product.id) {
            let signed = held.compactMap(\.signedForm)
            guard !signed.isEmpty else { return .nobody }
            request = PurchaseRequest(
                bundleID: configuration.bundleID, signedTransactions: signed)
        } else {
            // A person is not asked for a password to be told that nothing is there.
            guard let receipt = await front.receipt() else {
                return .unknown(
                    TillFailure(.receiptMissing, at: .checking, next: .tryAgain))
            }
            request = PurchaseRequest(
                bundleID: configuration.bundleID, receipt: receipt.base64EncodedString())
        }
        let answer: OwnerResponse
        do throws(DeskFailure) {
            answer = try await ask(as: caller) { [desk] caller async throws(DeskFailure) in
                try await desk.owner(request, for: caller)
            }.value
        } catch {
            return .unknown(error.failure(at: .checking, isPaid: false))
        }
        let owners = await concerning(product, answer.transactions).map(\.owner)
        if owners.contains(.another) { return .anotherCustomer }
        return owners.contains(.you) ? .you : .nobody
    }

    /// Those that a purchase of the product would go on with: of the product itself or of its group.
    ///
    /// StoreKit 2 shows what runs. A receipt shows what is over too, and rightly: without a token in what is
    /// signed, the server takes a subscription that begins again for its first owner's.
    private func concerning(
        _ product: TillProduct, _ transactions: [OwnedTransactionDocument]
    ) async -> [OwnedTransactionDocument] {
        let group = product.subscription?.groupID
        // A receipt tells of plans that no page has shown yet.
        if group != nil { _ = try? await products(transactions.map(\.productID)) }
        return transactions.filter {
            $0.productID == product.id
                || (group != nil && products[$0.productID]?.subscription?.groupID == group)
        }
    }

    /// What a page that sells shows of products, those which the store sells, in the order in which they
    /// were asked for: each with the introductory offer if this person may have it.
    public func productsOnSale(
        _ ids: [ProductID]
    ) async throws(TillFailure) -> [ProductOnSale] {
        var shown: [ProductOnSale] = []
        for product in try await products(ids) {
            shown.append(
                ProductOnSale(
                    product: product,
                    eligibility: await introductoryOfferEligibility(product.id)))
        }
        return shown
    }
}
