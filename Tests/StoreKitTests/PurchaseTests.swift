import Foundation
import HTTPMessage
import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// StoreKit 2's purchases and what becomes of them.
    @Suite struct PurchaseTests {
        let device: TestDevice

        init() throws { device = try TestDevice() }

        @Test func `products come with price, period and offers, unknown names are left out`()
            async throws
        {
            let names = ["com.example.pro.monthly", "com.example.coins600", "com.example.nothing"]
            let products = try await Product.products(for: names)
            #expect(products.map(\.id).sorted() == names.dropLast().sorted())
            let coins = try #require(products.first { $0.type == .consumable })
            #expect(coins.displayName == "600 Coins")
            #expect(coins.price == Decimal(string: "19.99"))
            #expect(coins.displayPrice == "$19.99")
            #expect(coins.priceFormatStyle.currencyCode == "USD")
            #expect(coins.subscription == nil)
            let plan = try #require(products.first { $0.type == .autoRenewable }?.subscription)
            #expect(plan.subscriptionPeriod == .monthly)
            #expect(plan.groupLevel == 1)
            #expect(plan.introductoryOffer?.paymentMode == .freeTrial)
            #expect(plan.promotionalOffers.count == 2)
            #expect(await plan.isEligibleForIntroOffer)
            #expect(try await Product.products(for: [] as [String]).isEmpty)
            #expect(try await product(coins.id) == coins)
            #expect(try await product("com.example.coins100") != coins)
        }

        @Test func `a purchase is verified, unfinished, and gone once it is finished`() async throws
        {
            let token = UUID()
            let result = try await product("com.example.coins600").purchase(options: [
                .appAccountToken(token), .quantity(2),
            ])
            guard case .success(.verified(let transaction)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(transaction.productID == "com.example.coins600")
            #expect(transaction.productType == .consumable)
            #expect(transaction.purchasedQuantity == 2)
            #expect(transaction.appAccountToken == token)
            #expect(transaction.id == transaction.originalID)
            #expect(transaction.environment == .sandbox)
            #expect(transaction.price == Decimal(string: "39.98"))
            #expect(transaction.currencyCode == "USD")
            #expect(transaction.storefront.countryCode == "USA")
            #expect(
                await Array(Transaction.unfinished).map(\.unsafePayloadValue.id) == [transaction.id]
            )
            #expect(await Array(Transaction.all).count == 1)
            #expect(await Array(Transaction.currentEntitlements).isEmpty)
            await transaction.finish()
            #expect(await Array(Transaction.unfinished).isEmpty)
            #expect(await Array(Transaction.all).isEmpty)
        }

        @Test func `updates bring what earlier launches left, then what comes from elsewhere`()
            async throws
        {
            let left = try await bought("com.example.coins20")
            device.launch()
            var updates = Transaction.updates.makeAsyncIterator()
            #expect(await updates.next()?.unsafePayloadValue.id == left.id)
            let here = try await bought("com.example.coins100")
            try await device.buyOutside("com.example.coins1000")
            // The purchase made here was its call's result and comes no second time.
            let next = try #require(await updates.next()?.unsafePayloadValue)
            #expect(next.productID == "com.example.coins1000")
            #expect(next.id != here.id)
            device.quit()
            #expect(await updates.next() == nil)
        }

        @Test func `a repeated event is told as often as it comes`() async throws {
            var updates = Transaction.updates.makeAsyncIterator()
            let first = Task { await updates.next() }
            try await device.strike(.repeatEvent)
            let transaction = try await bought("com.example.coins100")
            #expect(await first.value?.unsafePayloadValue.id == transaction.id)
        }

        @Test func `a purchase that waits comes with the updates once it is approved`() async throws
        {
            var updates = Transaction.updates.makeAsyncIterator()
            let product = try await product("com.example.lifetime")
            guard
                case .pending = try await product.purchase(options: [
                    .simulatesAskToBuyInSandbox(true)
                ])
            else {
                Issue.record("not pending")
                return
            }
            #expect(await Transaction.latest(for: product.id) == nil)
            try await device.decide(.approve)
            #expect(await updates.next()?.unsafePayloadValue.productID == product.id)
            #expect(await Transaction.currentEntitlement(for: product.id) != nil)
        }

        @Test func `a customer who cancels is a result, every other failure is thrown`()
            async throws
        {
            let product = try await product("com.example.coins100")
            try await device.fail(.purchase, with: "paymentCancelled")
            guard case .userCancelled = try await product.purchase() else {
                Issue.record("not cancelled")
                return
            }
            try await device.fail(.purchase, with: "productUnavailable")
            await #expect(throws: Product.PurchaseError.productUnavailable) {
                try await product.purchase()
            }
            try await device.fail(nil)
            await #expect(throws: Product.PurchaseError.invalidQuantity) {
                try await product.purchase(options: [.quantity(11)])
            }
            device.table.setOutage(HTTPFetchError(.cannotConnect))
            do {
                _ = try await product.purchase()
                Issue.record("bought without a network")
            } catch StoreKitError.networkError(let error) {
                #expect(error.code == .cannotConnectToHost)
            }
            device.table.setOutage(nil)
            // Nothing failed is left behind for the original StoreKit's queue.
            device.launch()
            let recorder = Recorder()
            SKPaymentQueue.default().add(recorder)
            guard case .success = try await product.purchase() else {
                Issue.record("not bought")
                return
            }
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }

        @Test func `a wrong signature is unverified and still shows its text`() async throws {
            let product = try await product("com.example.lifetime")
            try await device.strike(.wrongSignature)
            guard case .success(let result) = try await product.purchase() else {
                Issue.record("not bought")
                return
            }
            guard case .unverified(let transaction, let error) = result else {
                Issue.record("verified")
                return
            }
            #expect(error == .invalidSignature)
            #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) {
                try result.payloadValue
            }
            #expect(result.unsafePayloadValue == transaction)
            #expect(result.jwsRepresentation.split(separator: ".").count == 3)
            #expect(result.payloadData == transaction.jsonRepresentation)
        }

        @Test func `a refund comes as an update and ends the entitlement`() async throws {
            let transaction = try await bought("com.example.lifetime")
            await transaction.finish()
            var updates = Transaction.updates.makeAsyncIterator()
            let update = Task { await updates.next() }
            #expect(await Transaction.currentEntitlement(for: transaction.productID) != nil)
            try await device.refund(String(transaction.id))
            let refunded = try #require(await update.value?.unsafePayloadValue)
            #expect(refunded.id == transaction.id)
            #expect(refunded.revocationDate != nil)
            #expect(refunded.revocationReason == .developerIssue)
            #expect(await Transaction.currentEntitlement(for: transaction.productID) == nil)
            #expect(await Transaction.latest(for: transaction.productID) != nil)
        }

        @Test func `a subscription has a status, a state and renewal information`() async throws {
            let product = try await product("com.example.pro.monthly")
            let subscription = try #require(product.subscription)
            #expect(try await subscription.status.isEmpty)
            let transaction = try await bought(product.id)
            #expect(transaction.offerType == .introductory)
            #expect(transaction.offer?.paymentMode == .freeTrial)
            #expect(transaction.expirationDate ?? .distantPast > transaction.purchaseDate)
            let status = try #require(try await subscription.status.first)
            #expect(status.state == .subscribed)
            #expect(try status.transaction.payloadValue.id == transaction.id)
            let renewal = try status.renewalInfo.payloadValue
            #expect(renewal.willAutoRenew)
            #expect(renewal.autoRenewPreference == product.id)
            #expect(renewal.originalTransactionID == transaction.originalID)
            #expect(await transaction.subscriptionStatus?.state == .subscribed)
            #expect(await !subscription.isEligibleForIntroOffer)
            let groups = await Dictionary(
                uniqueKeysWithValues: Array(Product.SubscriptionInfo.Status.all).map {
                    ($0.groupID, $0.statuses.count)
                })
            #expect(groups == [subscription.subscriptionGroupID: 1])
        }

        @Test func `the app has a transaction of its own and the device an identity`() async throws
        {
            let shared = try await AppTransaction.shared.payloadValue
            #expect(shared.bundleID == "com.example.app")
            #expect(shared.environment == .sandbox)
            #expect(shared.originalAppVersion == "1.0")
            #expect(shared.appID == nil)
            #expect(AppStore.deviceVerificationID != nil)
            #expect(await Storefront.current?.countryCode == "USA")
            try await AppStore.sync()
        }
    }
}
