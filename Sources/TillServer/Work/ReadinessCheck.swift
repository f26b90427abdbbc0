import TillLedger

/// Asks the ledger whether it can be read and written, once at a time and with an end.
///
/// Anybody may ask, so whoever asks while an answer is under way gets the same one. A database that does
/// not answer in time is not ready either.
actor ReadinessCheck {
    private let ledger: Ledger
    private let limit: Duration
    private var running: Task<LedgerError?, Never>?

    init(ledger: Ledger, limit: Duration) {
        self.ledger = ledger
        self.limit = limit
    }

    /// Returns when the server is ready.
    func run() async throws(LedgerError) {
        let asked = running ?? Task { await self.ask() }
        running = asked
        if let fault = await answer(of: asked) { throw fault }
    }

    private func ask() async -> LedgerError? {
        defer { running = nil }
        do throws(LedgerError) {
            try await ledger.checkReadiness()
            return nil
        } catch {
            return error
        }
    }

    /// What comes first, the answer or the end of patience; the question itself goes on.
    private func answer(of asked: Task<LedgerError?, Never>) async -> LedgerError? {
        let late = LedgerError(.busy, "no answer within \(limit)")
        let (answers, continuation) = AsyncStream.makeStream(of: LedgerError?.self)
        Task { continuation.yield(await asked.value) }
        let patience = Task { [limit] in
            do { try await Task.sleep(for: limit) } catch { return }
            continuation.yield(late)
        }
        defer { patience.cancel() }
        for await answer in answers { return answer }
        return late
    }
}
