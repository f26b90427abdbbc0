import AppStoreModel
import HTTPMessage
import TillAPI
import TillLedger

extension TillService {
    /// How far a device's clock may be from the server's before that is noted, in milliseconds: a day.
    private static let deviceClockTolerance: Int64 = 86_400_000

    /// Notes what a submission shows that the ledger itself never sees.
    ///
    /// A fault in noting never stands in the way of the purchase.
    func noteSignals(
        of customer: CustomerID, refused: [RefusedProof], isRestore: Bool, _ request: HTTPRequest,
        now: Timestamp
    ) async {
        var kinds: [SignalKey] = []
        for proof in refused {
            guard let kind = proof.code.kind?.signal else { continue }
            kinds.append(SignalKey(kind: kind, subject: proof.code.rawValue))
        }
        if isRestore { kinds.append(SignalKey(kind: .restore, subject: "")) }
        if let text = request.fields[APIWire.deviceTimeField], let time = Int64(text) {
            let (distance, isFar) = time.subtractingReportingOverflow(now.milliseconds)
            if isFar || distance.magnitude > UInt64(Self.deviceClockTolerance) {
                kinds.append(SignalKey(kind: .deviceClock, subject: ""))
            }
        }
        guard !kinds.isEmpty else { return }
        for key in kinds { metrics.count(.signals, [key.kind.rawValue]) }
        let signals = Set(kinds).map {
            Signal(kind: $0.kind, customer: customer, subject: $0.subject, at: now)
        }
        do throws(LedgerError) {
            try await ledger.note(signals)
        } catch {
            log.write(.warning, "signalsNotNoted", ["code": .string(error.code.rawValue)])
        }
    }
}

private struct SignalKey: Hashable {
    let kind: SignalKind
    let subject: String
}

extension ProblemKind {
    /// What it says about the one who showed such a proof; nil for honest mistakes.
    fileprivate var signal: SignalKind? {
        switch self {
        case .wrongCertificateCount, .untrustedRoot, .wrongCertificateUse, .brokenChain,
            .wrongSigner, .wrongSignature, .certificateNotValidThen, .unsupportedAlgorithm:
            .forgery
        case .wrongApp, .wrongAppAppleID: .foreignApp
        case .environmentNotAdmitted, .rootOfAnotherApp: .otherEnvironment
        default: nil
        }
    }
}
