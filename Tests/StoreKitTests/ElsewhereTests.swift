import Foundation
import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// What begins or ends outside the app: families, the App Store's page, receipts, other signatures.
    @Suite struct ElsewhereTests {
        let device: TestDevice
        let queue = SKPaymentQueue.default()

        init() throws { device = try TestDevice() }

        @Test func `a member loses what the family no longer shares`() async throws {
            try await device.makeFamily(with: "kid")
            let own = try await bought("com.example.lifetime")
            let kid = try TestDevice(beside: device)
            kid.launch(account: "kid")
            let shared = try #require(
                await Array(Transaction.currentEntitlements).first?.unsafePayloadValue)
            #expect(shared.ownershipType == .familyShared)
            #expect(shared.id != own.id)
            #expect(shared.appAccountToken == nil)
            let recorder = Recorder()
            queue.add(recorder)
            var updates = Transaction.updates.makeAsyncIterator()
            // The shared purchase is new to this device and unfinished.
            #expect(await updates.next()?.unsafePayloadValue.id == shared.id)
            try await device.endFamily()
            let update = try #require(await updates.next()?.unsafePayloadValue)
            #expect(update.id == shared.id)
            #expect(update.revocationDate != nil)
            let heard = await recorder.wait { if case .revoked = $0 { true } else { false } }
            #expect(heard == .revoked(["com.example.lifetime"]))
            #expect(await Array(Transaction.currentEntitlements).isEmpty)
        }

        @Test func `a promoted purchase comes as an intent to who listens for intents`()
            async throws
        {
            await device.isLaunched()
            try await device.tapPromoted("com.example.coins20")
            var intents = PurchaseIntent.intents.makeAsyncIterator()
            let waiting = try #require(await intents.next())
            #expect(waiting.product.id == "com.example.coins20")
            #expect(waiting.offer == nil)
            try await device.tapPromoted("com.example.coins100")
            #expect(await intents.next()?.id == "com.example.coins100")
            guard case .success = try await waiting.product.purchase() else {
                Issue.record("not bought")
                return
            }
        }

        @Test func `a promoted purchase waits for the launch that has an observer`() async throws {
            await device.isLaunched()
            try await device.tapPromoted("com.example.coins20")
            device.launch()
            let recorder = Recorder()
            queue.add(recorder)
            #expect(await recorder.next(1) == [.promoted("20 Coins")])
            #expect(
                await recorder.wait(for: .purchased)?.payment.productIdentifier
                    == "com.example.coins20")
        }

        @Test func `an interrupted purchase throws, and comes with the updates once it is solved`()
            async throws
        {
            try await device.change(AccountRequest(interruptsPurchases: true))
            await #expect(throws: StoreKitError.self) {
                try await product("com.example.coins20").purchase()
            }
            var updates = Transaction.updates.makeAsyncIterator()
            let next = Task { await updates.next() }
            try await device.decide(.resolve)
            #expect(await next.value?.unsafePayloadValue.productID == "com.example.coins20")
        }

        @Test func `a declined purchase brings nothing to StoreKit 2`() async throws {
            var updates = Transaction.updates.makeAsyncIterator()
            let next = Task { await updates.next() }
            try await askedFor("com.example.lifetime")
            try await device.decide(.decline)
            try await device.buyOutside("com.example.coins20")
            #expect(await next.value?.unsafePayloadValue.productID == "com.example.coins20")
            #expect(await Array(Transaction.currentEntitlements).isEmpty)
        }

        @Test func `a waiting purchase is approved in another launch and comes with its updates`()
            async throws
        {
            try await askedFor("com.example.lifetime")
            device.quit()
            try await device.decide(.approve)
            device.launch()
            var updates = Transaction.updates.makeAsyncIterator()
            #expect(await updates.next()?.unsafePayloadValue.productID == "com.example.lifetime")
        }

        @Test func `a refund while the app is away is there at the next launch`() async throws {
            let transaction = try await bought("com.example.lifetime")
            await transaction.finish()
            device.quit()
            try await device.refund(String(transaction.id))
            device.launch()
            let latest = await Transaction.latest(for: transaction.productID)?.unsafePayloadValue
            #expect(latest?.revocationDate != nil)
            #expect(await Array(Transaction.currentEntitlements).isEmpty)
        }

        @Test func `a receipt refresh fails when nobody signs in and leaves the file alone`()
            async throws
        {
            try await bought("com.example.coins20")
            let place = try #require(Bundle.main.appStoreReceiptURL)
            let before = try Data(contentsOf: place)
            device.launch(answering: .closes)
            let request = SKReceiptRefreshRequest()
            let answers = Answers()
            request.delegate = answers
            request.start()
            guard case .failed(let error) = await answers.collected().first else {
                Issue.record("refreshed")
                return
            }
            #expect((error as? SKError)?.code == .paymentCancelled)
            #expect(!before.isEmpty)
            #expect(FileManager.default.fileExists(atPath: place.path))
        }

        @Test func `a receipt may be genuine and say nothing`() async throws {
            await device.isLaunched()
            try await device.strike(.emptyReceipt)
            try await bought("com.example.coins20")
            #expect(try device.receipt().isEmpty)
        }

        @Test func `the order and visibility of promoted products outlive the launch`() async throws
        {
            try await Product.PromotionInfo.updateProductOrder(byID: [
                "com.example.lifetime", "com.example.coins20",
            ])
            try await Product.PromotionInfo.updateProductVisibility(
                .hidden, for: "com.example.coins20")
            await #expect(throws: Product.PurchaseError.productUnavailable) {
                try await Product.PromotionInfo.updateProductOrder(byID: ["com.example.nothing"])
            }
            device.launch()
            let order = try await Product.PromotionInfo.currentOrder
            #expect(order.map(\.productID) == ["com.example.lifetime", "com.example.coins20"])
            #expect(order.map(\.visibility) == [.appStoreConnectDefault, .hidden])
            let controller = SKProductStorePromotionController.default()
            let products = try await controller.storePromotionOrder()
            #expect(products.map(\.productIdentifier) == order.map(\.productID))
            let last = try #require(products.last)
            #expect(try await controller.storePromotionVisibility(for: last) == .hide)
        }

        @Test func `purchases outside the App Store are not this app's to offer`() async throws {
            #expect(await !ExternalPurchase.canPresent)
            #expect(await !ExternalPurchaseLink.canOpen)
            #expect(await !ExternalPurchaseCustomLink.isEligible)
            do {
                _ = try await ExternalPurchase.presentNoticeSheet()
                Issue.record("presented")
            } catch StoreKitError.notEntitled {
            }
            let product = try await AdvancedCommerceProduct(id: "com.example.pro.monthly")
            #expect(product.type == .autoRenewable)
            await #expect(throws: Product.PurchaseError.productUnavailable) {
                try await AdvancedCommerceProduct(id: "com.example.nothing")
            }
            do {
                _ = try await product.purchase(compactJWS: "a.b.c")
                Issue.record("bought")
            } catch StoreKitError.unsupported {
            }
        }

        @Test func `a signature shows both of its forms`() async throws {
            guard case .success(let result) = try await product("com.example.coins20").purchase()
            else {
                Issue.record("not bought")
                return
            }
            #expect(result.signature.rawRepresentation == result.signatureData)
            #expect(result.signatureData.count == 64)
            #expect(result.signature.derRepresentation.first == 0x30)
            let input = String(decoding: result.signedData, as: UTF8.self)
            #expect(result.jwsRepresentation.hasPrefix(input + "."))
        }

        @Test(arguments: ["revokedCertificate", "invalidDeviceVerification"])
        func `a check that is made to fail on the device fails with the wanted reason`(
            reason: String
        ) async throws {
            try await device.fail(.verification, with: reason)
            guard
                case .success(.unverified(_, let error)) = try await product(
                    "com.example.coins20"
                ).purchase()
            else {
                Issue.record("verified")
                return
            }
            #expect("\(error)" == reason)
            try await device.fail(nil)
            guard
                case .success(.verified) = try await product("com.example.coins100").purchase()
            else {
                Issue.record("not verified")
                return
            }
        }
    }
}
