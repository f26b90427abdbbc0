import AppStoreModel
import Foundation
import SignedDataCoding
import TestKit
import Testing

@testable import AppStoreCoding

private let full =
    #"{"transactionId":"2000000000000001","originalTransactionId":"2000000000000000","webOrderLineItemId":"2000000000302832","bundleId":"com.example.app","productId":"com.example.app.pro","subscriptionGroupIdentifier":"20929536","purchaseDate":1646387016000,"originalPurchaseDate":1646046037000,"expiresDate":1646387196000,"quantity":1,"type":"Auto-Renewable Subscription","appAccountToken":"207262DA-1ac8-4e0a-a399-5aa62a82800f","inAppOwnershipType":"PURCHASED","signedDate":1646387008254,"revocationReason":1,"revocationDate":1646387008255,"revocationType":"REFUND_FULL","revocationPercentage":50000,"isUpgraded":true,"offerType":1,"offerIdentifier":"o","offerDiscountType":"FREE_TRIAL","offerPeriod":"P1M","environment":"Sandbox","storefront":"USA","storefrontId":"143441","transactionReason":"RENEWAL","currency":"USD","price":10990,"appTransactionId":"71134","billingPlanType":"MONTHLY","previousOriginalTransactionId":"7"}"#

struct `The scanner and Foundation` {
    /// Both readings of a payload must agree, whatever it is.
    private func compare(_ json: [UInt8]) {
        guard let scanned = TransactionScanner.scan(json) else { return }
        do {
            let decoded = try TransactionPayload(decodingJSON: json)
            #expect(scanned == decoded, "\(String(decoding: json, as: UTF8.self))")
        } catch {
            Issue.record("\(error) for \(String(decoding: json, as: UTF8.self))")
        }
    }

    @Test func `every field is scanned and equal`() throws {
        let json = Array(full.utf8)
        let scanned = try #require(TransactionScanner.scan(json))
        #expect(scanned == (try TransactionPayload(decodingJSON: json)))
        #expect(scanned.appAccountToken == "207262da-1ac8-4e0a-a399-5aa62a82800f")
        let known = try JSONDecoder().decode(JSONValue.self, from: Data(json))
        guard case .object(let members) = known else { return }
        #expect(members.count == TransactionField.allCases.count)
        for field in TransactionField.allCases { #expect(members[field.name] != nil) }
    }

    @Test(arguments: [
        #"{"transactionId":"1","bundleId":"a","productId":"p","transactionId":"2"}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","new":1}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":1.5}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":01}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":-0}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":"1"}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":null}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p","price":9223372036854775807}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p\u0041"}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"pä"}"#,
        #"{"transactionId":"1","bundleId":"a"}"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p"} x"#,
        #"{"transactionId":"1","bundleId":"a","productId":"p",}"#, #"{}"#, "", "[", "{",
    ])
    func `what is not plain is left to Foundation`(_ json: String) {
        #expect(TransactionScanner.scan(Array(json.utf8)) == nil)
    }

    @Test func `plain payloads with white space are scanned`() {
        let json =
            "{ \"transactionId\" :\t\"1\" ,\r\n\"bundleId\":\"a\",\"productId\":\"p\",\"price\":-5 }\n"
        #expect(TransactionScanner.scan(Array(json.utf8))?.price == -5)
    }

    @Test(arguments: [UInt64(11), 12, 13, 14])
    func `both agree on tens of thousands of mutated payloads`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let json = Array(full.utf8)
        let swaps: [String] = [
            "null", "true", "1", "-1", "\"1\"", "1.0", "1e3", "{}", "[]", "\"\"", ",", ":",
        ]
        var scanned = 0
        for round in 0..<5_000 {
            var mutated: [UInt8]
            if round % 2 == 0 {
                mutated = random.mutate(json)
            } else {
                // Structure-aware: drop, double or replace one member, so that most stay JSON.
                var members = full.dropFirst().dropLast().split(separator: ",").map(String.init)
                let place = Int.random(in: 0..<members.count, using: &random)
                let parts = members[place].split(separator: ":").map(String.init)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: members.remove(at: place)
                case 1: members.append(members[place])
                case 2: members[place] = "\(parts[0]):\(swaps.randomElement(using: &random) ?? "")"
                case 3: members[place] = "\"x\":\(parts[1])"
                default: members.shuffle(using: &random)
                }
                mutated = Array("{\(members.joined(separator: ","))}".utf8)
            }
            if TransactionScanner.scan(mutated) != nil { scanned += 1 }
            compare(mutated)
        }
        // The test is empty if the scanner always gives up.
        #expect(scanned > 1_000)
    }
}
