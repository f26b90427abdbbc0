import Foundation
import Testing

// This file imports no StoreKit on purpose: code that reads receipts often does not.

@Suite struct ReceiptPlaceTests {
    @Test func `Foundation's own property says where the receipt lies`() {
        #expect(Bundle.main.appStoreReceiptURL?.pathComponents.suffix(2).first == "StoreKit")
    }

    @Test func `the main bundle is a bundle like before, and others have no receipt`() throws {
        #expect(Bundle.main as Any is Bundle)
        #expect(Bundle.main.bundlePath == Bundle.main.bundleURL.path)
        let other = try #require(Bundle(path: "/tmp"))
        #expect(other.appStoreReceiptURL == nil)
        #expect(other != Bundle.main)
    }
}
