import Foundation
import HTTPMessage
import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// What comes to the queue late, from elsewhere or again.
    @Suite struct QueueEventsTests {
        let device: TestDevice
        let queue = SKPaymentQueue.default()
        let recorder = Recorder()

        init() throws {
            device = try TestDevice()
            queue.add(recorder)
        }

        private func buy(_ productID: String) { queue.add(payment(productID)) }

        @Test func `a deferred payment waits and is purchased once it is approved`() async throws {
            try await device.change(AccountRequest(asksToBuy: true))
            buy("com.example.coins600")
            let deferred = try #require(await recorder.wait(for: .deferred))
            #expect(deferred.transactionIdentifier == nil)
            try await device.decide(.approve)
            let bought = try #require(await recorder.wait(for: .purchased))
            #expect(bought === deferred)
            #expect(bought.transactionIdentifier != nil)
        }

        @Test
        func `what was finished stays finished though the process ends before the store hears it`()
            async throws
        {
            buy("com.example.coins20")
            let bought = try #require(await recorder.wait(for: .purchased))
            device.table.setOutage(HTTPFetchError(.cannotConnect))
            queue.finishTransaction(bought)
            device.quit()
            device.table.setOutage(nil)
            device.launch()
            #expect(await Array(Transaction.unfinished).isEmpty)
            let later = Recorder()
            queue.add(later)
            queue.add(payment("com.example.coins100"))
            let next = try #require(await later.wait(for: .purchased))
            #expect(next.payment.productIdentifier == "com.example.coins100")
            // The same with the second StoreKit.
            let product = try #require(
                try await Product.products(for: ["com.example.coins20"]).first)
            guard case .success(let result) = try await product.purchase() else {
                Issue.record("not bought")
                return
            }
            device.table.setOutage(HTTPFetchError(.cannotConnect))
            await result.unsafePayloadValue.finish()
            queue.finishTransaction(next)
            device.quit()
            device.table.setOutage(nil)
            device.launch()
            #expect(await Array(Transaction.unfinished).isEmpty)
            // What nobody finished is still there.
            guard case .success = try await product.purchase() else { return }
            device.launch()
            #expect(await Array(Transaction.unfinished).count == 1)
        }

        @Test func `a deferred payment that the app finished is still approved`() async throws {
            try await device.change(AccountRequest(asksToBuy: true))
            buy("com.example.coins600")
            queue.finishTransaction(try #require(await recorder.wait(for: .deferred)))
            #expect(queue.transactions.isEmpty)
            try await device.decide(.approve)
            #expect(await recorder.wait(for: .purchased) != nil)
        }

        @Test func `a deferred payment is approved in a later launch`() async throws {
            try await device.change(AccountRequest(asksToBuy: true))
            buy("com.example.coins600")
            await recorder.wait(for: .deferred)
            device.quit()
            try await device.decide(.approve)
            device.launch()
            let later = Recorder()
            queue.add(later)
            let bought = await later.wait(for: .purchased)
            #expect(bought?.payment.productIdentifier == "com.example.coins600")
        }

        @Test func `a declined payment fails`() async throws {
            try await device.change(AccountRequest(asksToBuy: true))
            buy("com.example.coins600")
            await recorder.wait(for: .deferred)
            try await device.decide(.decline)
            let failed = await recorder.wait(for: .failed)
            #expect((failed?.error as? SKError)?.code == .paymentCancelled)
        }

        @Test func `an interrupted payment fails first and a new one succeeds later`() async throws
        {
            try await device.change(AccountRequest(interruptsPurchases: true))
            buy("com.example.coins600")
            let failed = try #require(await recorder.wait(for: .failed))
            queue.finishTransaction(failed)
            try await device.decide(.resolve)
            let bought = try #require(await recorder.wait(for: .purchased))
            #expect(bought !== failed)
            #expect(bought.payment.productIdentifier == "com.example.coins600")
        }

        @Test func `restoring brings owned things under new names, and consumables never`()
            async throws
        {
            var numbers: [String: String] = [:]
            for productID in ["com.example.coins20", "com.example.lifetime"] {
                buy(productID)
                let bought = try #require(await recorder.wait(for: .purchased))
                numbers[productID] = bought.transactionIdentifier
                queue.finishTransaction(bought)
                _ = await recorder.wait { $0 == .removed(productID) }
            }
            queue.restoreCompletedTransactions()
            let restored = try #require(await recorder.wait(for: .restored))
            _ = await recorder.wait { $0 == .restored }
            #expect(queue.transactions.map(\.payment.productIdentifier) == ["com.example.lifetime"])
            let owned = try #require(numbers["com.example.lifetime"])
            #expect(restored.original?.transactionIdentifier == owned)
            #expect(restored.original?.transactionState == .purchased)
            #expect(restored.transactionIdentifier != owned)
            #expect(restored.transactionIdentifier != nil)
        }

        @Test func `restoring nothing finishes`() async {
            queue.restoreCompletedTransactions()
            #expect(await recorder.next(1) == [.restored])
        }

        @Test func `restoring fails when the customer cancels`() async throws {
            try await device.fail(.appStoreSync, with: "paymentCancelled")
            queue.restoreCompletedTransactions(withApplicationUsername: "anna")
            #expect(
                await recorder.next(1)
                    == [.restoreFailed(SKError.Code.paymentCancelled.rawValue)])
        }

        @Test func `a refund is told and takes the receipt's entry along`() async throws {
            buy("com.example.lifetime")
            let bought = try #require(await recorder.wait(for: .purchased))
            queue.finishTransaction(bought)
            try await device.refund(try #require(bought.transactionIdentifier))
            let heard = await recorder.wait { if case .revoked = $0 { true } else { false } }
            #expect(heard == .revoked(["com.example.lifetime"]))
        }

        @Test func `a promoted purchase goes on when the observer wants it`() async throws {
            await device.isLaunched()
            try await device.tapPromoted("com.example.coins20")
            #expect(
                await recorder.next(3).prefix(2) == [
                    .promoted("20 Coins"), .updated(.purchasing, "com.example.coins20", id: nil),
                ])
        }

        @Test func `a promoted purchase stays undone when the observer refuses`() async throws {
            queue.remove(recorder)
            let refusing = Recorder(acceptsPromoted: false)
            queue.add(refusing)
            await device.isLaunched()
            try await device.tapPromoted("com.example.coins20")
            #expect(await refusing.next(1) == [.promoted("20 Coins")])
            await settleMainQueue()
            #expect(queue.transactions.isEmpty)
        }

        @Test func `a purchase on the App Store's page comes to the queue`() async throws {
            await device.isLaunched()
            try await device.buyOutside("com.example.coins20")
            #expect(
                await recorder.wait(for: .purchased)?.payment.productIdentifier
                    == "com.example.coins20")
        }

        @Test func `what is finished while the store is away is finished when it is back`()
            async throws
        {
            buy("com.example.coins20")
            let bought = try #require(await recorder.wait(for: .purchased))
            device.table.setOutage(.init(.cannotConnect))
            queue.finishTransaction(bought)
            _ = await recorder.wait { $0 == .removed("com.example.coins20") }
            device.table.setOutage(nil)
            while await !device.hasFinishedEverything() { await Task.yield() }
            #expect(await Array(Transaction.unfinished).isEmpty)
        }
    }
}
