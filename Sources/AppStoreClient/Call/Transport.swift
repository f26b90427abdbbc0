import AppStoreModel
import HTTPMessage

/// Carries calls out: budget, token, attempts, pauses and the limit on the whole.
struct Transport: Sendable {
    let configuration: AppStoreClient.Configuration
    let fetcher: any HTTPFetching
    let surroundings: AppStoreClient.Surroundings
    let budget: RateBudget
    let tokens: TokenMaker?

    /// The end of a call that begins now, on the steady clock.
    func deadline() -> Int64 {
        surroundings.steadyMilliseconds() + configuration.limits.totalMilliseconds
    }

    /// Asks one environment until there is an answer that `read` takes, or no use in asking further.
    func perform<Value: Sendable>(
        _ call: Call, in environment: AppStoreEnvironment, deadline: Int64,
        _ read: @Sendable (HTTPResponse) throws(CallFailure) -> Value
    ) async throws(AppStoreClientError) -> Value {
        guard environment == .production || environment == .sandbox else {
            throw AppStoreClient.invalidRequest("Apple's servers know nothing of \(environment)")
        }
        guard configuration.environments.contains(environment) else {
            throw .configuration(
                .invalidConfiguration, [.environments], "\(environment) may not be asked")
        }
        let key = RateBudget.Key(
            bundleID: configuration.bundleID, environment: environment, group: call.group)
        var attempts = 0
        var repeats = 0
        var hasNewToken = false
        var last: AppStoreClientError?
        while true {
            do { try await budget.admit(key, deadline: deadline, surroundings) } catch {
                // What Apple said last tells more than that there is no time left.
                var error = error
                error.serverCode = last?.serverCode
                error.httpStatus = last?.httpStatus
                error.attempts = attempts
                throw error
            }
            let token = call.needsToken ? try token() : nil
            attempts += 1
            let failure: CallFailure
            do throws(CallFailure) {
                return try read(try await attempt(call, token, in: environment, deadline))
            } catch { failure = error }
            var error = failure.error
            error.environment = environment
            error.attempts = attempts
            defer { last = error }
            switch failure.again {
            case .never:
                // What went wrong before tells more than that the time is over.
                throw error.code == .timeLimit ? last ?? error : error
            case .withNewToken:
                guard let token, !hasNewToken else { throw error }
                tokens?.discard(token)
                hasNewToken = true
                continue
            case .afterRatePause(let pause):
                // A moment that has passed already is no leave to ask again at once.
                let pause = max(pause ?? 0, backoff(repeats))
                let start = surroundings.steadyMilliseconds() + pause
                budget.pause(key, until: start)
                guard repeats < configuration.limits.repeats, start <= deadline else {
                    throw error
                }
            case .always, .ifHarmless:
                if case .ifHarmless = failure.again, !call.isHarmlessTwice { throw error }
                guard repeats < configuration.limits.repeats else { throw error }
                let pause = backoff(repeats)
                guard surroundings.steadyMilliseconds() + pause < deadline else { throw error }
                do { try await surroundings.sleep(pause) } catch { throw .cancelled }
            }
            repeats += 1
        }
    }

    private func token() throws(AppStoreClientError) -> String {
        guard let tokens else {
            throw .configuration(.noServerKey, [.serverKey], "no In-App Purchase key is configured")
        }
        return try tokens.token(at: surroundings.time())
    }

    private func attempt(
        _ call: Call, _ token: String?, in environment: AppStoreEnvironment, _ deadline: Int64
    ) async throws(CallFailure) -> HTTPResponse {
        let addresses = configuration.addresses(of: environment)
        var request = call.request(
            base: call.needsToken ? addresses.serverAPI : addresses.verifyReceipt)
        if let token { request.fields["Authorization"] = "Bearer " + token }
        let limits = configuration.limits
        let left = deadline - surroundings.steadyMilliseconds()
        guard left > 0 else {
            throw CallFailure(
                AppStoreClientError(.timeLimit, .retry(notBefore: nil), "the call took too long"),
                .never)
        }
        do throws(HTTPFetchError) {
            return try await fetcher.fetch(
                request,
                limits: HTTPFetchLimits(
                    totalMilliseconds: Int(min(left, limits.attemptMilliseconds)),
                    connectMilliseconds: Int(min(left, limits.connectMilliseconds)),
                    responseBytes: limits.responseBytes))
        } catch { throw CallFailure(error, call.name) }
    }

    /// A pause that doubles each time, from half of it to the whole by chance, so that many who failed at
    /// once do not come back at once.
    private func backoff(_ repeats: Int) -> Int64 {
        let limits = configuration.limits
        let longest = limits.longestPauseMilliseconds
        var pause = min(limits.firstPauseMilliseconds, longest)
        for _ in 0..<min(repeats, 40) where pause < longest { pause = min(pause * 2, longest) }
        return pause / 2 + Int64(Double(pause - pause / 2) * surroundings.random())
    }
}

extension CallFailure {
    /// What a failed exchange means.
    fileprivate init(_ error: HTTPFetchError, _ name: String) {
        let soon = AppStoreClientError.Remedy.retry(notBefore: nil)
        switch error.code {
        case .invalidURL:
            self.init(
                .configuration(.invalidConfiguration, [.addresses], "an address is no URL"), .never)
        case .cannotConnect:
            self.init(AppStoreClientError(.unreachable, soon, name), .always)
        case .tls:
            // A handshake that broke and a certificate that nobody trusts look the same.
            self.init(AppStoreClientError(.tlsFailed, soon, name), .always)
        case .timedOut, .connectionLost:
            self.init(AppStoreClientError(.noAnswer, soon, name), .ifHarmless)
        case .responseTooLarge:
            self.init(.configuration(.answerTooLarge, [.limits], name), .never)
        case .invalidResponse:
            self.init(AppStoreClientError(.unreadableAnswer, soon, name), .ifHarmless)
        case .cancelled: self.init(.cancelled, .never)
        }
    }
}
