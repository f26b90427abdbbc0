import AppStoreCoding
import AppStoreModel
import AppStoreTrust
import SignedDataCoding

/// Which of the genuine proofs a caller wants; the others are refused.
struct WantedProofs: Sendable {
    /// The app; nil for any.
    var bundleID: BundleID?
    /// The device's identifier; nil for any, and for proofs without a device.
    var device: [UInt8]?
}

/// What `till verify` says of one proof.
struct VerifyReport {
    /// What stands in it.
    enum Payload {
        /// Nothing that could be read.
        case nothing
        /// An app receipt.
        case receipt(AppReceipt)
        /// JSON as it was signed.
        case json([UInt8])
        /// The texts of an iOS 6 receipt, or JSON that had to be read to be sure of it.
        case value(JSONValue)
    }

    /// The kind, as in `--json`; nil where it is no proof, or one that hides what it is.
    var kind: ProofKind?
    /// Whether the bytes were a proof at all.
    private var isReadable = true
    /// Whether it is genuine.
    var isValid = false
    /// The stable code of a refusal.
    var reason: String?
    /// The refusal for people.
    var sentence: String?
    /// Whether trying again can help.
    var isRetryable = false
    /// Where it was bought; of a refused proof, where it says so.
    var environment: String?
    /// The app; of a refused proof, the one that it names.
    var bundleID: String?
    /// The root's name where it is not Apple's.
    var extraRoot: String?
    /// When it was signed.
    var signedAt: Timestamp?
    /// What stands in it; of a refused proof, what it claims.
    var payload = Payload.nothing
    /// The signed values within a notification, each verified.
    var inner: [(name: StaticString, json: [UInt8])] = []

    /// The exit code for this proof: 0 genuine, 1 refused, 2 unreadable.
    var exitCode: Int32 { isValid ? 0 : isReadable ? 1 : ExitCode.unreadableProof }

    /// A report of bytes that are no proof.
    init(unreadable error: SignedDataError) {
        isReadable = false
        reason = error.code.rawValue
        sentence = error.description
    }

    /// Verifies a proof and reports; refuses one that is not wanted.
    init(_ proof: ClientProof, by verifier: ProofVerifier, _ wanted: WantedProofs) {
        let verdict = verifier.verify(proof)
        kind = verdict.kind
        switch verdict.result {
        case .success(let genuine):
            isValid = true
            take(genuine, of: proof)
            refuse(genuine, unless: wanted)
        case .failure(let refusal):
            reason = refusal.code
            sentence = refusal.sentence
            isRetryable = refusal.isRetryable
            takeClaims(of: proof)
        }
    }

    private mutating func refuse(_ genuine: GenuineProof, unless wanted: WantedProofs) {
        if let app = wanted.bundleID, let bundleID, bundleID != app.rawValue {
            isValid = false
            reason = Refusal.Reason.wrongApp.rawValue
            sentence = "\(Refusal.Reason.wrongApp.sentence) (\(bundleID))"
        } else if let device = wanted.device {
            if case .appReceipt(let receipt) = genuine, receipt.isMade(forDevice: device) { return }
            isValid = false
            reason = "wrongDevice"
            sentence = "It is genuine, but its device hash is not that of this device."
        }
    }

    private mutating func take(_ genuine: GenuineProof, of proof: ClientProof) {
        switch genuine {
        case .appReceipt(let verified):
            take(verified)
            payload = .receipt(verified.value)
        case .transactionReceipt(let verified):
            take(verified)
            payload = .value(Self.texts(verified.value.purchaseInfo))
        case .transaction(let verified):
            take(verified)
            payload = Self.signedJSON(proof)
        case .appTransaction(let verified):
            take(verified)
            payload = Self.signedJSON(proof)
        case .renewalInfo(let unattributed):
            take(unattributed)
            payload = Self.signedJSON(proof)
        case .realtimeRequest(let unattributed):
            take(unattributed)
            payload = Self.signedJSON(proof)
        case .unknown(let unattributed):
            take(unattributed)
            payload = Self.signedJSON(proof)
        case .notification(let verified):
            take(verified.notification)
            payload = Self.signedJSON(proof)
            add("transaction", verified.transaction?.receivedBytes)
            add("renewalInfo", verified.renewal?.receivedBytes)
            add("appTransaction", verified.appTransaction?.receivedBytes)
        }
    }

    private mutating func take<Value>(_ verified: Verified<Value>) {
        environment = verified.environment.rawValue
        bundleID = verified.bundleID.rawValue
        signedAt = verified.signedAt
        if case .extraRoot(let name) = verified.anchor { extraRoot = name }
    }

    private mutating func take<Value>(_ unattributed: Unattributed<Value>) {
        environment = unattributed.environment.rawValue
        signedAt = unattributed.signedAt
        if case .extraRoot(let name) = unattributed.anchor { extraRoot = name }
    }

    private mutating func add(_ name: StaticString, _ jws: [UInt8]?) {
        guard let jws, let parts = try? CompactJWS(decoding: jws) else { return }
        inner.append((name, Self.line(parts.payload)))
    }

    /// What a proof that does not hold says of itself, for the reader; nothing of it is believed.
    private mutating func takeClaims(of proof: ClientProof) {
        switch proof.content {
        case .receipt(let signed):
            guard let receipt = try? AppReceipt(decodingContent: signed.content) else {
                return
            }
            payload = .receipt(receipt)
            environment = receipt.environment?.rawValue
            bundleID = receipt.bundleID.rawValue
        case .legacyReceipt(let receipt):
            payload = .value(Self.texts(receipt.purchaseInfo))
            environment = receipt.environment
            bundleID = receipt.purchaseInfo["bid"]
        case .signedValue(let jws):
            guard let value = Self.read(jws.payload) else { return }
            payload = .value(value)
            let within = [value, value["data"], value["summary"], value["appData"]]
            for case let place? in within {
                environment = environment ?? place["environment"]?.string
                bundleID = bundleID ?? place["bundleId"]?.string
            }
            environment = environment ?? value["receiptType"]?.string
        }
    }

    private static func texts(_ entries: [String: String]) -> JSONValue {
        .object(entries.mapValues { .string($0) })
    }

    private static func signedJSON(_ proof: ClientProof) -> Payload {
        guard case .signedValue(let jws) = proof.content else { return .nothing }
        return .json(line(jws.payload))
    }

    /// A payload on one line, as it was signed but for its line feeds; what is not JSON to the letter is written
    /// anew as it was understood.
    private static func line(_ payload: [UInt8]) -> [UInt8] {
        guard isStrictJSON(payload) else {
            var json: [UInt8] = []
            (read(payload) ?? .null).append(to: &json)
            return json
        }
        guard payload.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return payload }
        return payload.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    }
}
