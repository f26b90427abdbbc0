import AppStoreCoding
import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import HTTPMessage
import SignedDataCoding
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers Apple's `verifyReceipt` from the receipt alone; hands out nothing.
struct ReceiptEndpoint: Sendable {
    /// The verifier of the server's own apps.
    let verifier: ProofVerifier
    /// Apple's roots alone, for any app and environment.
    private let appleVerifier: ProofVerifier
    private let answersAnyApp: Bool
    private let sharedSecrets: [BundleID: SecretText]

    init(_ configuration: ServerConfiguration, verifier: ProofVerifier) throws(ConfigurationError) {
        self.verifier = verifier
        do throws(TrustConfigurationError) {
            appleVerifier = ProofVerifier(
                configuration: try TrustConfiguration.unsafeAnyApp(
                    legacyCertificates: configuration.legacyCertificates))
        } catch {
            throw ConfigurationError(faults: [.init(path: "apps", text: error.detail)])
        }
        answersAnyApp = configuration.verifyReceipt.answersAnyApp
        var secrets: [BundleID: SecretText] = [:]
        for app in configuration.apps { secrets[app.bundleID] = app.sharedSecret }
        sharedSecrets = secrets
    }

    /// The answer to a request's body at the address of an environment.
    func answer(
        to body: Data, at endpoint: AppStoreEnvironment, now: Timestamp
    ) -> VerifyReceiptResponse {
        guard let tape = try? StrictJSON.read(body, depth: APILimits.jsonDepth) else {
            return VerifyReceiptResponse(status: .notAPost)
        }
        guard let request = try? JSONTapeDecoder.decode(VerifyReceiptRequest.self, tape),
            tape.value()["receipt-data"]?.string != nil,
            let proof = try? ClientProof(decoding: request.receiptData)
        else { return VerifyReceiptResponse(status: .malformed) }
        switch proof.content {
        case .receipt(let receipt):
            return answer(
                request, at: endpoint, now: now,
                verify: { (verifier) throws(Refusal) in try verifier.verifyReceipt(receipt) },
                hasSubscriptions: { $0.inApp.contains { $0.expiresDate != nil } },
                make: {
                    VerifyReceiptResponse(
                        receipt: $0.value, receiptData: Base64.encode($0.receivedBytes),
                        requestDate: now,
                        excludeOldTransactions: request.excludeOldTransactions ?? false)
                })
        case .legacyReceipt(let receipt):
            return answer(
                request, at: endpoint, now: now,
                verify: { (verifier) throws(Refusal) in try verifier.verifyLegacyReceipt(receipt) },
                hasSubscriptions: { $0.expiresDate != nil },
                make: {
                    VerifyReceiptResponse(
                        legacyReceipt: $0.value, receiptData: Base64.encode($0.receivedBytes),
                        requestDate: now)
                })
        case .signedValue: return VerifyReceiptResponse(status: .malformed)
        }
    }

    private func answer<Value>(
        _ request: VerifyReceiptRequest, at endpoint: AppStoreEnvironment, now: Timestamp,
        verify: (ProofVerifier) throws(Refusal) -> Verified<Value>,
        hasSubscriptions: (Value) -> Bool,
        make: (Verified<Value>) -> VerifyReceiptResponse
    ) -> VerifyReceiptResponse {
        let verified: Verified<Value>
        do throws(Refusal) {
            verified = try find(verify, at: endpoint)
        } catch {
            return VerifyReceiptResponse(status: Self.status(for: error))
        }
        let status = Self.status(for: verified.environment, at: endpoint)
        guard status == .valid else { return VerifyReceiptResponse(status: status) }
        if hasSubscriptions(verified.value), let secret = sharedSecrets[verified.bundleID] {
            let given = Array((request.password ?? "").utf8)
            guard constantTimeEquals(SHA256.hash(given), SHA256.hash(secret.bytes)) else {
                return VerifyReceiptResponse(status: .wrongSecret)
            }
        }
        return make(verified)
    }

    /// The receipt as the server's own apps take it, or else as Apple would look at it.
    ///
    /// The second look knows Apple's roots alone, so a test store's root never speaks for another app.
    private func find<Value>(
        _ verify: (ProofVerifier) throws(Refusal) -> Verified<Value>,
        at endpoint: AppStoreEnvironment
    ) throws(Refusal) -> Verified<Value> {
        do throws(Refusal) {
            return try verify(verifier)
        } catch {
            switch error.reason {
            case .wrongApp where answersAnyApp: return try verify(appleVerifier)
            case .environmentNotAdmitted:
                // Only to say which address to ask: what the app does not take never gets a 0.
                let seen = try verify(appleVerifier)
                guard Self.status(for: seen.environment, at: endpoint) != .valid else {
                    throw error
                }
                return seen
            default: throw error
            }
        }
    }

    /// 21007 and 21008 by Apple's rule; a test store's environments belong to the sandbox address.
    private static func status(
        for environment: AppStoreEnvironment, at endpoint: AppStoreEnvironment
    ) -> VerifyReceiptStatus {
        if endpoint == .sandbox, environment == .xcode || environment == .localTesting {
            return .valid
        }
        return VerifyReceiptResponse.status(for: environment, at: endpoint)
    }

    private static func status(for refusal: Refusal) -> VerifyReceiptStatus {
        switch refusal.reason {
        case .unreadable, .wrongKind, .malformedPayload, .unreadableCertificate: .malformed
        default: .notAuthentic
        }
    }
}

extension TillService {
    /// `POST /verifyReceipt` and its sandbox twin: always 200, as Apple's.
    func verifyReceipt(
        _ request: HTTPRequest, as environment: AppStoreEnvironment
    ) throws -> HTTPResponse {
        let answer =
            request.method == .post
            ? receipts.answer(to: request.body, at: environment, now: clock())
            : VerifyReceiptResponse(status: .notAPost)
        metrics.count(.receiptAnswers, [String(answer.status.rawValue)])
        return HTTPResponse(
            status: .ok,
            fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: Data(try answer.appleJSON()))
    }
}
