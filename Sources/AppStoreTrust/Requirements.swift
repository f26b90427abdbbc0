import AppStoreCoding
import AppStoreModel
import SignedDataCoding

/// Renewal info and who signed it, until it is told for which app.
typealias SignedRenewal = (value: Unattributed<RenewalPayload>, signer: TrustedSigner)

/// The single questions that `ProofVerifier` asks, each with the refusal that answers it.
extension ProofVerifier {
    func jws(_ text: String) throws(Refusal) -> CompactJWS {
        try readable { () throws(SignedDataError) in try CompactJWS(decoding: text) }
    }

    /// What cannot be read is refused as unreadable.
    func readable<Value>(
        _ read: () throws(SignedDataError) -> Value
    ) throws(Refusal) -> Value {
        do throws(SignedDataError) { return try read() } catch {
            throw Refusal(.unreadable, cause: error)
        }
    }

    /// Signed content that cannot be read is refused as malformed.
    func payload<Value>(
        _ read: () throws(SignedDataError) -> Value
    ) throws(Refusal) -> Value {
        do throws(SignedDataError) { return try read() } catch {
            throw Refusal(.malformedPayload, cause: error)
        }
    }

    /// Reads the payload of a signed value, whatever its kind.
    func signedPayload(of jws: CompactJWS) throws(Refusal) -> SignedPayload {
        try payload { () throws(SignedDataError) in
            try SignedPayload(decodingPayload: jws.payload)
        }
    }

    func wrongKind(_ payload: SignedPayload) -> Refusal {
        Refusal(.wrongKind, "it is of kind \(payload.kind.rawValue)")
    }

    func requireSigningDate(
        _ date: Timestamp?, _ authentic: Authentic
    ) throws(Refusal) -> Timestamp {
        guard let date else { throw Refusal(.malformedPayload, "no date of signing") }
        try authentic.signer.requireValid(at: date)
        return date
    }

    func requireKnown(
        _ environment: AppStoreEnvironment?
    ) throws(Refusal) -> AppStoreEnvironment {
        guard let environment else { throw Refusal(.unknownEnvironment, "none is named") }
        guard environment.isKnown else {
            throw Refusal(.unknownEnvironment, "\(environment.rawValue.prefix(40))")
        }
        return environment
    }

    /// Refuses a root that another app names: by the certificate, since several may bear one name.
    func requireNamed(_ signer: TrustedSigner, by app: TrustedApp) throws(Refusal) {
        guard case .extraRoot(let name) = signer.anchor else { return }
        guard app.extraRoots.contains(where: { $0.certificate == signer.root }) else {
            throw Refusal(.rootOfAnotherApp, "root \(name)")
        }
    }

    func requireAdmitted(
        _ environment: AppStoreEnvironment, by app: TrustedApp
    ) throws(Refusal) {
        guard app.environments.contains(environment) else {
            throw Refusal(.environmentNotAdmitted, environment.rawValue)
        }
    }
}

/// Where an iOS 6 receipt is from.
///
/// Its `environment` stands outside the signed part: to leave it out would make a free sandbox purchase
/// look like a paid one. What is signed decides: production alone has the app's number in it.
enum LegacyEnvironment {
    static func of(
        _ receipt: LegacyTransactionReceipt, claimed: AppStoreEnvironment
    ) -> AppStoreEnvironment {
        let number = receipt.purchaseInfo["app-item-id"].flatMap { Int64($0) } ?? 0
        return number > 0 && claimed == .production ? .production : .sandbox
    }
}

/// The questions about what a notification carries.
extension ProofVerifier {
    /// Refuses a part of another app, environment or root than the whole.
    func requireSame<Inner>(
        _ outer: Verified<NotificationPayload>, _ inner: Verified<Inner>, _ name: String
    ) throws(Refusal) {
        guard outer.bundleID == inner.bundleID, outer.environment == inner.environment,
            outer.anchor == inner.anchor
        else { throw Refusal(.mismatchedParts, "the \(name) is of another app or environment") }
    }

    /// Verifies a part that may be missing or empty, and says which part a refusal is about.
    func part<Value>(
        _ name: String, _ text: String?, _ verify: (String) throws(Refusal) -> Value
    ) throws(Refusal) -> Value? {
        guard let text, !text.isEmpty else { return nil }
        do throws(Refusal) { return try verify(text) } catch {
            throw Refusal(error.reason, "\(name) in the notification: \(error.detail)")
        }
    }
}
