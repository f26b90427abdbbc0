import AppStoreTrust
import SignedDataCoding
import TillAPI
import TillLedger

/// Turns what a client sent into verified proofs, one refusal for each that is not believed.
///
/// Only signed bytes count: an answer of `verifyReceipt` that a client relays is at most a wrapping
/// around the signed receipt in it.
struct ProofReader: Sendable {
    /// The most proofs of one request, lists inside a field included.
    static let proofLimit = 1_000

    /// What became of a request's proofs.
    struct Reading {
        var believed: [VerifiedProof] = []
        var refused: [RefusedProof] = []
    }

    let verifier: ProofVerifier

    /// Verifies every proof of a request.
    func read(_ request: PurchaseRequest) -> Reading {
        var reading = Reading()
        if let receipt = request.receipt { read(receipt, at: "receipt", into: &reading) }
        for (index, text) in request.signedTransactions.enumerated() {
            read(text, at: "signedTransactions[\(index)]", into: &reading)
        }
        return reading
    }

    private func read(_ text: String, at place: String, into reading: inout Reading) {
        let proofs: [ClientProof]
        do throws(SignedDataError) {
            proofs = try ClientProof.decodeAll(Array(text.utf8))
        } catch {
            reading.refused.append(
                RefusedProof(error.kind, at: place, detail: error.description))
            return
        }
        for (index, proof) in proofs.enumerated() {
            let place = proofs.count == 1 ? place : "\(place)[\(index)]"
            guard reading.believed.count + reading.refused.count < Self.proofLimit else {
                reading.refused.append(RefusedProof(.tooManyTransactions, at: place, detail: nil))
                return
            }
            do throws(AppStoreTrust.Refusal) {
                reading.believed.append(try verify(proof))
            } catch {
                reading.refused.append(
                    RefusedProof(
                        ProblemKind(rawValue: error.code) ?? .unreadable, at: place,
                        detail: error.sentence))
            }
        }
    }

    private func verify(_ proof: ClientProof) throws(AppStoreTrust.Refusal) -> VerifiedProof {
        switch proof.content {
        case .receipt(let receipt): VerifiedProof(try verifier.verifyReceipt(receipt))
        case .legacyReceipt(let receipt): VerifiedProof(try verifier.verifyLegacyReceipt(receipt))
        case .signedValue(let jws): VerifiedProof(try verifier.verifyTransaction(jws))
        }
    }
}

extension RefusedProof {
    /// A refusal whose finality the table of problems tells.
    init(_ kind: ProblemKind, at place: String, detail: String?) {
        self.init(
            proof: place, code: ProblemCode(kind), detail: detail,
            mayFinish: kind.facts.mayFinish, isRetryable: kind.facts.isRetryable)
    }
}

extension SignedDataError {
    /// The problem that a client hears: something else than a proof, or a proof that is broken.
    var kind: ProblemKind {
        switch code {
        case .verifyReceiptAnswer, .unsignedPayload, .transactionIDAlone, .receiptPath,
            .notAProofButPEM:
            .wrongKind
        default: .unreadable
        }
    }
}
