import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import SignedDataCoding
import TestKit
import Testing
import TillLedger

/// From signed bytes through the verifier into the ledger.
@Suite struct VerifiedProofTests {
    private static let authority = Result { try SigningAuthority.make(named: "Test Root") }

    private static func verifier() throws -> ProofVerifier {
        let authority = try authority.get()
        let root = ExtraRoot(name: "test", certificate: authority.root)
        return ProofVerifier(
            configuration: try TrustConfiguration(
                apps: [
                    TrustedApp(
                        bundleID: Sale.app, environments: [.sandbox], extraRoots: [root])
                ], legacyCertificates: authority.legacyCertificates))
    }

    private static func receipt() -> AppReceipt {
        var receipt = AppReceipt(
            bundleID: Sale.app, creationDate: Sale.noon.later(minutes: 1),
            receiptType: .productionSandbox)
        var coins = InAppPurchase(productID: Sale.coins600, transactionID: "1")
        coins.quantity = 2
        coins.purchaseDate = Sale.noon
        var month = InAppPurchase(
            productID: Sale.monthly, transactionID: "20", originalTransactionID: "10")
        month.purchaseDate = Sale.noon
        month.expiresDate = Sale.noon.later(days: 30)
        month.webOrderLineItemID = "900"
        var gone = InAppPurchase(productID: Sale.coins600, transactionID: "2")
        gone.purchaseDate = Sale.noon
        gone.cancellationDate = Sale.noon.later(minutes: 1)
        receipt.inApp = [gone, month, coins]
        return receipt
    }

    private static func transaction(
        _ id: TransactionID, _ change: (inout TransactionPayload) -> Void = { _ in }
    ) -> TransactionPayload {
        var payload = TransactionPayload(
            transactionID: id, bundleID: Sale.app, productID: Sale.coins600)
        payload.purchaseDate = Sale.noon
        payload.signedDate = Sale.noon.later(minutes: 1)
        payload.environment = .sandbox
        change(&payload)
        return payload
    }

    @Test(arguments: StoreKind.allCases)
    func `What a receipt and signed transactions say arrives whole`(
        kind: StoreKind
    ) async throws {
        let authority = try Self.authority.get()
        let verifier = try Self.verifier()
        let shop = try await Shop(kind)
        let order = try await shop.order(quantity: 2)
        let received = try authority.sign(Self.receipt())
        let signed = [
            Self.transaction("1") {
                $0.quantity = 2
                $0.appAccountToken = AppAccountToken(order.order.id.rawValue)
                $0.price = 1_990
                $0.currency = "EUR"
                $0.type = .consumable
                $0.inAppOwnershipType = .purchased
            },
            // The same period as in the receipt, under another id.
            Self.transaction("21") {
                $0.originalTransactionID = "10"
                $0.productID = Sale.monthly
                $0.expiresDate = Sale.noon.later(days: 30)
                $0.webOrderLineItemID = "900"
            },
        ]
        var proofs = [VerifiedProof(try verifier.verifyReceipt(received))]
        for payload in signed {
            proofs.append(VerifiedProof(try verifier.verifyTransaction(authority.sign(payload))))
        }
        let answer = try await shop.ledger.record(
            PurchaseSubmission(customer: .anna, proofs: proofs), now: Sale.noon)
        #expect(answer.results.map(\.transactionID) == ["1", "2", "20", "21"])
        #expect(
            answer.results.map(\.outcome) == [.granted, .revoked, .granted, .alreadyGranted])
        #expect(answer.results.map(\.orderID) == [order.order.id, nil, nil, nil])

        let anna = try await shop.customer()
        #expect(anna.balances.map(\.amount) == [1_200, 5])
        #expect(Set(anna.balances.map(\.book.anchor)) == ["test"])
        #expect(anna.entitlements.map(\.book.environment) == [.sandbox])
        let coins = try #require(anna.history.first { $0.transaction.id == "1" })
        #expect(coins.transaction.quantity == 2)
        #expect(coins.state?.fields.price == 1_990)
        #expect(coins.state?.fields.currency == "EUR")
        #expect(coins.state?.fields.ownership == .purchased)
        // The bytes are kept as they came, so that they can be verified again.
        let digest = try #require(ReceiptTests.digest(proofs[0]))
        let kept = try #require(try await shop.store.proof(digest))
        #expect(kept.bytes == received)
        #expect(try verifier.verifyReceipt(kept.bytes).value.inApp.count == 3)
        try await shop.expectSound()
    }

    @Test func `A receipt of iOS 6 is a proof like the others`() async throws {
        let authority = try Self.authority.get()
        var receipt = LegacyReceipt(
            environment: .sandbox, bundleID: Sale.app, productID: Sale.coins600,
            transactionID: "1")
        receipt.quantity = 3
        receipt.purchaseDate = Sale.noon
        let bytes = try authority.sign(receipt)
        let decoded = try LegacyTransactionReceipt(decoding: bytes)
        let proof = VerifiedProof(try Self.verifier().verifyLegacyReceipt(decoded))
        let shop = try await Shop(.memory)
        let answer = try await shop.ledger.record(
            PurchaseSubmission(customer: .anna, proofs: [proof]), now: Sale.noon)
        #expect(answer.results.map(\.outcome) == [.granted])
        #expect(try await shop.balance(environment: .sandbox) == 1_800)
        #expect(
            try await shop.show(
                Sale("1") {
                    $0.environment = .sandbox; $0.anchor = "test"; $0.quantity = 3
                }
            ).map(\.outcome) == [.alreadyGranted])
    }

    @Test(
        .enabled(if: !AppleSamples.names(in: "receipts").isEmpty, "no genuine receipts here"),
        arguments: AppleSamples.names(in: "receipts"))
    func `A genuine receipt is granted once, to one customer, whatever is in it`(
        file: String
    ) async throws {
        let bytes = try AppleSamples.bytes("receipts/\(file)")
        let verifier = ProofVerifier(configuration: try TrustConfiguration.unsafeAnyApp())
        guard let receipt = try? SignedReceipt(decoding: bytes),
            let verified = try? verifier.verifyReceipt(receipt)
        else { return }
        var products: [ProductID: ProductRule] = [:]
        for purchase in verified.value.inApp {
            let isSubscription = purchase.expiresDate != nil
            products[purchase.productID] = ProductRule(
                kind: isSubscription ? .autoRenewable : .consumable, credits: ["coins": 1],
                entitlements: isSubscription ? ["all"] : [])
        }
        let catalog = Catalog(apps: [
            verified.bundleID: AppRules(
                products: products, environments: [verified.environment])
        ])
        let shop = try await Shop(.sqlite, catalog: catalog)
        func outcomes(_ customer: CustomerID) async throws -> [TransactionOutcome] {
            try await shop.ledger.record(
                PurchaseSubmission(customer: customer, proofs: [VerifiedProof(verified)]),
                now: Sale.noon
            ).results.map(\.outcome)
        }
        let count = Set(verified.value.inApp.map(\.transactionID)).count
        let first = try await outcomes(.anna)
        #expect(first.count == count)
        #expect(first.allSatisfy { $0 == .granted || $0 == .alreadyGranted || $0 == .revoked })
        let balance = try await shop.balance(environment: verified.environment)
        let again = try await outcomes(.anna)
        #expect(again.allSatisfy { $0 == .alreadyGranted || $0 == .revoked })
        #expect(
            try await outcomes(.ben)
                == [TransactionOutcome](repeating: .anothers, count: count))
        #expect(try await shop.balance(environment: verified.environment) == balance)
        #expect(Int64(first.count { $0 == .granted }) == balance)
        try await shop.expectSound()
    }
}
