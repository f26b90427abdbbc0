import AppStoreModel
import AppStoreTrust
import Testing

@Suite struct NotificationTests {
    let authority: TestAuthority
    let verifier: ProofVerifier

    init() throws {
        authority = try TestAuthority.values.get()
        verifier = try authority.verifier()
    }

    /// A renewal whose parts can be changed one at a time.
    private func notification(
        transaction: String? = SignedValueTests.transaction,
        renewal: String? = SignedValueTests.renewal, bundleID: String = "com.example.app",
        environment: String = "Sandbox", date: String? = "1700000000000",
        signedBy inner: TestAuthority? = nil
    ) throws -> String {
        var data = #""bundleId":"\#(bundleID)","environment":"\#(environment)""#
        let inner = inner ?? authority
        if let transaction {
            data += #","signedTransactionInfo":"\#(try inner.jws(transaction))""#
        }
        if let renewal { data += #","signedRenewalInfo":"\#(try inner.jws(renewal))""# }
        let signed = date.map { #","signedDate":\#($0)"# } ?? ""
        return try authority.jws(
            #"{"notificationType":"DID_RENEW","notificationUUID":"u","data":{\#(data)}\#(signed)}"#)
    }

    @Test func `a notification brings its parts, each verified`() throws {
        let verified = try verifier.verifyNotification(notification())
        #expect(verified.notification.bundleID == "com.example.app")
        #expect(verified.transaction?.value.transactionID == "2000000001")
        #expect(verified.renewal?.value.autoRenewStatus == AutoRenewStatus(rawValue: 1))
        #expect(verified.renewal?.bundleID == "com.example.app")
    }

    @Test func `parts may be missing`() throws {
        let test = try verifier.verifyNotification(authority.jws(SignedValueTests.notification))
        #expect(test.transaction == nil && test.renewal == nil)
        let once = try verifier.verifyNotification(notification(renewal: nil))
        #expect(once.transaction != nil && once.renewal == nil)
        let lone = try verifier.verifyNotification(notification(transaction: nil))
        #expect(lone.renewal?.bundleID == "com.example.app")
    }

    @Test func `a part that is there and empty is missing`() throws {
        let text = try authority.jws(
            #"{"notificationType":"X","notificationUUID":"u","signedDate":1700000000000,"data":{"bundleId":"com.example.app","environment":"Sandbox","signedTransactionInfo":"","signedRenewalInfo":null}}"#
        )
        let verified = try verifier.verifyNotification(text)
        #expect(verified.transaction == nil && verified.renewal == nil)
    }

    @Test func `a part of a kind that nobody knows yet tells the app, and is held against it`()
        throws
    {
        func notification(_ bundleID: String) throws -> String {
            try authority.jws(
                #"{"notificationType":"X","notificationUUID":"u","signedDate":1700000000000,"bundle":{"bundleId":"\#(bundleID)","environment":"Sandbox"}}"#
            )
        }
        let verified = try verifier.verifyNotification(notification("com.example.app"))
        #expect(verified.notification.environment == .sandbox)
        let foreign = try notification("com.example.other")
        expectRefusal(.wrongApp) { try _ = verifier.verifyNotification(foreign) }
    }

    @Test func `a part that a stranger signed sinks the whole`() throws {
        let text = try notification(signedBy: TestAuthority.twin.get())
        expectRefusal(.untrustedRoot) { try _ = verifier.verifyNotification(text) }
    }

    @Test func `a part of another kind is refused`() throws {
        let text = try notification(transaction: SignedValueTests.renewal)
        expectRefusal(.wrongKind) { try _ = verifier.verifyNotification(text) }
    }

    @Test func `a part of another app, environment or subscription is refused`() throws {
        let foreign = try notification(
            transaction: SignedValueTests.transaction.replacing(
                "com.example.app", with: "com.example.other"))
        expectRefusal(.wrongApp) { try _ = verifier.verifyNotification(foreign) }

        // Both apps are taken here, so the parts themselves are each in order.
        let both = ProofVerifier(
            configuration: try TrustConfiguration(
                apps: ["com.example.app", "com.example.other"].map {
                    TrustedApp(
                        bundleID: $0, environments: [.sandbox, .xcode],
                        extraRoots: [authority.extraRoot])
                }))
        expectRefusal(.mismatchedParts) { try _ = both.verifyNotification(foreign) }
        let elsewhere = try notification(
            transaction: SignedValueTests.transaction.replacing("Sandbox", with: "Xcode"))
        expectRefusal(.mismatchedParts) { try _ = both.verifyNotification(elsewhere) }
        let other = try notification(
            renewal: SignedValueTests.renewal.replacing("2000000000", with: "2000000009"))
        expectRefusal(.mismatchedParts) { try _ = both.verifyNotification(other) }
        let renewedElsewhere = try notification(
            transaction: nil, renewal: SignedValueTests.renewal.replacing("Sandbox", with: "Xcode"))
        expectRefusal(.mismatchedParts) { try _ = both.verifyNotification(renewedElsewhere) }
        _ = try both.verifyNotification(notification())
    }

    @Test func `a notification without a date takes that of its part, or is refused`() throws {
        let early = try verifier.verifyNotification(notification(date: nil))
        #expect(early.notification.signedAt == TestAuthority.moment)
        let dateless = try notification(transaction: nil, renewal: nil, date: nil)
        expectRefusal(.malformedPayload) { try _ = verifier.verifyNotification(dateless) }
    }

    @Test func `a notification for nobody, or for another app, is refused`() throws {
        let foreign = try notification(
            transaction: nil, renewal: nil, bundleID: "com.example.other")
        expectRefusal(.wrongApp) { try _ = verifier.verifyNotification(foreign) }
        let nobody = try authority.jws(
            #"{"notificationType":"X","notificationUUID":"u","signedDate":1700000000000}"#)
        expectRefusal(.malformedPayload) { try _ = verifier.verifyNotification(nobody) }
    }

    @Test func `types that nobody knows yet are taken`() throws {
        let text = try authority.jws(
            SignedValueTests.notification.replacing("\"TEST\"", with: "\"FUTURE_X\""))
        #expect(
            try verifier.verifyNotification(text).notification.value.notificationType.rawValue
                == "FUTURE_X")
    }
}
