import AppStoreCoding
import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit
import Testing

/// The fast way, with everything remembered, against the slow way, which remembers nothing.
@Suite(.enabled(if: AppleSamples.areThere, Comment(rawValue: AppleSamples.comment)))
struct DifferentialTests {
    static let seed: UInt64 = 7
    static let mutationsPerFile = 80

    /// Where the fast way takes one form only and libcrypto or Foundation take several.
    static let strictness: Set<Refusal.Reason> = [
        .unreadable, .unsupportedAlgorithm, .unreadableCertificate, .wrongSigner,
    ]

    static let named = Result {
        var named: [Certificate] = []
        for name in AppleSamples.names(in: "certificates")
        where name.contains("fakeca") || name.contains("StoreKitTest") {
            named.append(try Certificate(pemOrDER: AppleSamples.bytes("certificates/" + name)))
        }
        for name in AppleSamples.names(in: "jws") where name.hasPrefix("jws_xcode") {
            let header = try CompactJWS(decoding: AppleSamples.text("jws/" + name)).header()
            named += try (header.certificates ?? []).map { try Certificate(der: $0) }
        }
        return named
    }

    static let verifier = Result {
        let named = try Self.named.get()
        return ProofVerifier(
            configuration: try .unsafeAnyApp(
                extraRoots: Set(named).map {
                    ExtraRoot(name: "\($0.fingerprint)", certificate: $0)
                }))
    }

    @Test(arguments: AppleSamples.names(in: "receipts").filter { $0.hasPrefix("rcpt_") })
    func `both ways agree on a receipt and on what becomes of it`(_ name: String) throws {
        let slow = try SlowWay(named: Self.named.get())
        let fast = try Self.verifier.get()
        let bytes = try AppleSamples.decoded("receipts/" + name)
        var numbers = SeededNumbers(seed: Self.seed)
        let count = max(10, Self.mutationsPerFile * 5_000 / max(5_000, bytes.count))
        for index in 0...count {
            let input = index == 0 ? bytes : numbers.mutated(bytes)
            let expected = slow.receipt(input)
            do throws(Refusal) {
                let value = try fast.verifyReceipt(input).value
                #expect(value == expected, "mutation \(index) of \(name)")
            } catch {
                // Which environment is admitted is policy, of which the slow way knows nothing.
                guard expected != nil, error.reason != .unknownEnvironment else { continue }
                #expect(index > 0 && Self.strictness.contains(error.reason), "\(index): \(error)")
            }
        }
    }

    @Test(arguments: AppleSamples.names(in: "jws"))
    func `both ways agree on a signed value and on what becomes of it`(_ name: String) throws {
        let slow = try SlowWay(named: Self.named.get())
        let fast = try Self.verifier.get()
        let bytes = Array(try AppleSamples.text("jws/" + name).utf8)
        var numbers = SeededNumbers(seed: Self.seed)
        for index in 0...Self.mutationsPerFile {
            let input = index == 0 ? bytes : numbers.mutated(bytes)
            let text = String(decoding: input, as: UTF8.self)
            let expected = slow.signedValue(text)
            let result: Result<SignedPayload, Refusal>
            do throws(Refusal) {
                result = .success(try payload(text, fast))
            } catch {
                result = .failure(error)
            }
            switch result {
            case .success(let value):
                // Notifications of 2022 took their date from their parts, which the slow way does not.
                if case .notification(let notification) = value, notification.signedDate == nil {
                    continue
                }
                #expect(value == expected, "mutation \(index) of \(name)")
            case .failure(let refusal):
                guard expected != nil else { continue }
                #expect(
                    index > 0 && Self.strictness.contains(refusal.reason), "\(index): \(refusal)")
            }
        }
    }

    private func payload(
        _ text: String, _ verifier: ProofVerifier
    ) throws(Refusal) -> SignedPayload {
        let verdict = verifier.verifyAny(Array(text.utf8))
        switch try verdict.result.get() {
        case .transaction(let proof): return .transaction(proof.value)
        case .renewalInfo(let proof): return .renewalInfo(proof.value)
        case .notification(let proof): return .notification(proof.notification.value)
        case .appTransaction(let proof): return .appTransaction(proof.value)
        case .realtimeRequest(let proof): return .realtimeRequest(proof.value)
        case .unknown(let proof): return .unknown(proof.value)
        case .appReceipt, .transactionReceipt: return .unknown(.null)
        }
    }
}
