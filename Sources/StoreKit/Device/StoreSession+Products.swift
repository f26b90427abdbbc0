import AppStoreModel
import Foundation
import HTTPMessage
import StoreWire

extension StoreSession {
    /// The language in which products are described.
    var localeIdentifier: String { standing?.locale ?? connection.locale ?? "en_US" }

    func wireProducts(_ identifiers: [String]) async throws(StoreFault) -> ProductsResponse {
        let launched = try await launched()
        return try await launched.client.call(
            .products, ProductsRequest(productIDs: identifiers.map { .init($0) }),
            ProductsResponse.self)
    }

    func products(_ identifiers: [String]) async throws -> [Product] {
        do throws(StoreFault) {
            let answer = try await wireProducts(identifiers)
            let locale = localeIdentifier
            return answer.products.map { Product($0, locale: locale) }
        } catch {
            throw error.modern
        }
    }

    func originalProducts(_ identifiers: Set<String>) async throws -> ([SKProduct], [String]) {
        do throws(StoreFault) {
            let answer = try await wireProducts(identifiers.sorted())
            let locale = localeIdentifier
            return (
                answer.products.map { SKProduct($0, locale: locale) },
                answer.invalidProductIDs.map(\.rawValue)
            )
        } catch {
            throw error.ofRequest
        }
    }

    /// Buys, and asks again under the same name when an answer was lost.
    func buy(_ request: PurchaseRequest) async throws(StoreFault) -> PurchaseResponse {
        await finishes.pass()
        let launched = try await launched()
        var tries = 3
        while true {
            do throws(StoreFault) {
                return try await launched.client.call(.purchase, request, PurchaseResponse.self)
            } catch {
                tries -= 1
                guard case .unreachable(let cause) = error,
                    cause.code == .connectionLost || cause.code == .timedOut, tries > 0
                else { throw error }
            }
        }
    }

    func purchase(
        _ product: Product, options: Set<Product.PurchaseOption>
    ) async throws -> Product.PurchaseResult {
        let wanted = PurchaseRequest(product.id, options: options)
        do throws(StoreFault) {
            let request = try await payment(wanted) { storefront in
                options.allSatisfy { $0.goesOn(in: Storefront(storefront)) }
            }
            return try await answers.hold { () async throws(StoreFault) in
                let answer = try await self.buy(request)
                let launched = try await self.launched()
                self.payments.keepFromObservers(answer.item.itemID)
                return try await self.result(of: answer, launched)
            }
        } catch {
            throw error.modern
        }
    }

    private func result(
        of answer: PurchaseResponse, _ launched: Launched
    ) async throws(StoreFault) -> Product.PurchaseResult {
        switch answer.outcome {
        case .purchased:
            await fetchReceipt(launched)
            guard
                let result = answer.item.transaction.flatMap({
                    launched.trust.transaction($0.signedTransactionInfo)
                })
            else { throw .unreadable("a paid purchase without a transaction") }
            return .success(result)
        case .pending:
            payments.release(answer.item.itemID)
            return .pending
        case .cancelled:
            await finish(.item(answer.item.itemID))
            return .userCancelled
        default:
            // StoreKit 2 knows no failed transactions that somebody would have to finish.
            await finish(.item(answer.item.itemID))
            guard let failure = answer.failure ?? answer.item.failure else {
                throw .unreadable("a failed purchase without a reason")
            }
            if failure.isOfRunningSubscription,
                let known = await entitlements(productID: answer.item.productID.rawValue).first
            {
                // Apple's second StoreKit gives the transaction that is there already.
                return .success(known)
            }
            throw .failed(failure)
        }
    }

    func refreshReceipt(_ wanted: ReceiptProperties) async throws {
        do throws(StoreFault) {
            let launched = try await launched()
            let answer = try await launched.client.call(
                .refreshReceipt,
                ReceiptRefreshRequest(
                    isExpired: wanted.isExpired, isRevoked: wanted.isRevoked,
                    isVolumePurchase: wanted.isVolumePurchase, userCancels: await !signsIn()),
                ReceiptResponse.self)
            if let failure = answer.failure { throw .failed(failure) }
            folder.writeReceipt(answer.receipt.flatMap { Data(base64Encoded: $0) })
        } catch {
            throw error.ofRequest
        }
    }
}

extension PurchaseRequest {
    /// What StoreKit 2's options ask for; what they say is a matter of the store's.
    init(_ productID: String, options: Set<Product.PurchaseOption>) {
        self.init(productID: .init(productID), requestID: UUID().uuidString)
        for option in options {
            switch option.kind {
            case .appAccountToken(let token): appAccountToken = .init(token.uuidString)
            case .quantity(let quantity): self.quantity = quantity
            case .simulatesAskToBuy(let simulates): simulatesAskToBuy = simulates
            case .promotionalOffer(let id, let signature):
                offer = PurchaseOffer(
                    kind: .promotional, offerID: id, keyID: signature.keyID,
                    nonce: signature.nonce.uuidString.lowercased(),
                    timestamp: Int64(signature.timestamp),
                    signature: signature.signature.base64EncodedString())
            case .signedPromotionalOffer(let id, let compactJWS):
                offer = PurchaseOffer(kind: .promotional, offerID: id, compactJWS: compactJWS)
            case .winBackOffer(let winBack):
                offer = PurchaseOffer(kind: .winBack, offerID: winBack.id ?? "")
            case .introductoryEligibility(let compactJWS):
                introductoryEligibilityJWS = compactJWS
            case .billingPlan(let plan): billingPlanType = plan.rawValue
            // The app is asked when it comes to that; the local store knows no keys of one's own.
            case .storefrontChange, .custom: break
            }
        }
    }
}
