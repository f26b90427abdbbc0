import AppStoreCoding
import AppStoreModel
import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppStoreClient {
    /// Asks an environment, or those that are configured one after the other where it is not known which:
    /// the next one only when the first knows nothing under that name, and never back.
    func ask<Content: Sendable>(
        _ call: Call, in environment: AppStoreEnvironment?,
        _ read: @Sendable (HTTPResponse, AppStoreEnvironment) throws(CallFailure) -> Content
    ) async throws(AppStoreClientError) -> AppStoreAnswer<Content> {
        let deadline = transport.deadline()
        let order = environment.map { [$0] } ?? transport.configuration.environments
        for (place, environment) in order.enumerated() {
            do throws(AppStoreClientError) {
                let content = try await transport.perform(call, in: environment, deadline: deadline)
                { response throws(CallFailure) in
                    guard response.status.isSuccess else { throw failure(call, response) }
                    return try read(response, environment)
                }
                return AppStoreAnswer(environment: environment, content: content)
            } catch {
                guard place + 1 < order.count, Self.isUnknownName(error.serverCode) else {
                    throw error
                }
            }
        }
        // The list is never empty, and its last element returns or throws.
        throw .configuration(.invalidConfiguration, [.environments], "no environment")
    }

    private static func isUnknownName(_ code: ServerErrorCode?) -> Bool {
        code == .transactionIDNotFound || code == .originalTransactionIDNotFound
    }

    private func failure(_ call: Call, _ response: HTTPResponse) -> CallFailure {
        ServerAnswerReading(
            name: call.name, now: transport.surroundings.time(),
            longestRatePause: transport.configuration.limits.longestRatePauseMilliseconds
        ).failure(response)
    }

    /// A document of Apple's, or a failure that may pass.
    static func document<Document: Decodable>(
        _ type: Document.Type, _ response: HTTPResponse
    ) throws(CallFailure) -> Document {
        do { return try JSONDecoder().decode(type, from: response.body) } catch {
            throw unreadable(response, "no document of the expected kind")
        }
    }

    static func unreadable(_ response: HTTPResponse, _ detail: String) -> CallFailure {
        CallFailure(
            AppStoreClientError(
                .unreadableAnswer, .retry(notBefore: nil), detail,
                httpStatus: response.status.rawValue), .ifHarmless)
    }

    /// Holds what an answer says of itself against what was asked.
    func check(
        bundleID: BundleID? = nil, claims claimed: AppStoreEnvironment?,
        asked: AppStoreEnvironment
    ) throws(CallFailure) {
        if let bundleID, bundleID != transport.configuration.bundleID {
            throw CallFailure(
                .configuration(
                    .otherApp, [.bundleID, .serverKey], "the answer is of another app"), .never)
        }
        if let claimed, claimed != asked {
            throw CallFailure(
                .configuration(
                    .environmentsDisagree, [.addresses],
                    "\(asked) was asked and \(claimed) answered"), .never)
        }
    }

    /// A name in a path; what Apple's names never look like is not sent.
    static func segment(_ name: some RawRepresentable<String>) throws(AppStoreClientError) -> String
    {
        let text = name.rawValue
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
            })
        else { throw invalidRequest("no name of Apple's") }
        return PercentCoding.encoded(text)
    }

    static func invalidRequest(_ detail: String) -> AppStoreClientError {
        AppStoreClientError(.invalidRequest, .final, detail)
    }

    static func body(_ document: some AppStoreObject) throws(AppStoreClientError) -> Data {
        do { return Data(try document.encodedJSON()) } catch {
            throw invalidRequest("the request cannot be written")
        }
    }
}
