import StoreKit
import StoreWire
import Testing

extension StoreKitInOneProcess {
    /// What becomes of a subscription while the app runs, in the words of StoreKit 2.
    @Suite struct SubscriptionTests {
        let device: TestDevice
        private let monthly = "com.example.pro.monthly"
        private let group = "21500001"

        init() throws { device = try TestDevice() }

        private func status() async throws -> Product.SubscriptionInfo.Status {
            try #require(try await Product.SubscriptionInfo.status(for: group).first)
        }

        @Test func `a renewal arrives while the app runs, and with it the status`() async throws {
            let transaction = try await bought(monthly)
            var updates = Transaction.updates.makeAsyncIterator()
            // What is unfinished comes first; from then on the loop hears everything.
            #expect(await updates.next()?.unsafePayloadValue.id == transaction.id)
            await transaction.finish()
            let change = Task {
                await Product.SubscriptionInfo.Status.updates.first { _ in true }
            }
            await Listening.toStatuses()
            try await device.act(.renewNow, on: transaction.id)
            let renewed = try #require(try await updates.next()?.payloadValue)
            let changed = try #require(await change.value)
            #expect(changed.state == .subscribed)
            #expect(try changed.transaction.payloadValue.id == renewed.id)
            #expect(renewed.id != transaction.id)
            #expect(renewed.originalID == transaction.id)
            #expect(renewed.reason == .renewal)
            #expect(transaction.reason == .purchase)
            #expect(renewed.webOrderLineItemID != transaction.webOrderLineItemID)
            #expect(renewed.offer == nil)
            #expect(await Transaction.latest(for: monthly)?.unsafePayloadValue.id == renewed.id)
            #expect(
                await Array(Transaction.all).map(\.unsafePayloadValue.id)
                    == [renewed.id, transaction.id])
            #expect(
                await Array(Transaction.all(for: monthly)).map(\.unsafePayloadValue.id)
                    == [renewed.id, transaction.id])
            #expect(await Array(Transaction.all(for: "com.example.lifetime")).isEmpty)
            #expect(
                await Array(Transaction.currentEntitlements).map(\.unsafePayloadValue.id)
                    == [renewed.id])
        }

        @Test func `a renewal that cannot be paid has grace, then is retried, then is over`()
            async throws
        {
            try await device.giveGrace(days: 3)
            let transaction = try await bought(monthly)
            try await device.act(.setBilling, on: transaction.id) { $0.fails = true }
            while try await status().state == .subscribed { try await device.passToNextEvent() }
            let grace = try await status()
            #expect(grace.state == .inGracePeriod)
            let info = try grace.renewalInfo.payloadValue
            #expect(info.isInBillingRetry)
            #expect(info.gracePeriodExpirationDate != nil)
            #expect(await Transaction.currentEntitlement(for: monthly) != nil)

            while try await status().state == .inGracePeriod { try await device.passToNextEvent() }
            let retry = try await status()
            #expect(retry.state == .inBillingRetryPeriod)
            #expect(await Transaction.currentEntitlement(for: monthly) == nil)
            #expect(await Transaction.latest(for: monthly) != nil)

            while try await status().state == .inBillingRetryPeriod {
                try await device.passToNextEvent()
            }
            let over = try await status()
            #expect(over.state == .expired)
            #expect(try over.renewalInfo.payloadValue.expirationReason == .billingError)
        }

        @Test func `a subscription that was turned off runs to its end and says why it ended`()
            async throws
        {
            let transaction = try await bought(monthly)
            device.launch(answering: .refuses)
            try await AppStore.showManageSubscriptions(in: device, subscriptionGroupID: group)
            let off = try await status()
            #expect(off.state == .subscribed)
            #expect(try !off.renewalInfo.payloadValue.willAutoRenew)
            try await device.act(.expireNow, on: transaction.id)
            let over = try await status()
            #expect(over.state == .expired)
            #expect(try over.renewalInfo.payloadValue.expirationReason == .autoRenewDisabled)
            #expect(await Array(Transaction.currentEntitlements).isEmpty)
        }

        @Test func `a better plan counts at once, a lesser one from the next period on`()
            async throws
        {
            let basic = try await bought("com.example.basic.monthly")
            let better = try await bought(monthly)
            #expect(better.originalID == basic.originalID)
            #expect(better.id != basic.id)
            let old = await Array(Transaction.all(for: basic.productID)).first
            #expect(old?.unsafePayloadValue.isUpgraded == true)
            #expect(
                await Array(Transaction.currentEntitlements).map(\.unsafePayloadValue.id)
                    == [better.id])

            let lesser = try await bought("com.example.basic.weekly")
            #expect(lesser.id == better.id)
            let info = try await status().renewalInfo.payloadValue
            #expect(info.currentProductID == monthly)
            #expect(info.autoRenewPreference == "com.example.basic.weekly")
            try await device.act(.renewNow, on: better.id)
            let now = try await status().renewalInfo.payloadValue
            #expect(now.currentProductID == "com.example.basic.weekly")
        }

        @Test func `buying what runs and renews gives the transaction that is there`() async throws
        {
            let transaction = try await bought(monthly)
            await transaction.finish()
            let again = try await bought(monthly)
            #expect(again.id == transaction.id)
            #expect(again.expirationDate == transaction.expirationDate)
            #expect(await Array(Transaction.all).count == 1)
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }

        @Test func `the original StoreKit refuses what runs and renews with Apple's number`()
            async throws
        {
            let transaction = try await bought(monthly)
            await transaction.finish()
            let recorder = Recorder(finishes: true)
            SKPaymentQueue.default().add(recorder)
            SKPaymentQueue.default().add(payment(monthly))
            let failed = try #require(await recorder.wait(for: .failed))
            #expect((failed.error as? SKError)?.code == .unknown)
            let cause = (failed.error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == "ASDServerErrorDomain")
            #expect(cause?.code == 3_532)
        }

        @Test func `a refund is asked for once, and the subscription is revoked by it`()
            async throws
        {
            let transaction = try await bought(monthly)
            device.launch(answering: .closes)
            #expect(try await transaction.beginRefundRequest(in: device) == .userCancelled)
            device.launch(answering: .enters("UNINTENDED_PURCHASE"))
            #expect(
                try await Transaction.beginRefundRequest(for: transaction.id, in: device)
                    == .success)
            await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
                try await transaction.beginRefundRequest(in: device)
            }
            while try await status().state == .subscribed { try await device.passToNextEvent() }
            #expect(try await status().state == .revoked)
            let revoked = await Transaction.latest(for: monthly)?.unsafePayloadValue
            #expect(revoked?.revocationDate != nil)
            await #expect(throws: Transaction.RefundRequestError.failed) {
                try await Transaction.beginRefundRequest(for: 1, in: device)
            }
        }

        @Test(arguments: [
            (LocalStorePerson.Answer.agrees, 1), (.refuses, 0), (.closes, 0),
        ])
        func `a higher price is told by a message and answered on its sheet`(
            answer: LocalStorePerson.Answer, agreed: Int
        ) async throws {
            device.launch(answering: answer)
            let transaction = try await bought(monthly)
            var messages = Message.messages.makeAsyncIterator()
            let next = Task { await messages.next() }
            try await device.act(.increasePrice, on: transaction.id) {
                $0.price = 49_990
                $0.needsConsent = true
            }
            let message = try #require(await next.value)
            #expect(message.reason == .priceIncreaseConsent)
            #expect(try await status().renewalInfo.payloadValue.priceIncreaseStatus == .pending)
            try await message.display(in: device)
            if agreed == 1 {
                while try await status().renewalInfo.payloadValue.priceIncreaseStatus == .pending {
                    await Task.yield()
                }
                #expect(try await status().renewalInfo.payloadValue.priceIncreaseStatus == .agreed)
            } else {
                #expect(try await status().renewalInfo.payloadValue.priceIncreaseStatus == .pending)
            }
        }

        @Test func `a renewal that fails is told by a message about money`() async throws {
            let transaction = try await bought(monthly)
            var messages = Message.messages.makeAsyncIterator()
            let next = Task { await messages.next() }
            try await device.act(.setBilling, on: transaction.id) { $0.fails = true }
            while try await status().state == .subscribed { try await device.passToNextEvent() }
            #expect(await next.value?.reason == .billingIssue)
        }
    }
}
