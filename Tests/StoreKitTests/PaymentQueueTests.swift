import Foundation
import HTTPMessage
import StoreKit
import StoreWire
import TestKit
import Testing

/// StoreKit has one queue, one launch and one main queue in a process: its tests run one by one.
@Suite(.serialized, .usesTheOneQueue)
enum StoreKitInOneProcess {}

extension StoreKitInOneProcess {
    @Suite struct PaymentQueueTests {
        let device: TestDevice
        let queue = SKPaymentQueue.default()

        init() throws { device = try TestDevice() }

        @Test func `a payment is purchasing, then purchased with its receipt`() async throws {
            let recorder = Recorder()
            queue.add(recorder)
            #expect(Bundle.main.appStoreReceiptURL?.lastPathComponent == "sandboxReceipt")
            queue.add(payment("com.example.coins600", quantity: 3, username: "anna"))
            let heard = await recorder.next(2)
            #expect(heard.first == .updated(.purchasing, "com.example.coins600", id: nil))
            let transaction = try #require(queue.transactions.first)
            let number = try #require(transaction.transactionIdentifier)
            #expect(heard.last == .updated(.purchased, "com.example.coins600", id: number))
            #expect(transaction.payment.quantity == 3)
            #expect(transaction.payment.applicationUsername == "anna")
            #expect(transaction.original == nil)
            #expect(transaction.error == nil)
            #expect(transaction.transactionDate != nil)
            #expect(try device.receipt() == [number])
            #expect(transaction.transactionReceipt?.isEmpty == false)
            queue.remove(recorder)
        }

        @Test func `what is not finished comes back at the next launch without its username`()
            async throws
        {
            let token = UUID().uuidString.lowercased()
            let first = Recorder()
            queue.add(first)
            queue.add(payment("com.example.coins20", username: token))
            let bought = try #require(await first.wait(for: .purchased)?.transactionIdentifier)
            device.quit()
            device.launch()
            #expect(queue.transactions.isEmpty)
            let second = Recorder()
            queue.add(second)
            let again = try #require(await second.wait(for: .purchased))
            #expect(again.transactionIdentifier == bought)
            #expect(again.payment.applicationUsername == nil)
            let unfinished = await Array(Transaction.unfinished)
            #expect(
                unfinished.map(\.unsafePayloadValue.appAccountToken) == [UUID(uuidString: token)])
            queue.finishTransaction(again)
            _ = await second.wait { $0 == .removed("com.example.coins20") }
            device.launch()
            let third = Recorder()
            queue.add(third)
            queue.add(payment("com.example.coins100"))
            let next = await third.wait(for: .purchased)
            #expect(next?.payment.productIdentifier == "com.example.coins100")
            #expect(await Array(Transaction.unfinished).count == 1)
        }

        @Test func `a second observer of a launch is not told of what the first was told`()
            async throws
        {
            let first = Recorder()
            queue.add(first)
            queue.add(payment("com.example.coins20"))
            await first.wait(for: .purchased)
            queue.remove(first)
            let second = Recorder()
            queue.add(second)
            queue.add(payment("com.example.lifetime"))
            #expect(
                await second.next(1) == [.updated(.purchasing, "com.example.lifetime", id: nil)])
            #expect(queue.transactions.count == 2)
        }

        @Test func `what nobody heard of is told to the next observer`() async throws {
            let first = Recorder(leavesAtOnce: true)
            queue.add(first)
            queue.add(payment("com.example.coins20"))
            #expect(await first.next(1) == [.updated(.purchasing, "com.example.coins20", id: nil)])
            let transaction = try #require(queue.transactions.first)
            while transaction.transactionState == .purchasing { await Task.yield() }
            await settleMainQueue()
            let second = Recorder()
            queue.add(second)
            let heard = await second.next(1)
            #expect(
                heard == [
                    .updated(
                        .purchased, "com.example.coins20", id: transaction.transactionIdentifier)
                ])
        }

        @Test func `an observer is not kept alive by the queue`() {
            weak var observer: Recorder?
            do {
                let recorder = Recorder()
                observer = recorder
                queue.add(recorder)
                #expect(queue.transactionObservers.count == 1)
            }
            #expect(observer == nil)
            #expect(queue.transactionObservers.isEmpty)
        }

        @Test func `a cancelled payment fails with the code of a cancelled one`() async throws {
            try await device.fail(.purchase, with: "paymentCancelled")
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            let failed = try #require(await recorder.wait(for: .failed))
            #expect((failed.error as? SKError)?.code == .paymentCancelled)
            #expect((failed.error as NSError?)?.domain == SKErrorDomain)
            #expect(failed.transactionIdentifier == nil)
            _ = await recorder.wait { $0 == .removed("com.example.coins20") }
            #expect(queue.transactions.isEmpty)
        }

        @Test func `without a network a payment fails and a later one succeeds`() async throws {
            let recorder = Recorder(finishes: true)
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            await recorder.wait(for: .purchased)
            device.table.setOutage(.init(.cannotConnect))
            queue.add(payment("com.example.coins100"))
            let failed = try #require(await recorder.wait(for: .failed))
            #expect((failed.error as? SKError)?.code == .unknown)
            let cause = (failed.error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == NSURLErrorDomain)
            #expect(cause?.code == NSURLErrorCannotConnectToHost)
            device.table.setOutage(nil)
            queue.add(payment("com.example.coins600"))
            let bought = await recorder.wait(for: .purchased)
            #expect(bought?.payment.productIdentifier == "com.example.coins600")
        }

        @Test func `a payment whose answer is lost is bought once`() async throws {
            let recorder = Recorder()
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            await recorder.wait(for: .purchased)
            device.table.loseAnswers(of: "purchases", times: 2)
            queue.add(payment("com.example.coins100"))
            await recorder.wait(for: .purchased)
            let bought = await Array(Transaction.unfinished).map(\.unsafePayloadValue.productID)
            #expect(bought.sorted() == ["com.example.coins100", "com.example.coins20"])
        }

        @Test func `a device that may not pay says so and refuses`() async throws {
            #expect(SKPaymentQueue.canMakePayments())
            try await device.change(AccountRequest(canMakePayments: false))
            #expect(!SKPaymentQueue.canMakePayments())
            #expect(!AppStore.canMakePayments)
            let recorder = Recorder()
            queue.add(recorder)
            queue.add(payment("com.example.coins20"))
            let failed = await recorder.wait(for: .failed)
            #expect((failed?.error as? SKError)?.code == .paymentNotAllowed)
        }

        @Test func `the storefront is the account's and its change is told`() async throws {
            #expect(queue.storefront?.countryCode == "USA")
            #expect(queue.storefront?.identifier == "143441")
            let recorder = Recorder()
            queue.add(recorder)
            try await device.change(AccountRequest(storefront: "DEU"))
            _ = await recorder.wait { $0 == .storefront }
            #expect(queue.storefront?.countryCode == "DEU")
        }
    }
}
