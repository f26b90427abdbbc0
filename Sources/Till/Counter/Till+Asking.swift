import AppStoreModel
import TillAPI

extension Till {
    /// The caller for a customer: its newest token while it is logged in.
    func caller(of customerID: String) -> Caller? {
        guard let session, session.customerID == customerID else { return nil }
        return session.caller
    }

    /// Asks the server in the name of a customer, with a new token when the old one is taken no more.
    func ask<Value: Sendable>(
        as caller: Caller,
        _ question: (Caller) async throws(DeskFailure) -> DeskAnswer<Value>
    ) async throws(DeskFailure) -> DeskAnswer<Value> {
        let used = self.caller(of: caller.customerID) ?? caller
        let failure: DeskFailure
        do throws(DeskFailure) {
            return try await askOnce(as: used, question)
        } catch {
            failure = error
        }
        guard case .tokenRejected = failure, let other = await self.caller(insteadOf: used) else {
            throw failure
        }
        return try await askOnce(as: other, question)
    }

    /// The same customer with a token that came since the refused one was sent, or with a new one.
    private func caller(insteadOf refused: Caller) async -> Caller? {
        if let now = caller(of: refused.customerID), now.token != refused.token { return now }
        guard let token = await renewedToken(of: refused.customerID) else { return nil }
        return Caller(customerID: refused.customerID, token: token)
    }

    /// Asks with this token and no other, and notes when.
    func askOnce<Value: Sendable>(
        as caller: Caller,
        _ question: (Caller) async throws(DeskFailure) -> DeskAnswer<Value>
    ) async throws(DeskFailure) -> DeskAnswer<Value> {
        let askedAt = answers.next()
        var answer = try await question(caller)
        answer.envelope.askedAt = askedAt
        return answer
    }

    /// A new token of a customer, asked for once however many wait for it.
    func renewedToken(of customerID: String) async -> String? {
        if let running = renewals[customerID] { return await running.value }
        guard let renew = configuration.renewToken else { return nil }
        let task = Task<String?, Never> {
            let answer = await renew(customerID)
            self.renewals[customerID] = nil
            guard let token = answer, !token.isEmpty,
                CustomerToken.subject(of: token).map({ $0 == customerID }) ?? true
            else { return nil }
            if self.session?.customerID == customerID {
                let renewed = Session(customerID: customerID, token: token)
                self.session = renewed
                DeviceIdentity(homes: self.secrets).keep(renewed)
            }
            return token
        }
        renewals[customerID] = task
        return await task.value
    }

    /// The server wants to be left alone for a while.
    func hold(seconds: Int) {
        var end = clock.uptime()
        end.milliseconds += Int64(seconds) * 1_000
        if let heldUntil, heldUntil.boot == end.boot, heldUntil.milliseconds > end.milliseconds {
            return
        }
        heldUntil = end
    }

    /// Milliseconds for which the server still wants to be left alone; 0 when it does not.
    var holdLeft: Int64 {
        let now = clock.uptime()
        guard let heldUntil, heldUntil.boot == now.boot else { return 0 }
        return max(0, heldUntil.milliseconds - now.milliseconds)
    }

    /// Asks while a person waits: a few times, with pauses, as long as that can help.
    func attended<Value: Sendable>(
        _ subject: Subject, as caller: Caller,
        _ question: (Caller) async throws(DeskFailure) -> DeskAnswer<Value>
    ) async throws(DeskFailure) -> DeskAnswer<Value> {
        var failures = 0
        while true {
            let failure: DeskFailure
            do throws(DeskFailure) {
                return try await ask(as: caller, question)
            } catch {
                failure = error
            }
            failures += 1
            guard failure.isWorthRepeating,
                await pauseAttended(failures, failure.retryAfterSeconds, subject)
            else { throw failure }
        }
    }

    /// Waits before the next attempt; `false` when there is none, or nobody would wait so long.
    func pauseAttended(
        _ failures: Int, _ retryAfterSeconds: Int?, _ subject: Subject
    ) async -> Bool {
        let pauses = Pauses.attended
        guard failures < configuration.attemptsWhileAttended,
            Int64(retryAfterSeconds ?? 0) * 1_000 <= pauses.longest
        else { return false }
        tell(.retrying, subject)
        let pause = pauses.milliseconds(
            after: failures, jitter: jitter(), retryAfterSeconds: retryAfterSeconds)
        do {
            try await clock.sleep(milliseconds: pause)
            return true
        } catch {
            return false
        }
    }
}
