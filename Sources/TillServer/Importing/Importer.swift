import AppStoreClient
public import AppStoreModel
import AppStoreTrust
public import HTTPMessage
public import TillAPI
public import TillLedger

/// Takes proofs in bulk: what an app's former system kept, once more through the verifier and the rules.
///
/// Nothing counts that is not signed. For a line that names a transaction without its proof Apple is asked,
/// where the configuration has a key for that; else the line is told apart.
public struct Importer: Sendable {
    /// What became of one line.
    public struct LineReport: Sendable, Encodable {
        /// The line, from 1 on.
        public let line: Int
        /// Whose it is, where the line or the command says.
        public let customer: String?
        /// What became of each transaction.
        public let results: [TransactionReport]
        /// The proofs that are not believed.
        public let refusedProofs: [RefusedProof]
        /// Why nothing was taken; absent when something was.
        public let problem: String?
        /// A transaction whose proof only Apple can give.
        public let unproven: TransactionID?

        private enum CodingKeys: String, CodingKey {
            case line
            case customer
            case results
            case refusedProofs
            case problem
            case unproven = "unprovenTransactionId"
        }
    }

    private let ledger: Ledger
    private let proofs: ProofReader
    private let clock: @Sendable () -> Timestamp
    /// Whom to ask about a transaction: the desk of the only app.
    private let desk: AppleDesk?

    /// Makes an importer over a ledger of the configuration's catalog.
    ///
    /// - Parameters:
    ///   - configuration: The apps.
    ///   - ledger: A ledger of the configuration's catalog.
    ///   - fetcher: The way to Apple, for transactions without proof; asked where there is one app.
    ///   - clock: The time.
    /// - Throws: ``ConfigurationError`` where the configuration is unsafe or names no way to Apple.
    public init(
        configuration: ServerConfiguration, ledger: Ledger,
        fetcher: (any HTTPFetching)? = nil, clock: @escaping @Sendable () -> Timestamp
    ) throws(ConfigurationError) {
        self.ledger = ledger
        self.clock = clock
        let verifier = ProofVerifier(configuration: try configuration.trust())
        proofs = ProofReader(verifier: verifier)
        guard let fetcher, configuration.apps.count == 1, let app = configuration.apps.first,
            let access = app.appStore
        else {
            desk = nil
            return
        }
        do throws(AppStoreClientError) {
            desk = try AppleDesk(
                app, access: access, verifier: verifier, ledger: ledger, fetcher: fetcher,
                surroundings: .system)
        } catch {
            throw ConfigurationError(faults: [.init(path: "apps.appStore", text: "\(error)")])
        }
    }

    /// Reads lines, several at a time, and tells what became of each in their order.
    ///
    /// - Parameters:
    ///   - lines: The lines, without their ends.
    ///   - customer: Whose lines are that name nobody.
    ///   - parallel: How many are under way at once.
    ///   - report: Hears of each line, in order.
    /// - Throws: What keeps the ledger from recording; lines that were told are recorded.
    public func run(
        _ lines: some Sequence<Substring>, customer: CustomerID?, parallel: Int = 64,
        report: (LineReport) -> Void
    ) async throws(LedgerError) {
        var reader = ImportReader(customer: customer)
        var batch: [(number: Int, line: ImportLine)] = []
        for (index, text) in lines.enumerated() {
            guard let line = reader.read(text) else { continue }
            batch.append((index + 1, line))
            guard batch.count == parallel else { continue }
            for done in try await take(batch) { report(done) }
            batch = []
        }
        for done in try await take(batch) { report(done) }
    }

    private func take(
        _ batch: [(number: Int, line: ImportLine)]
    ) async throws(LedgerError) -> [LineReport] {
        let results = await withTaskGroup(
            of: (Int, Result<LineReport, LedgerError>).self
        ) { group in
            for (place, entry) in batch.enumerated() {
                group.addTask { (place, await self.take(entry.line, number: entry.number)) }
            }
            var results: [Int: Result<LineReport, LedgerError>] = [:]
            for await (place, result) in group { results[place] = result }
            return results
        }
        var reports: [LineReport] = []
        for place in batch.indices {
            if let report = try results[place]?.get() { reports.append(report) }
        }
        return reports
    }

    private func take(
        _ line: ImportLine, number: Int
    ) async -> Result<LineReport, LedgerError> {
        let customer = line.customer?.rawValue
        func nothing(_ problem: String, unproven: TransactionID? = nil) -> LineReport {
            LineReport(
                line: number, customer: customer, results: [], refusedProofs: [],
                problem: problem, unproven: unproven)
        }
        switch line.content {
        case .nothing(let why): return .success(nothing(why))
        case .transaction(let id):
            guard let desk else {
                return .success(nothing("no proof: only Apple can give it", unproven: id))
            }
            do {
                let taken = try await desk.readHistory(
                    of: id, in: nil, "import", for: line.customer, now: clock())
                return .success(
                    LineReport(
                        line: number, customer: customer,
                        results: taken.results.map { TransactionReport($0) },
                        refusedProofs: [],
                        problem: taken.results.isEmpty ? "Apple gave no proof" : nil,
                        unproven: taken.results.isEmpty ? id : nil))
            } catch let error as LedgerError {
                return .failure(error)
            } catch {
                return .success(nothing("Apple could not be asked: \(error)", unproven: id))
            }
        case .proofs(let texts):
            let reading = proofs.read(PurchaseRequest(signedTransactions: texts))
            guard !reading.believed.isEmpty else {
                return .success(
                    LineReport(
                        line: number, customer: customer, results: [],
                        refusedProofs: reading.refused, problem: "no proof is believed",
                        unproven: nil))
            }
            let submission = PurchaseSubmission(
                customer: line.customer, proofs: reading.believed, isRestore: true)
            do throws(LedgerError) {
                let answer = try await ledger.record(submission, now: clock())
                return .success(
                    LineReport(
                        line: number, customer: customer,
                        results: answer.results.map { TransactionReport($0) },
                        refusedProofs: reading.refused, problem: nil, unproven: nil))
            } catch {
                return .failure(error)
            }
        }
    }
}
