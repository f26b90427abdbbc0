import AppStoreCoding
public import AppStoreModel
public import SignedDataCoding

/// A value that Apple, or a root that the configuration names, signed for one of the apps that are
/// taken, in an environment that the app admits.
///
/// Only `ProofVerifier` can make one: whatever grants takes this type, so that a forgotten check does
/// not compile.
public struct Verified<Value: Sendable>: Sendable {
    /// What is proved.
    public let value: Value
    /// Where it happened.
    public let environment: AppStoreEnvironment
    /// The app that it is for.
    public let bundleID: BundleID
    /// What it was proved by; anything but `.apple` is no payment.
    public let anchor: TrustAnchor
    /// When it was signed, by its own word.
    public let signedAt: Timestamp
    /// The proof as it was received, to be kept.
    public let receivedBytes: [UInt8]

    fileprivate init(
        value: Value, environment: AppStoreEnvironment, bundleID: BundleID, anchor: TrustAnchor,
        signedAt: Timestamp, receivedBytes: [UInt8]
    ) {
        self.value = value
        self.environment = environment
        self.bundleID = bundleID
        self.anchor = anchor
        self.signedAt = signedAt
        self.receivedBytes = receivedBytes
    }
}

extension Verified: Equatable where Value: Equatable {}
extension Verified: Hashable where Value: Hashable {}

/// A value that Apple, or a named root, signed, but that names no app: by itself it proves nothing.
public struct Unattributed<Value: Sendable>: Sendable {
    /// What is signed.
    public let value: Value
    /// Where it happened.
    public let environment: AppStoreEnvironment
    /// What it was proved by.
    public let anchor: TrustAnchor
    /// When it was signed, by its own word.
    public let signedAt: Timestamp
    /// The value as it was received.
    public let receivedBytes: [UInt8]

    fileprivate init(
        value: Value, environment: AppStoreEnvironment, anchor: TrustAnchor, signedAt: Timestamp,
        receivedBytes: [UInt8]
    ) {
        self.value = value
        self.environment = environment
        self.anchor = anchor
        self.signedAt = signedAt
        self.receivedBytes = receivedBytes
    }
}

extension Unattributed: Equatable where Value: Equatable {}

/// A notification with the signed values in it, each verified and belonging to it.
public struct VerifiedNotification: Sendable {
    /// The notification itself.
    public let notification: Verified<NotificationPayload>
    /// The transaction that it is about, where there is one.
    public let transaction: Verified<TransactionPayload>?
    /// How the subscription goes on, where there is one.
    public let renewal: Verified<RenewalPayload>?
    /// The app transaction, where there is one.
    public let appTransaction: Verified<AppTransactionPayload>?

    fileprivate init(
        notification: Verified<NotificationPayload>, transaction: Verified<TransactionPayload>?,
        renewal: Verified<RenewalPayload>?, appTransaction: Verified<AppTransactionPayload>?
    ) {
        self.notification = notification
        self.transaction = transaction
        self.renewal = renewal
        self.appTransaction = appTransaction
    }
}

/// Says whether a proof of purchase is genuine, and for which app.
///
/// Works offline, keeps no clock, and may serve any number of apps and tasks at once. Signers that
/// were checked are remembered, so a known one costs one signature. What the message says of itself
/// never chooses which checks are made, and there is no way to leave one out.
public final class ProofVerifier: Sendable {
    let configuration: TrustConfiguration
    let authenticator: Authenticator

    /// A verifier with nothing remembered yet.
    public init(configuration: TrustConfiguration) {
        self.configuration = configuration
        authenticator = Authenticator(configuration)
    }

    // MARK: App receipts

    /// Verifies an app receipt, DER or the BER that Xcode writes.
    public func verifyReceipt(_ bytes: [UInt8]) throws(Refusal) -> Verified<AppReceipt> {
        try verifyReceipt(
            try readable { () throws(SignedDataError) in try SignedReceipt(decoding: bytes) })
    }

    /// Verifies an app receipt; its certificates must have been valid when it was created.
    public func verifyReceipt(_ receipt: SignedReceipt) throws(Refusal) -> Verified<AppReceipt> {
        let authentic = try authenticator.authenticate(receipt)
        let value = try payload { () throws(SignedDataError) in
            try AppReceipt(decodingContent: authentic.content)
        }
        return try admit(
            value, from: authentic, bundleID: value.bundleID,
            appAppleID: .expected(value.appItemID), environment: value.environment,
            signedAt: value.creationDate, receivedBytes: receipt.bytes)
    }

    // MARK: Signed values

    /// Verifies a signed transaction in compact form.
    public func verifyTransaction(_ text: String) throws(Refusal) -> Verified<TransactionPayload> {
        try verifyTransaction(try jws(text))
    }

    /// Verifies a signed transaction.
    public func verifyTransaction(
        _ jws: CompactJWS
    ) throws(Refusal) -> Verified<TransactionPayload> {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        guard case .transaction(let value) = payload else { throw wrongKind(payload) }
        return try prove(value, authentic, jws)
    }

    /// Verifies a signed app transaction in compact form.
    public func verifyAppTransaction(
        _ text: String
    ) throws(Refusal) -> Verified<AppTransactionPayload> {
        try verifyAppTransaction(try jws(text))
    }

    /// Verifies a signed app transaction; its signing date is that of the receipt's creation.
    public func verifyAppTransaction(
        _ jws: CompactJWS
    ) throws(Refusal) -> Verified<AppTransactionPayload> {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        guard case .appTransaction(let value) = payload else { throw wrongKind(payload) }
        return try prove(value, authentic, jws)
    }

    /// Verifies renewal info together with a transaction of the subscription that it is about.
    ///
    /// Renewal info names no app, so alone it proves nothing.
    public func verifyRenewal(
        _ text: String, of transaction: Verified<TransactionPayload>
    ) throws(Refusal) -> Verified<RenewalPayload> {
        try bind(try signedRenewal(try jws(text)), to: transaction)
    }

    /// Verifies who signed renewal info, for looking at it.
    public func inspectRenewal(_ jws: CompactJWS) throws(Refusal) -> Unattributed<RenewalPayload> {
        try signedRenewal(jws).value
    }

    private func signedRenewal(_ jws: CompactJWS) throws(Refusal) -> SignedRenewal {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        guard case .renewalInfo(let value) = payload else { throw wrongKind(payload) }
        return (try prove(value, authentic, jws), authentic.signer)
    }

    /// Verifies a question to a retention server, which names its app by number.
    public func verifyRealtimeRequest(
        _ text: String
    ) throws(Refusal) -> Verified<RealtimeRequestPayload> {
        let (request, signer) = try signedRealtimeRequest(try jws(text))
        let number = request.value.appAppleID
        guard let app = configuration.apps?.values.first(where: { $0.appAppleID == number }) else {
            throw Refusal(.wrongApp, "no app has the number \(number)")
        }
        try requireNamed(signer, by: app)
        try requireAdmitted(request.environment, by: app)
        return Verified(
            value: request.value, environment: request.environment, bundleID: app.bundleID,
            anchor: request.anchor, signedAt: request.signedAt,
            receivedBytes: request.receivedBytes)
    }

    /// Verifies who signed a question to a retention server, for looking at it.
    public func inspectRealtimeRequest(
        _ jws: CompactJWS
    ) throws(Refusal) -> Unattributed<RealtimeRequestPayload> {
        try signedRealtimeRequest(jws).value
    }

    private func signedRealtimeRequest(
        _ jws: CompactJWS
    ) throws(Refusal) -> (value: Unattributed<RealtimeRequestPayload>, signer: TrustedSigner) {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        guard case .realtimeRequest(let value) = payload else { throw wrongKind(payload) }
        return (try prove(value, authentic, jws), authentic.signer)
    }

    /// Verifies an App Store Server Notification V2 in compact form, and every signed value in it.
    public func verifyNotification(_ text: String) throws(Refusal) -> VerifiedNotification {
        try verifyNotification(try jws(text))
    }

    /// Verifies an App Store Server Notification V2, and every signed value in it.
    public func verifyNotification(_ jws: CompactJWS) throws(Refusal) -> VerifiedNotification {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        guard case .notification(let value) = payload else { throw wrongKind(payload) }
        return try prove(value, authentic, jws)
    }

    // MARK: iOS 6

    /// Verifies a transaction receipt of iOS 6 and before.
    ///
    /// It must have been signed while its certificates were valid, which its purchase date tells.
    public func verifyLegacyReceipt(
        _ receipt: LegacyTransactionReceipt
    ) throws(Refusal) -> Verified<LegacyReceipt> {
        let authentic = try authenticator.authenticate(receipt)
        var value = try payload { () throws(SignedDataError) in
            try LegacyReceipt(decoding: receipt)
        }
        value.environment = LegacyEnvironment.of(receipt, claimed: value.environment)
        return try admit(
            value, from: authentic, bundleID: value.bundleID,
            appAppleID: .expected(receipt.purchaseInfo["app-item-id"].flatMap { Int64($0) }),
            environment: value.environment, signedAt: value.purchaseDate,
            receivedBytes: receipt.bytes)
    }

    // MARK: Anything

    /// Verifies signed values of any kind, each as its own method would.
    func verifySignedValue(_ jws: CompactJWS) throws(Refusal) -> GenuineProof {
        let authentic = try authenticator.authenticate(jws)
        let payload = try signedPayload(of: jws)
        switch payload {
        case .transaction(let value): return .transaction(try prove(value, authentic, jws))
        case .renewalInfo(let value): return .renewalInfo(try prove(value, authentic, jws))
        case .notification(let value): return .notification(try prove(value, authentic, jws))
        case .appTransaction(let value): return .appTransaction(try prove(value, authentic, jws))
        case .realtimeRequest(let value): return .realtimeRequest(try prove(value, authentic, jws))
        case .unknown(let value): return .unknown(try prove(value, authentic, jws))
        }
    }
}

// MARK: - Each kind

extension ProofVerifier {
    fileprivate func prove(
        _ value: TransactionPayload, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> Verified<TransactionPayload> {
        try admit(
            value, from: authentic, bundleID: value.bundleID, appAppleID: .notCarried,
            environment: value.environment, signedAt: value.signedDate, receivedBytes: jws.bytes)
    }

    fileprivate func prove(
        _ value: AppTransactionPayload, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> Verified<AppTransactionPayload> {
        try admit(
            value, from: authentic, bundleID: value.bundleID,
            appAppleID: .expected(value.appAppleID), environment: value.receiptType,
            signedAt: value.receiptCreationDate, receivedBytes: jws.bytes)
    }

    fileprivate func prove(
        _ value: RenewalPayload, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> Unattributed<RenewalPayload> {
        try admitUnattributed(
            value, from: authentic, environment: value.environment, signedAt: value.signedDate,
            receivedBytes: jws.bytes)
    }

    fileprivate func prove(
        _ value: RealtimeRequestPayload, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> Unattributed<RealtimeRequestPayload> {
        try admitUnattributed(
            value, from: authentic, environment: value.environment, signedAt: value.signedDate,
            receivedBytes: jws.bytes)
    }

    fileprivate func prove(
        _ value: JSONValue, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> Unattributed<JSONValue> {
        try admitUnattributed(
            value, from: authentic,
            environment: value["environment"]?.string.map { AppStoreEnvironment(rawValue: $0) },
            signedAt: value["signedDate"]?.integer.map { Timestamp(milliseconds: $0) },
            receivedBytes: jws.bytes)
    }

    fileprivate func prove(
        _ value: NotificationPayload, _ authentic: Authentic, _ jws: CompactJWS
    ) throws(Refusal) -> VerifiedNotification {
        guard let bundleID = value.bundleID else {
            throw Refusal(.malformedPayload, "the notification names no app")
        }
        let transaction = try part("transaction", value.data?.signedTransactionInfo) {
            (text) throws(Refusal) in try verifyTransaction(text)
        }
        let appTransaction = try part("app transaction", value.appData?.signedAppTransactionInfo) {
            (text) throws(Refusal) in try verifyAppTransaction(text)
        }
        let renewal = try part("renewal info", value.data?.signedRenewalInfo) {
            (text) throws(Refusal) in try signedRenewal(try self.jws(text))
        }
        // Until the spring of 2022 notifications had no date of their own; their parts had.
        let notification = try admit(
            value, from: authentic, bundleID: bundleID, appAppleID: .expected(value.appAppleID),
            environment: value.environment,
            signedAt: value.signedDate ?? transaction?.signedAt ?? renewal?.value.signedAt,
            receivedBytes: jws.bytes)
        if let transaction { try requireSame(notification, transaction, "transaction") }
        if let appTransaction { try requireSame(notification, appTransaction, "app transaction") }
        let boundRenewal = try renewal.map { (renewal) throws(Refusal) in
            if let transaction { return try bind(renewal, to: transaction) }
            return try bind(renewal, toAppOf: notification)
        }
        return VerifiedNotification(
            notification: notification, transaction: transaction, renewal: boundRenewal,
            appTransaction: appTransaction)
    }
}

// MARK: - The last step

extension ProofVerifier {
    /// The app Apple ID that a proof carries, if its kind carries one.
    fileprivate enum CarriedAppAppleID {
        case notCarried
        case expected(Int64?)
    }

    /// Holds an authentic value against the policy and makes the proof of it: the only such place.
    fileprivate func admit<Value>(
        _ value: Value, from authentic: Authentic, bundleID: BundleID,
        appAppleID: CarriedAppAppleID, environment: AppStoreEnvironment?, signedAt: Timestamp?,
        receivedBytes: [UInt8]
    ) throws(Refusal) -> Verified<Value> {
        let signedAt = try requireSigningDate(signedAt, authentic)
        let anchor = authentic.signer.anchor
        var app: TrustedApp?
        if let apps = configuration.apps {
            guard let found = apps[bundleID] else {
                throw Refusal(.wrongApp, "bundle id \(bundleID.rawValue.prefix(100))")
            }
            app = found
        }
        if let app {
            try requireNamed(authentic.signer, by: app)
            if environment == .production, case .expected(let number) = appAppleID,
                number != app.appAppleID
            {
                throw Refusal(
                    .wrongAppAppleID, "app Apple ID \(number.map { "\($0)" } ?? "missing")")
            }
        }
        let known = try requireKnown(environment)
        if let app { try requireAdmitted(known, by: app) }
        return Verified(
            value: value, environment: known, bundleID: bundleID, anchor: anchor,
            signedAt: signedAt, receivedBytes: receivedBytes)
    }

    fileprivate func admitUnattributed<Value>(
        _ value: Value, from authentic: Authentic, environment: AppStoreEnvironment?,
        signedAt: Timestamp?, receivedBytes: [UInt8]
    ) throws(Refusal) -> Unattributed<Value> {
        let signedAt = try requireSigningDate(signedAt, authentic)
        let known = try requireKnown(environment)
        return Unattributed(
            value: value, environment: known, anchor: authentic.signer.anchor, signedAt: signedAt,
            receivedBytes: receivedBytes)
    }

    /// Gives renewal info the app of a transaction of the same subscription.
    fileprivate func bind(
        _ renewal: SignedRenewal, to transaction: Verified<TransactionPayload>
    ) throws(Refusal) -> Verified<RenewalPayload> {
        let subscription = transaction.value.originalTransactionID
        guard renewal.value.value.originalTransactionID == subscription else {
            throw Refusal(.mismatchedParts, "the renewal info is of another subscription")
        }
        return try bind(renewal, toAppOf: transaction)
    }

    /// Gives renewal info the app of the transaction, or of the notification that is signed over it.
    private func bind<Other>(
        _ signed: SignedRenewal, toAppOf other: Verified<Other>
    ) throws(Refusal) -> Verified<RenewalPayload> {
        let renewal = signed.value
        guard renewal.environment == other.environment, renewal.anchor == other.anchor else {
            throw Refusal(.mismatchedParts, "the renewal info is from another environment")
        }
        if let app = configuration.apps?[other.bundleID] {
            try requireNamed(signed.signer, by: app)
        }
        return Verified(
            value: renewal.value, environment: renewal.environment, bundleID: other.bundleID,
            anchor: renewal.anchor, signedAt: renewal.signedAt,
            receivedBytes: renewal.receivedBytes)
    }
}
