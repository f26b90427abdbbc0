import Foundation
import HTTPMessage
import StoreKit
import Testing

extension StoreKitInOneProcess {
    @Suite struct RequestTests {
        let device: TestDevice

        init() throws { device = try TestDevice() }

        @Test func `a products request tells of products first and of its end then`() async throws {
            let request = SKProductsRequest(productIdentifiers: [
                "com.example.pro.monthly", "com.example.nothing",
            ])
            let answers = Answers()
            request.delegate = answers
            request.start()
            let all = await answers.collected()
            guard all.count == 2, case .products(let products, let unknown) = all[0],
                case .finished = all[1]
            else {
                Issue.record("\(all)")
                return
            }
            #expect(unknown == ["com.example.nothing"])
            let product = try #require(products.first)
            #expect(product.productIdentifier == "com.example.pro.monthly")
            #expect(product.price == NSDecimalNumber(string: "9.99"))
            #expect(product.priceLocale.currencyCode == "USD")
            #expect(product.subscriptionPeriod?.unit == .month)
            #expect(product.subscriptionPeriod?.numberOfUnits == 1)
            #expect(product.introductoryPrice?.paymentMode == .freeTrial)
            #expect(product.introductoryPrice?.identifier == nil)
            #expect(product.discounts.allSatisfy { $0.type == .subscription })
            #expect(product.discounts.count == 2)
        }

        @Test func `a products request without a network fails and does not finish`() async {
            device.table.setOutage(HTTPFetchError(.cannotConnect))
            let request = SKProductsRequest(productIdentifiers: ["com.example.coins20"])
            let answers = Answers()
            request.delegate = answers
            request.start()
            let all = await answers.collected()
            guard all.count == 1, case .failed(let error) = all[0] else {
                Issue.record("\(all)")
                return
            }
            #expect((error as? URLError)?.code == .cannotConnectToHost)
            #expect((error as NSError).domain == NSURLErrorDomain)
        }

        @Test func `a request that was cancelled tells nothing`() async {
            let cancelled = SKProductsRequest(productIdentifiers: ["com.example.coins20"])
            let silent = Answers()
            cancelled.delegate = silent
            cancelled.start()
            cancelled.cancel()
            let request = SKProductsRequest(productIdentifiers: ["com.example.coins100"])
            let answers = Answers()
            request.delegate = answers
            request.start()
            #expect(await answers.collected().count == 2)
            silent.requestDidFinish(cancelled)
            #expect(await silent.collected().count == 1)
        }

        @Test func `a receipt is there after it was refreshed, and not before`() async throws {
            await device.isLaunched()
            let place = try #require(Bundle.main.appStoreReceiptURL)
            #expect(!FileManager.default.fileExists(atPath: place.path))
            let request = SKReceiptRefreshRequest(receiptProperties: [
                SKReceiptPropertyIsExpired: NSNumber(value: false)
            ])
            let answers = Answers()
            request.delegate = answers
            request.start()
            #expect(await answers.collected().count == 1)
            #expect(FileManager.default.fileExists(atPath: place.path))
        }
    }
}
