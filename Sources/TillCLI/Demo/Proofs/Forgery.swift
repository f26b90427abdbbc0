import SignedDataCoding
import TillAPI

/// What a thief tries, made from genuine proofs.
enum Forgery {
    /// One forgery of each kind.
    static func all(from proofs: [DemoProof]) -> [(name: String, request: PurchaseRequest)] {
        var forgeries: [(String, PurchaseRequest)] = []
        for proof in proofs {
            if case .receipt(let text) = proof.wire,
                let bytes = Base64.decodeStandard(Array(text.utf8)), bytes.first == 0x30
            {
                var changed = bytes
                changed[changed.count - 1] ^= 1
                forgeries.append(
                    (
                        "\(proof.name), one bit of the signature changed",
                        PurchaseRequest(receipt: Base64.encode(changed))
                    ))
                break
            }
        }
        for proof in proofs {
            if case .signedTransaction(let text) = proof.wire, let forged = withLongerTerm(text) {
                forgeries.append(
                    (
                        "\(proof.name), the payload rewritten",
                        PurchaseRequest(signedTransactions: [forged])
                    ))
                break
            }
        }
        forgeries.append(
            (
                "an answer of verifyReceipt that the app made up",
                PurchaseRequest(receipt: #"{"status":0,"receipt":{"bundle_id":"com.example"}}"#)
            ))
        forgeries.append(("rubbish", PurchaseRequest(receipt: "open sesame")))
        return forgeries
    }

    /// The signed transaction with the first "1" of its payload's dates turned into a "9".
    private static func withLongerTerm(_ text: String) -> String? {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, var payload = Base64.decodeURL(Array(parts[1].utf8)) else {
            return nil
        }
        let pattern = Array("Date\":1".utf8)
        let start = payload.indices.first {
            payload[$0...].starts(with: pattern)
        }
        guard let start else { return nil }
        payload[start + pattern.count - 1] = UInt8(ascii: "9")
        return "\(parts[0]).\(Base64.encode(payload, .url)).\(parts[2])"
    }
}
