import AppStoreCoding
import AppStoreModel
import AppStoreSigning
import AppStoreTrust
import CryptoPrimitives
import HTTPMessage
import SignedDataCoding
import StoreWire
import Testing

@testable import LocalAppStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the store signs, held against the verifier that it shares no rule with.
@Suite struct SigningTests {
    static let authority = Result { try SigningAuthority.make() }

    private func store(server: ListeningServer? = nil) throws -> LocalStore {
        let clock = TestClock()
        return try LocalStore(
            LocalStoreConfiguration(
                seed: 7, start: StoreWorld.start, rate: 0,
                notificationURL: server.map { _ in "http://server.test/notify" }),
            signer: AuthoritySigner(try Self.authority.get()), fetcher: server,
            wall: { clock.now })
    }

    /// Trusts the store's root beside Apple's, for any app.
    private func verifier() throws -> ProofVerifier {
        let authority = try Self.authority.get()
        return ProofVerifier(
            configuration: try .unsafeAnyApp(
                extraRoots: [ExtraRoot(name: "store", certificate: authority.root)],
                legacyCertificates: authority.legacyCertificates))
    }

    private func bytes(_ base64: String?) throws -> [UInt8] {
        let text = try #require(base64)
        return Array(try #require(Data(base64Encoded: text)))
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `Transactions, receipts and notifications verify and say what was bought`(
        environment: AppStoreEnvironment
    ) async throws {
        let server = ListeningServer()
        let store = try store(server: server)
        let verifier = try verifier()
        let device = try await store.testDevice("anna", environment)
        let token = AppAccountToken("11111111-2222-4333-8444-555555555555")
        let bought = try await store.purchase(
            device,
            PurchaseRequest(productID: "com.example.pro.monthly", appAccountToken: token))
        _ = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins100", quantity: 2))
        let signed = try #require(bought.item.transaction)
        let transaction = try verifier.verifyTransaction(signed.signedTransactionInfo)
        #expect(transaction.anchor == .extraRoot("store"))
        #expect(transaction.value.transactionID == signed.transactionID)
        #expect(transaction.value.appAccountToken == token)
        #expect(transaction.value.environment == environment)
        #expect(transaction.value.offerDiscountType == .freeTrial)

        let receipt = try verifier.verifyReceipt(try bytes(try await store.receipt(device).receipt))
        // The set is in the order of its bytes, as Apple's are, and not of time.
        let plan = try #require(receipt.value.purchases(of: signed.transactionID).first)
        #expect(plan.productID == "com.example.pro.monthly" && plan.isTrialPeriod == true)
        #expect(plan.quantity == 1 && plan.webOrderLineItemID != nil)
        let coins = try #require(
            receipt.value.inApp.first { $0.productID == "com.example.coins100" })
        #expect(coins.quantity == 2 && coins.expiresDate == nil && receipt.value.inApp.count == 2)
        #expect(receipt.value.environment == environment)
        #expect(receipt.value.originalApplicationVersion == (environment == .sandbox ? "1.0" : "1"))

        await store.settle()
        let names = try server.bodies.map { body in
            let text = String(body.dropFirst(18).dropLast(2))
            return try verifier.verifyNotification(text)
        }
        #expect(names.map(\.notification.value.notificationType) == [.subscribed, .oneTimeCharge])
        #expect(names[0].renewal?.value.autoRenewStatus == .on)
        #expect(names[0].transaction?.value.transactionID == signed.transactionID)
        #expect(names[1].renewal == nil)

        let legacy = try LegacyTransactionReceipt(
            decoding: try bytes(bought.item.transactionReceipt))
        #expect(
            try verifier.verifyLegacyReceipt(legacy).value.transactionID == signed.transactionID)
        let app = try await store.appTransaction(device).signedAppTransactionInfo
        #expect(try verifier.verifyAppTransaction(app).value.bundleID == "com.example.app")
    }

    @Test func `Xcode's store signs in Xcode's form and tells no server`() async throws {
        let server = ListeningServer()
        let store = try store(server: server)
        let device = try await store.testDevice("dev", .xcode)
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins100"))
        #expect(bought.item.transactionID == "0")
        let receipt = try verifier().verifyReceipt(
            try bytes(try await store.receipt(device).receipt))
        #expect(receipt.value.receiptType == .xcode && receipt.value.inApp.count == 1)
        await store.settle()
        #expect(server.bodies.isEmpty)
    }

    @Test(arguments: [
        (FaultKind.wrongSignature, Refusal.Reason.wrongSignature),
        (.expiredCertificate, .certificateNotValidThen), (.foreignRoot, .untrustedRoot),
        (.missingMarker, .wrongCertificateUse),
    ])
    func `What is wrong on purpose is refused for that reason alone`(
        kind: FaultKind, reason: Refusal.Reason
    ) async throws {
        let store = try store()
        let verifier = try verifier()
        let device = try await store.testDevice()
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins100"))
        let id = try #require(bought.item.transactionID)
        _ = try await store.setFaults(FaultPlan(rules: [FaultRule(kind: kind)]))
        let token = try await store.transactionInfo(id, in: .production)
        let receipt = try bytes(try await store.receipt(device).receipt)
        #expect {
            _ = try verifier.verifyTransaction(token)
        } throws: { ($0 as? Refusal)?.reason == reason }
        #expect {
            _ = try verifier.verifyReceipt(receipt)
        } throws: { ($0 as? Refusal)?.reason == reason }
        _ = try await store.setFaults(FaultPlan(rules: []))
        _ = try verifier.verifyTransaction(try await store.transactionInfo(id, in: .production))
        _ = try verifier.verifyReceipt(try bytes(try await store.receipt(device).receipt))
    }

    @Test(arguments: [
        FaultKind.sha1Receipt, .berReceipt, .xcodeDates, .unsortedReceipt, .unknownField,
    ])
    func `Strange forms of a genuine receipt verify and say the same`(kind: FaultKind) async throws
    {
        let store = try store()
        let verifier = try verifier()
        let device = try await store.testDevice()
        for product: ProductID in [
            "com.example.coins100", "com.example.lifetime", "com.example.pro.monthly",
        ] {
            _ = try await store.purchase(device, PurchaseRequest(productID: product))
        }
        let plain = try bytes(try await store.receipt(device).receipt)
        let again = try bytes(try await store.receipt(device).receipt)
        let isSame = plain == again
        #expect(isSame)
        let usual = try verifier.verifyReceipt(plain)
        _ = try await store.setFaults(
            FaultPlan(rules: [FaultRule(kind: kind, on: "signing/receipt")]))
        let strange = try bytes(try await store.receipt(device).receipt)
        let isAnother = strange != plain
        #expect(isAnother)
        let read = try verifier.verifyReceipt(strange)
        #expect(
            Set(read.value.inApp.map(\.transactionID))
                == Set(usual.value.inApp.map(\.transactionID)))
        #expect(
            Set(read.value.inApp.map(\.purchaseDate)) == Set(usual.value.inApp.map(\.purchaseDate)))
        #expect(read.value.creationDate == usual.value.creationDate)
    }

    @Test func `Dates with parts of milliseconds are read as whole ones`() async throws {
        let store = try store()
        let device = try await store.testDevice()
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.coins100"))
        _ = try await store.setFaults(FaultPlan(rules: [FaultRule(kind: .xcodeDates)]))
        let token = try await store.transactionInfo(
            try #require(bought.item.transactionID), in: .production)
        let json = String(decoding: try CompactJWS(decoding: token).payload, as: UTF8.self)
        #expect(json.contains("\"purchaseDate\":1767225600000.25"))
        let read = try verifier().verifyTransaction(token)
        #expect(read.value.purchaseDate == StoreWorld.start)
    }

    @Test func `What a device gets is bound to it, what a server gets is not`() async throws {
        let store = try store()
        let device = try await store.testDevice()
        let bought = try await store.purchase(
            device, PurchaseRequest(productID: "com.example.pro.monthly"))
        let signed = try #require(bought.item.transaction)
        let payload: TransactionPayload = try opened(signed.signedTransactionInfo)
        let nonce = try #require(payload.otherFields["deviceVerificationNonce"]?.string)
        let identifier = try await store.session(device).deviceVerificationID
        let digest = Base64.encode(SHA384.hash(Array((nonce + identifier).utf8)))
        #expect(payload.otherFields["deviceVerification"]?.string == digest)
        #expect(nonce == nonce.lowercased() && identifier == identifier.lowercased())
        let app: AppTransactionPayload = try opened(
            try await store.appTransaction(device).signedAppTransactionInfo)
        #expect(app.deviceVerificationNonce != nil)
        let info = try await store.transactionInfo(signed.transactionID, in: .production)
        #expect(try opened(info, as: TransactionPayload.self).otherFields.isEmpty)
    }

    @Test func `The receipt is bound to the device's vendor identifier`() async throws {
        let store = try store()
        let session = try await store.launch(
            LaunchRequest(vendorID: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"), port: .production)
        let receipt = try verifier().verifyReceipt(
            try bytes(try await store.receipt(session.deviceID).receipt)
        ).value
        let vendor: [UInt8] = [
            0x95, 0x63, 0x28, 0xD9, 0xCC, 0x6A, 0x47, 0xF4, 0xBE, 0x40, 0x69, 0x53, 0xFB, 0x0A,
            0xB6,
            0xC7,
        ]
        let binding = receipt.device
        #expect(
            binding.hash
                == SHA1.hash(vendor + binding.opaqueValue + binding.bundleIDAttribute))
    }
}
