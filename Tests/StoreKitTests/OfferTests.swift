import Foundation
import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// Reduced prices: whom the store gives them, and what must be signed.
    @Suite struct OfferTests {
        let device: TestDevice
        private let monthly = "com.example.pro.monthly"

        init() throws { device = try TestDevice() }

        /// A customer who subscribed and left.
        private func formerSubscriber() async throws -> StoreKit.Transaction {
            let transaction = try await bought(monthly)
            await transaction.finish()
            try await device.act(.turnOff, on: transaction.id)
            try await device.act(.expireNow, on: transaction.id)
            return transaction
        }

        @Test func `a promotional offer with its signature is given to who subscribed before`()
            async throws
        {
            let first = try await formerSubscriber()
            let token = UUID()
            let signed = try await device.signature(
                offer: "pro.monthly.half", productID: monthly, user: token.uuidString.lowercased())
            let transaction = try await bought(
                monthly,
                [
                    .appAccountToken(token),
                    .promotionalOffer(offerID: "pro.monthly.half", signature: signed),
                ])
            #expect(transaction.offer?.type == .promotional)
            #expect(transaction.offer?.id == "pro.monthly.half")
            #expect(transaction.offer?.paymentMode == .payAsYouGo)
            #expect(transaction.originalID == first.originalID)
            #expect(transaction.price == Decimal(string: "4.99"))
        }

        @Test func `the original StoreKit takes the same signature, once`() async throws {
            _ = try await formerSubscriber()
            let signed = try await device.signature(
                offer: "pro.monthly.half", productID: monthly, user: "anna")
            let recorder = Recorder(finishes: true)
            SKPaymentQueue.default().add(recorder)
            for state in [SKPaymentTransactionState.purchased, .failed] {
                let payment = payment(monthly, username: "anna")
                payment.paymentDiscount = SKPaymentDiscount(
                    identifier: "pro.monthly.half", keyIdentifier: signed.keyID,
                    nonce: signed.nonce, signature: signed.signature.base64EncodedString(),
                    timestamp: NSNumber(value: signed.timestamp))
                SKPaymentQueue.default().add(payment)
                let transaction = await recorder.wait(for: state)
                guard state == .failed else { continue }
                #expect((transaction?.error as? SKError)?.code == .invalidSignature)
            }
        }

        @Test func `an offer is refused for another user, another offer and a newcomer`()
            async throws
        {
            let newcomer = try await device.signature(
                offer: "pro.monthly.half", productID: monthly, user: "")
            await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
                try await bought(
                    monthly, [.promotionalOffer(offerID: "pro.monthly.half", signature: newcomer)])
            }
            _ = try await formerSubscriber()
            let foreign = try await device.signature(
                offer: "pro.monthly.half", productID: monthly, user: UUID().uuidString.lowercased())
            await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
                try await bought(
                    monthly,
                    [
                        .appAccountToken(UUID()),
                        .promotionalOffer(offerID: "pro.monthly.half", signature: foreign),
                    ])
            }
            let unknown = try await device.signature(offer: "nothing", productID: monthly, user: "")
            await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
                try await bought(
                    monthly, [.promotionalOffer(offerID: "nothing", signature: unknown)])
            }
            #expect(await Array(Transaction.all).count == 1)
        }

        @Test func `an offer to come back is for those who left`() async throws {
            let offer = try #require(
                try await product(monthly).subscription?.winBackOffers.first)
            await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
                try await bought(monthly, [.winBackOffer(offer)])
            }
            _ = try await formerSubscriber()
            let status = try await Product.SubscriptionInfo.status(for: "21500001").first
            #expect(
                try status?.renewalInfo.payloadValue.eligibleWinBackOfferIDs
                    .contains("pro.monthly.back") == true)
            let transaction = try await bought(monthly, [.winBackOffer(offer)])
            #expect(transaction.offer?.type == .winBack)
            #expect(transaction.offer?.id == "pro.monthly.back")
        }

        @Test func `the introductory offer is for the first time in a group`() async throws {
            let info = try #require(try await product(monthly).subscription)
            #expect(await info.isEligibleForIntroOffer)
            let first = try await formerSubscriber()
            #expect(first.offer?.type == .introductory)
            #expect(await !info.isEligibleForIntroOffer)
            #expect(
                await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "21500001"))
            #expect(try await bought("com.example.basic.monthly").offer == nil)
        }

        @Test func `an offer code is redeemed on its sheet and comes with the updates`()
            async throws
        {
            let code = try await device.offerCode(monthly, "pro.monthly.code")
            device.launch(answering: .enters(code))
            var updates = Transaction.updates.makeAsyncIterator()
            let next = Task { await updates.next() }
            try await AppStore.presentOfferCodeRedeemSheet(in: device)
            let transaction = try #require(try await next.value?.payloadValue)
            #expect(transaction.offer?.type == .code)
            #expect(transaction.offer?.id == "pro.monthly.code")
            await #expect(throws: StoreKitError.self) {
                try await AppStore.presentOfferCodeRedeemSheet(in: device)
            }
        }

        @Test func `an offer code's sheet of the original StoreKit ends in the queue`() async throws
        {
            let code = try await device.offerCode(monthly, "pro.monthly.code")
            device.launch(answering: .enters(code))
            let recorder = Recorder()
            SKPaymentQueue.default().add(recorder)
            SKPaymentQueue.default().presentCodeRedemptionSheet()
            let bought = await recorder.wait(for: .purchased)
            #expect(bought?.payment.productIdentifier == monthly)
        }

        @Test func `the newer sheet gives the transaction to who asked, and a closed one throws`()
            async throws
        {
            let code = try await device.offerCode(monthly, "pro.monthly.code")
            device.launch(answering: .closes)
            do {
                _ = try await AppStore.presentOfferCodeRedeemSheet(from: device, options: [])
                Issue.record("redeemed nothing")
            } catch StoreKitError.userCancelled {
            }
            device.launch(answering: .enters(code))
            let result = try await AppStore.presentOfferCodeRedeemSheet(from: device, options: [])
            #expect(try result.payloadValue.productID == monthly)
        }
    }
}
