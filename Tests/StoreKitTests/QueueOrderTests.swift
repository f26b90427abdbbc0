import Foundation
import HTTPMessage
import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// Who is told, in what order, and what the queue's delegate decides.
    @Suite struct QueueOrderTests {
        let device: TestDevice
        let queue = SKPaymentQueue.default()

        init() throws { device = try TestDevice() }

        /// A delegate of the queue that answers alike each time and keeps the questions.
        private final class Decider: NSObject, SKPaymentQueueDelegate, @unchecked Sendable {
            // Used on the main queue alone, and read after what was asked has come back.
            private(set) var asked: [String] = []
            let answer: Bool

            init(_ answer: Bool) { self.answer = answer }

            func paymentQueue(
                _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
                in newStorefront: SKStorefront
            ) -> Bool {
                dispatchPrecondition(condition: .onQueue(.main))
                asked.append(
                    "\(transaction.payment.productIdentifier) \(newStorefront.countryCode)")
                return answer
            }

            func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
                asked.append("price")
                return answer
            }
        }

        /// An observer that adds or removes another in the middle of being told.
        private final class Meddler: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
            // Set before it is added and used on the main queue.
            let other: Recorder
            let adds: Bool
            init(_ other: Recorder, adds: Bool) {
                self.other = other
                self.adds = adds
            }

            func paymentQueue(
                _ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]
            ) {
                if adds { queue.add(other) } else { queue.remove(other) }
            }
        }

        private final class NamedPayment: SKPayment {
            override var productIdentifier: String { "com.example.coins100" }
            override var quantity: Int { 2 }
        }

        private final class Mover: Sendable {
            /// Changes the storefront while paying, once.
            static func person(to country: String) -> LocalStorePerson {
                LocalStorePerson { sheet in
                    if case .payment = sheet { .moves(toStorefront: country) } else { .agrees }
                }
            }
        }

        @Test(arguments: [true, false])
        func `the delegate decides about a payment whose storefront changed meanwhile`(
            goesOn: Bool
        ) async throws {
            device.launch(Mover.person(to: "DEU"))
            await device.isLaunched()
            let decider = Decider(goesOn)
            queue.delegate = decider
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            let transaction = try #require(
                await recorder.wait(for: goesOn ? .purchased : .failed))
            #expect(decider.asked == ["com.example.coins20 DEU"])
            if goesOn {
                #expect(await Storefront.current?.countryCode == "DEU")
            } else {
                #expect((transaction.error as? SKError)?.code == .storeProductNotAvailable)
                #expect(await Array(Transaction.unfinished).isEmpty)
            }
        }

        @Test(arguments: [true, false])
        func `an option decides about a purchase whose storefront changed meanwhile`(
            goesOn: Bool
        ) async throws {
            device.launch(Mover.person(to: "JPN"))
            let product = try await product("com.example.coins20")
            do {
                let result = try await product.purchase(options: [
                    .onStorefrontChange { storefront in
                        storefront.countryCode == "JPN" && goesOn
                    }
                ])
                guard case .success(let signed) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(goesOn)
                #expect(try signed.payloadValue.storefront.countryCode == "JPN")
            } catch StoreKitError.notAvailableInStorefront {
                #expect(!goesOn)
            }
        }

        @Test func `a person who closes the payment sheet has cancelled`() async throws {
            device.launch(LocalStorePerson { _ in .closes })
            guard case .userCancelled = try await product("com.example.coins20").purchase() else {
                Issue.record("bought")
                return
            }
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            let failed = await recorder.wait(for: .failed)
            #expect((failed?.error as? SKError)?.code == .paymentCancelled)
            queue.restoreCompletedTransactions()
            _ = await recorder.wait {
                $0 == .restoreFailed(SKError.Code.paymentCancelled.rawValue)
            }
            do {
                try await AppStore.sync()
                Issue.record("signed in")
            } catch StoreKitError.userCancelled {
            }
        }

        @Test func `a price sheet that the delegate put off is shown when the app asks`()
            async throws
        {
            device.launch(answering: .agrees)
            let transaction = try await bought("com.example.pro.monthly")
            let decider = Decider(false)
            queue.delegate = decider
            let recorder = Recorder()
            queue.add(recorder)
            try await device.act(.increasePrice, on: transaction.id) {
                $0.price = 49_990
                $0.needsConsent = true
            }
            while await MainActor.run(body: { decider.asked.isEmpty }) { await Task.yield() }
            #expect(decider.asked == ["price"])
            #expect(try await increase() == .pending)
            queue.showPriceConsentIfNeeded()
            while try await increase() == .pending { await Task.yield() }
            #expect(try await increase() == .agreed)
        }

        private func increase() async throws
            -> Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus?
        {
            try await Product.SubscriptionInfo.status(for: "21500001").first?.renewalInfo
                .payloadValue.priceIncreaseStatus
        }

        @Test func `what is finished right before a restore is restored`() async throws {
            let recorder = Recorder()
            queue.add(recorder)
            queue.add(payment("com.example.lifetime"))
            let bought = try #require(await recorder.wait(for: .purchased))
            // The finish is kept on its way; the restore must not overtake it.
            device.table.hold("/finish")
            queue.finishTransaction(bought)
            queue.restoreCompletedTransactions()
            while device.table.heldCalls == 0 { await Task.yield() }
            device.table.letGo()
            let restored = await recorder.wait(for: .restored)
            #expect(restored?.original?.transactionIdentifier == bought.transactionIdentifier)
        }

        @Test func `every observer is told, and one may come or go while others are told`()
            async throws
        {
            let (first, late, early) = (Recorder(), Recorder(), Recorder())
            let adding = Meddler(late, adds: true)
            let removing = Meddler(early, adds: false)
            for observer in [first, adding, early, removing] as [any SKPaymentTransactionObserver] {
                queue.add(observer)
            }
            queue.add(first)
            #expect(queue.transactionObservers.count == 4)
            queue.add(payment("com.example.coins20"))
            #expect(await first.next(1) == [.updated(.purchasing, "com.example.coins20", id: nil)])
            #expect(await early.next(1) == [.updated(.purchasing, "com.example.coins20", id: nil)])
            let bought = try #require(await first.wait(for: .purchased))
            #expect(
                await late.next(1)
                    == [
                        .updated(
                            .purchased, "com.example.coins20", id: bought.transactionIdentifier)
                    ])
            #expect(early.transactions.count == 1)
            #expect(queue.transactionObservers.count == 4)
        }

        @Test func `a payment of a class of the app's is read through its properties`() async throws
        {
            let recorder = Recorder()
            queue.add(recorder)
            queue.add(NamedPayment())
            let bought = try #require(await recorder.wait(for: .purchased))
            #expect(bought.payment is NamedPayment)
            #expect(bought.payment.quantity == 2)
            let signed = await Array(Transaction.unfinished).first?.unsafePayloadValue
            #expect(signed?.productID == "com.example.coins100")
            #expect(signed?.purchasedQuantity == 2)
        }

        @Test func `the queue is used from many threads at once`() async throws {
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let queue = SKPaymentQueue.default()
                        queue.add(payment("com.example.coins20"))
                        let passing = Recorder()
                        queue.add(passing)
                        _ = (queue.transactions.count, queue.transactionObservers.count)
                        queue.remove(passing)
                    }
                }
            }
            for _ in 0..<8 {
                _ = await recorder.wait { $0 == .removed("com.example.coins20") }
            }
            let numbers = Set(recorder.transactions.compactMap(\.transactionIdentifier))
            #expect(numbers.count == 8)
            #expect(await Array(Transaction.unfinished).isEmpty)
        }

        @Test func `a renewal while the app runs comes to the queue at the next launch`()
            async throws
        {
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            queue.add(payment("com.example.pro.monthly"))
            let bought = try #require(await recorder.wait(for: .purchased))
            let number = try #require(bought.transactionIdentifier)
            _ = await recorder.wait { $0 == .removed("com.example.pro.monthly") }
            try await device.act(.renewNow, on: try #require(UInt64(number)))
            // What comes after the renewal is heard first, so the renewal was not told.
            queue.add(payment("com.example.coins20"))
            _ = await recorder.wait { $0 == .removed("com.example.coins20") }
            #expect(Set(recorder.transactions.compactMap(\.transactionIdentifier)).count == 2)
            device.launch()
            let later = Recorder()
            queue.add(later)
            let renewal = try #require(await later.wait(for: .purchased))
            #expect(renewal.transactionIdentifier != number)
            #expect(renewal.original?.transactionIdentifier == number)
            #expect(renewal.payment.applicationUsername == nil)
        }
    }
}
