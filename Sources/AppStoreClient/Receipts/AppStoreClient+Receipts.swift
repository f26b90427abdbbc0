import AppStoreCoding
import AppStoreModel
import CryptoPrimitives
import HTTPMessage
import SignedDataCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppStoreClient {
    /// The most bytes of a receipt that are sent.
    public static let receiptLimit = SignedReceipt.maximumBytes

    /// Asks Apple's `verifyReceipt` about a receipt.
    ///
    /// The first configured environment is asked first, production unless told otherwise; its 21007 (or the
    /// sandbox's 21008) leads to the other one, once and never back. Statuses that may pass are asked again
    /// within the limits.
    ///
    /// - Parameters:
    ///   - receipt: The receipt's bytes: an app receipt, or a transaction receipt of iOS 6.
    ///   - judgement: What the caller's own verification found.
    ///   - excludingOldTransactions: Whether only each subscription's newest transaction is wanted.
    /// - Returns: Apple's opinion, and which environment it is of.
    /// - Throws: What may pass (`retry`) and what is to be corrected (`configuration`); the receipt is
    ///   undecided then, and to be kept.
    public func verifyReceipt(
        _ receipt: [UInt8], judgement: OwnJudgement, excludingOldTransactions: Bool = false
    ) async throws(AppStoreClientError) -> ReceiptOpinion {
        guard !receipt.isEmpty, receipt.count <= Self.receiptLimit else {
            throw Self.invalidRequest("a receipt has 1 to \(Self.receiptLimit) bytes")
        }
        var call = Call("verifyReceipt", .post, "/verifyReceipt")
        call.group = .receipts
        call.needsToken = false
        call.body = try Self.body(
            VerifyReceiptRequest(
                receiptData: Base64.encode(receipt),
                password: transport.configuration.sharedSecret.map {
                    String(decoding: $0.bytes, as: UTF8.self)
                }, excludeOldTransactions: excludingOldTransactions ? true : nil))
        let deadline = transport.deadline()
        let order = transport.configuration.environments
        for (place, environment) in order.enumerated() {
            let verdict = try await transport.perform(call, in: environment, deadline: deadline) {
                (response) throws(CallFailure) -> ReceiptOpinion.Verdict? in
                try self.verdict(response, asked: environment, judgement)
            }
            if let verdict { return ReceiptOpinion(environment: environment, verdict: verdict) }
            guard place == 0 else { break }
            guard order.count > 1 else {
                let status: VerifyReceiptStatus =
                    environment == .production ? .sandboxReceipt : .productionReceipt
                return ReceiptOpinion(
                    environment: environment == .production ? .sandbox : .production,
                    verdict: .refused(ReceiptRefusal(code: .otherEnvironment, status: status)))
            }
        }
        throw .configuration(
            .environmentsDisagree, [.addresses], "each environment sends to the other")
    }

    /// The verdict of an answer; nothing where the other environment is to be asked.
    private func verdict(
        _ response: HTTPResponse, asked environment: AppStoreEnvironment, _ judgement: OwnJudgement
    ) throws(CallFailure) -> ReceiptOpinion.Verdict? {
        guard response.status.isSuccess else { throw receiptFailure(response) }
        // A gateway of Apple's has answered `{"code": 503}`, which is no status at all.
        let document = try Self.document(ReceiptDocument.self, response)
        guard document.hasStatus else {
            throw Self.unreadable(response, "an answer without a status")
        }
        let status = document.response.status
        let decision = StatusDecision(
            status, isRetryable: document.response.isRetryable, asked: environment,
            judgement: judgement)
        let words = StatusDecision.meaning(of: status)
        switch decision {
        case .otherEnvironment: return nil
        case .refuse(let code): return .refused(ReceiptRefusal(code: code, status: status))
        case .accept: return try accepted(document.response, response, asked: environment)
        case .again(let code):
            throw CallFailure(
                AppStoreClientError(
                    code, .retry(notBefore: nil), words, receiptStatus: status), .always)
        case .environmentsDisagree:
            throw CallFailure(
                AppStoreClientError(
                    .environmentsDisagree, .configuration([.addresses]), words,
                    receiptStatus: status), .never)
        case .configuration(let code, let settings):
            let hasSecret = transport.configuration.sharedSecret != nil
            let lacksSecret = settings.contains(.sharedSecret) && !hasSecret
            throw CallFailure(
                AppStoreClientError(
                    code, .configuration(settings),
                    lacksSecret ? words + " No shared secret is configured." : words,
                    receiptStatus: status), .never)
        }
    }

    private func accepted(
        _ document: VerifyReceiptResponse, _ response: HTTPResponse,
        asked environment: AppStoreEnvironment
    ) throws(CallFailure) -> ReceiptOpinion.Verdict {
        let answer = UnsignedReceiptAnswer(response: document)
        guard document.receipt != nil else {
            throw Self.unreadable(response, "a valid answer without a receipt")
        }
        guard answer.bundleID == transport.configuration.bundleID else {
            return .refused(ReceiptRefusal(code: .otherApp, status: answer.response.status))
        }
        try check(claims: document.environment, asked: environment)
        return .valid(answer)
    }

    /// `verifyReceipt` answers everything with 200; another status is no word of its own.
    private func receiptFailure(_ response: HTTPResponse) -> CallFailure {
        let status = response.status.rawValue
        guard status == 401 || status == 403 else {
            return ServerAnswerReading(
                name: "verifyReceipt", now: transport.surroundings.time(),
                longestRatePause: transport.configuration.limits.longestRatePauseMilliseconds
            ).failure(response)
        }
        return CallFailure(
            AppStoreClientError(
                .unreadableAnswer, .configuration([.addresses]),
                "verifyReceipt: no answer of Apple's", httpStatus: status), .never)
    }
}

/// An answer, and whether it has the status without which it is none.
private struct ReceiptDocument: Decodable {
    let response: VerifyReceiptResponse
    let hasStatus: Bool

    init(from decoder: any Decoder) throws {
        response = try VerifyReceiptResponse(from: decoder)
        let names = try decoder.container(keyedBy: Name.self)
        hasStatus = try names.contains(.status) && !names.decodeNil(forKey: .status)
    }

    private enum Name: String, CodingKey { case status }
}
