import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TillAPI
import TillLedger

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns the body of a server notification into what the ledger takes, or into the problem that refuses it.
struct NotificationReader: Sendable {
    private let verifier: ProofVerifier
    private let sharedSecrets: [BundleID: SecretText]
    private let configuration: ServerConfiguration

    init(_ configuration: ServerConfiguration) throws(ConfigurationError) {
        // One address may serve both environments, so the sandbox's are verified whatever the app
        // admits; what becomes of them is the ledger's to say, by the verified environment.
        var wide = configuration
        for place in wide.apps.indices where !wide.apps[place].environments.contains(.sandbox) {
            wide.apps[place].environments.append(.sandbox)
        }
        verifier = ProofVerifier(configuration: try wide.trust())
        var secrets: [BundleID: SecretText] = [:]
        for app in configuration.apps { secrets[app.bundleID] = app.sharedSecret }
        sharedSecrets = secrets
        self.configuration = configuration
    }

    /// Reads the body of either version.
    func read(_ body: Data, for app: BundleID) throws(ProblemDocument) -> NotificationSubmission {
        let tape = try RequestBody.read(body)
        guard case .object(let members) = tape.value() else {
            throw ProblemDocument(.malformedJSON, detail: "expected an object")
        }
        if let payload = members["signedPayload"] {
            guard let text = payload.string else {
                throw ProblemDocument(.invalidRequest, detail: "signedPayload: of another type")
            }
            return try verified(text, for: app)
        }
        guard members["notification_type"] != nil else {
            throw ProblemDocument(.invalidRequest, detail: "signedPayload: required")
        }
        return try hint(tape, members, for: app)
    }

    // MARK: Version 2

    private func verified(
        _ text: String, for app: BundleID
    ) throws(ProblemDocument) -> NotificationSubmission {
        let notification: VerifiedNotification
        do throws(AppStoreTrust.Refusal) {
            notification = try verifier.verifyNotification(text)
        } catch {
            throw ProblemDocument(
                ProblemKind(rawValue: error.code) ?? .unreadable, detail: error.sentence)
        }
        guard notification.notification.bundleID == app else {
            throw ProblemDocument(.wrongApp, detail: "the address is another app's")
        }
        guard let submission = NotificationSubmission(notification) else {
            throw ProblemDocument(.malformedPayload, detail: "notificationUUID")
        }
        return submission
    }

    // MARK: Version 1

    private func hint(
        _ tape: JSONTape, _ members: [String: JSONValue], for app: BundleID
    ) throws(ProblemDocument) -> NotificationSubmission {
        guard let content = try? JSONTapeDecoder.decode(NotificationV1Body.self, tape) else {
            throw ProblemDocument(.invalidRequest, detail: "no notification of version 1")
        }
        guard let secret = sharedSecrets[app],
            constantTimeEquals(
                SHA256.hash(Array((content.password ?? "").utf8)), SHA256.hash(secret.bytes))
        else { throw ProblemDocument(.wrongSharedSecret) }
        if let named = content.bundleID, named != app { throw ProblemDocument(.wrongApp) }
        var kept = members
        kept["password"] = nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(JSONValue.object(kept)) else {
            throw ProblemDocument(.malformedJSON)
        }
        return NotificationSubmission(
            hint: content, bundleID: app, receipt: receipt(in: content, of: app),
            hintBook: configuration.book(of: app, in: content.environment ?? .production),
            keeping: Array(bytes))
    }

    /// The receipt that the body brings, if it is a genuine one of that app.
    private func receipt(
        in content: NotificationV1Body, of app: BundleID
    ) -> Verified<AppReceipt>? {
        guard let text = content.unifiedReceipt?.latestReceipt ?? content.latestReceipt,
            let proof = try? ClientProof(decoding: text),
            case .receipt(let receipt) = proof.content,
            let verified = try? verifier.verifyReceipt(receipt), verified.bundleID == app
        else { return nil }
        return verified
    }
}
