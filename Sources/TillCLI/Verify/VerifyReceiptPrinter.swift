import AppStoreCoding
import AppStoreModel
import AppStoreTrust
import Foundation
import SignedDataCoding

/// `till verify --as-verify-receipt`: Apple's answer for a receipt, without asking Apple.
struct VerifyReceiptPrinter {
    let verifier: ProofVerifier
    let bundleID: BundleID?

    /// Prints the answer and returns the exit code.
    func run(_ bytes: [UInt8]) -> Int32 {
        let (answer, code) = answer(to: bytes)
        guard let json = try? answer.appleJSON() else { return ExitCode.software }
        Terminal.write(json + [UInt8(ascii: "\n")])
        return code
    }

    private func answer(to bytes: [UInt8]) -> (VerifyReceiptResponse, Int32) {
        guard let proof = try? ClientProof(decoding: bytes) else {
            return (VerifyReceiptResponse(status: .malformed), 2)
        }
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        switch verifier.verify(proof).result {
        case .success(.appReceipt(let receipt)) where isWanted(receipt.bundleID):
            let data = Base64.encode(receipt.receivedBytes)
            return (
                VerifyReceiptResponse(
                    receipt: receipt.value, receiptData: data, requestDate: now), 0
            )
        case .success(.transactionReceipt(let receipt)) where isWanted(receipt.bundleID):
            let data = Base64.encode(receipt.receivedBytes)
            return (
                VerifyReceiptResponse(
                    legacyReceipt: receipt.value, receiptData: data, requestDate: now), 0
            )
        // Apple's endpoint knows receipts alone, and says that everything else is malformed.
        case .success(.appReceipt), .success(.transactionReceipt), .failure:
            if case .signedValue = proof.content {
                return (VerifyReceiptResponse(status: .malformed), 2)
            }
            return (VerifyReceiptResponse(status: .notAuthentic), 1)
        case .success: return (VerifyReceiptResponse(status: .malformed), 2)
        }
    }

    private func isWanted(_ own: BundleID) -> Bool { bundleID == nil || bundleID == own }
}
