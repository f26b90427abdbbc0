import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import Foundation
import StoreWire

/// What this device believes: values that its store signed, for this app and this device.
///
/// Nothing is believed unseen: each signature and its certificates are checked up to the root that the
/// store names, so that a value with a fault comes out as unverified, as on Apple's devices.
struct StoreTrust: Sendable {
    private let verifier: ProofVerifier?
    private let bundleID: String
    private let deviceVerificationID: String
    /// The reason with which the store wants this device's check to fail, if it does.
    let wantedFailure: Guarded<String?>

    init(info: StoreInfo, device: DeviceSession) {
        bundleID = device.bundleID.rawValue
        wantedFailure = Guarded(device.verificationFailure)
        deviceVerificationID = device.deviceVerificationID.lowercased()
        // A store whose root cannot be read is a store that nothing can be believed of.
        guard let der = Data(base64Encoded: info.rootCertificate),
            let root = try? Certificate(der: Array(der)),
            let configuration = try? TrustConfiguration.unsafeAnyApp(extraRoots: [
                ExtraRoot(name: "local store", certificate: root)
            ])
        else {
            verifier = nil
            return
        }
        verifier = ProofVerifier(configuration: configuration)
    }

    func transaction(_ compact: String) -> VerificationResult<Transaction>? {
        guard let value = Transaction(SignedText(compact: compact)) else { return nil }
        return result(value, value.deviceVerification, value.deviceVerificationNonce) {
            verifier throws(Refusal) in
            try verifier.verifyTransaction(compact).bundleID.rawValue
        }
    }

    func appTransaction(_ compact: String) -> VerificationResult<AppTransaction>? {
        guard let value = AppTransaction(SignedText(compact: compact)) else { return nil }
        return result(value, value.deviceVerification, value.deviceVerificationNonce) {
            verifier throws(Refusal) in
            try verifier.verifyAppTransaction(compact).bundleID.rawValue
        }
    }

    /// Renewal information names no app: it is believed for its subscription's transaction.
    private func renewal(
        _ compact: String, of transaction: String
    ) -> VerificationResult<Product.SubscriptionInfo.RenewalInfo>? {
        guard let value = Product.SubscriptionInfo.RenewalInfo(SignedText(compact: compact)) else {
            return nil
        }
        return result(value, value.deviceVerification, value.deviceVerificationNonce) {
            verifier throws(Refusal) in
            try verifier.verifyRenewal(
                compact, of: try verifier.verifyTransaction(transaction)
            ).bundleID.rawValue
        }
    }

    func status(_ wire: WireSubscriptionStatus) -> Product.SubscriptionInfo.Status? {
        guard let transaction = transaction(wire.transaction.signedTransactionInfo),
            let renewal = renewal(
                wire.signedRenewalInfo, of: wire.transaction.signedTransactionInfo)
        else { return nil }
        return .init(
            state: .init(rawValue: wire.status), transaction: transaction, renewalInfo: renewal)
    }

    /// The value with its verdict; `check` gives the app for which it was signed.
    private func result<Value>(
        _ value: Value, _ binding: Data, _ nonce: UUID,
        _ check: (ProofVerifier) throws(Refusal) -> String
    ) -> VerificationResult<Value> {
        guard let verifier else { return .unverified(value, .invalidCertificateChain) }
        if let failure = wantedFailure.value { return .unverified(value, .init(named: failure)) }
        do throws(Refusal) {
            let app = try check(verifier)
            guard app == bundleID, isOfThisDevice(binding, nonce) else {
                return .unverified(value, .invalidDeviceVerification)
            }
            return .verified(value)
        } catch {
            return .unverified(value, .init(error.reason))
        }
    }

    /// Apple's binding: SHA-384 over the nonce's and then the device's UUID, both in lower case.
    private func isOfThisDevice(_ binding: Data, _ nonce: UUID) -> Bool {
        guard !binding.isEmpty else { return true }
        let text = nonce.uuidString.lowercased() + deviceVerificationID
        return Array(binding) == SHA384.hash(Array(text.utf8))
    }
}

extension VerificationResult.VerificationError {
    /// Apple's own name of it.
    init(named name: String) {
        self =
            switch name {
            case "revokedCertificate": .revokedCertificate
            case "invalidCertificateChain": .invalidCertificateChain
            case "invalidDeviceVerification": .invalidDeviceVerification
            case "invalidEncoding": .invalidEncoding
            case "missingRequiredProperties": .missingRequiredProperties
            default: .invalidSignature
            }
    }

    init(_ reason: Refusal.Reason) {
        self =
            switch reason {
            case .unreadable, .unsupportedAlgorithm, .wrongKind: .invalidEncoding
            case .wrongSigner, .wrongSignature: .invalidSignature
            case .malformedPayload, .unknownEnvironment: .missingRequiredProperties
            case .wrongCertificateCount, .untrustedRoot, .intermediateUnknown,
                .unreadableCertificate, .wrongCertificateUse, .brokenChain,
                .certificateNotValidThen, .rootOfAnotherApp:
                .invalidCertificateChain
            case .wrongApp, .wrongAppAppleID, .environmentNotAdmitted, .mismatchedParts:
                .invalidDeviceVerification
            }
    }
}
