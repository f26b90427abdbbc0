import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import StoreWire

/// Making what is signed, with what faults want to be wrong about it.
extension LocalStore {
    private func flaws(
        _ what: String, _ environment: AppStoreEnvironment?
    ) -> (rules: [FaultRule], flaws: SigningFlaws) {
        let rules = strike(.signing(what, environment))
        return (rules, SigningFlaws(Set(rules.map(\.kind))))
    }

    private func signing(
        _ rules: [FaultRule], _ sign: () throws -> String
    ) throws(StoreProblem) -> String {
        do {
            let signed = try sign()
            guard let cut = rules.first(where: { $0.kind == .cut }) else { return signed }
            return String(signed.prefix(cut.bytes ?? signed.count - 20))
        } catch {
            throw StoreProblem(.internalFault, detail: "signing failed: \(error)")
        }
    }

    /// Signs a transaction payload.
    func signed(_ payload: TransactionPayload) throws(StoreProblem) -> String {
        let (rules, flaws) = flaws("transaction", payload.environment)
        var payload = payload
        for rule in rules { payload.spoil(rule.kind) }
        return try signing(rules) { try signer.sign(payload, flaws: flaws) }
    }

    /// Signs a renewal payload.
    func signed(_ payload: RenewalPayload) throws(StoreProblem) -> String {
        let (rules, flaws) = flaws("renewal", payload.environment)
        var payload = payload
        for rule in rules {
            if rule.kind == .unknownValue { payload.expirationIntent = 99 }
            if rule.kind == .unknownField { payload.otherFields = Self.unknownFields }
        }
        return try signing(rules) { try signer.sign(payload, flaws: flaws) }
    }

    /// Signs an app transaction payload.
    func signed(_ payload: AppTransactionPayload) throws(StoreProblem) -> String {
        let (rules, flaws) = flaws("appTransaction", payload.receiptType)
        var payload = payload
        for rule in rules {
            if rule.kind == .unknownValue { payload.originalPlatform = "futureOS" }
            if rule.kind == .unknownField { payload.otherFields = Self.unknownFields }
        }
        return try signing(rules) { try signer.sign(payload, flaws: flaws) }
    }

    /// Signs a notification payload.
    func signed(_ payload: NotificationPayload) throws(StoreProblem) -> String {
        let (rules, flaws) = flaws("notification", payload.environment)
        var payload = payload
        for rule in rules {
            if rule.kind == .unknownValue {
                payload.notificationType = "FUTURE_EVENT"
                payload.subtype = "FUTURE_SUBTYPE"
            }
            if rule.kind == .unknownField { payload.otherFields = Self.unknownFields }
        }
        return try signing(rules) { try signer.sign(payload, flaws: flaws) }
    }

    static let unknownFields: [String: JSONValue] = [
        "futureField": "futureValue", "futureInfo": ["futureNumber": 1, "futureList": [true]],
    ]

    /// A transaction of the books with its signed forms, under its own name or another, bound to the device
    /// that gets it.
    func signedTransaction(
        _ row: StoreTransaction, as alias: TransactionID? = nil, for device: Device? = nil
    ) throws(StoreProblem) -> SignedTransaction {
        var payload = state.payload(row, as: alias)
        var renewal = state.subscriptions[row.originalID].map { state.payload($0) }
        if let device {
            let binding = DeviceProof(
                device, seed: state.seed, name: payload.transactionID.rawValue)
            payload.otherFields.merge(binding.fields) { _, new in new }
            renewal?.otherFields.merge(binding.fields) { _, new in new }
        }
        return SignedTransaction(
            transactionID: alias ?? row.id, originalTransactionID: row.originalID,
            productID: row.productID, type: row.type, purchaseDate: row.purchaseDate,
            expiresDate: row.expiresDate, revocationDate: row.revocation?.date,
            isFinished: row.isFinished,
            signedTransactionInfo: try signed(payload),
            signedRenewalInfo: try signed(optional: renewal))
    }

    private func signed(optional payload: RenewalPayload?) throws(StoreProblem) -> String? {
        guard let payload else { return nil }
        return try signed(payload)
    }

    /// The receipt of an account's copy of the app, as a device has it.
    func signedReceipt(
        _ account: Account, device: Device?
    ) throws(StoreProblem) -> [UInt8] {
        let (rules, flaws) = flaws("receipt", account.environment)
        var receipt = state.receipt(account, device: device)
        for rule in rules {
            switch rule.kind {
            case .unsortedReceipt: receipt.inApp = shuffled(receipt.inApp)
            case .emptyReceipt: receipt.inApp = []
            case .unknownField:
                receipt.otherAttributes.append(
                    OpaqueAttribute(type: 999, version: 1, value: [0x0C, 0x01, 0x78]))
            default: break
            }
        }
        do {
            var bytes = try signer.sign(
                receipt, deviceIdentifier: device?.identifierBytes ?? [], flaws: flaws)
            if let cut = rules.first(where: { $0.kind == .cut }) {
                bytes = Array(bytes.prefix(cut.bytes ?? bytes.count / 2))
            }
            return bytes
        } catch {
            throw StoreProblem(.internalFault, detail: "signing failed: \(error)")
        }
    }

    /// Mixed up in a way that depends on what is in it alone.
    private func shuffled(_ purchases: [InAppPurchase]) -> [InAppPurchase] {
        var source = IDSource(seed: state.seed &+ UInt64(purchases.count))
        var mixed = purchases
        for place in mixed.indices.dropFirst() {
            mixed.swapAt(place, Int(source.below(Int64(place + 1))))
        }
        return mixed
    }
}

extension TransactionPayload {
    /// Makes one thing about it strange.
    mutating func spoil(_ kind: FaultKind) {
        switch kind {
        case .unknownValue:
            offerType = 99
            inAppOwnershipType = "FUTURE_OWNERSHIP"
            transactionReason = "FUTURE_REASON"
        case .unknownField: otherFields = LocalStore.unknownFields
        case .futurePurchaseDate:
            // As in real renewals that are signed 33 seconds before they begin.
            signedDate = purchaseDate?.advanced(byMilliseconds: -33_000)
        case .lateOriginalDate:
            if transactionID == originalTransactionID {
                originalPurchaseDate = purchaseDate?.advanced(byMilliseconds: 1_000)
            }
        default: break
        }
    }
}

/// What binds signed data to the device that got it: a digest of a nonce and the device's identifier.
struct DeviceProof {
    let nonce: String
    let digest: String

    init(_ device: Device, seed: UInt64, name: String) {
        let text = device.id.rawValue + name
        var names = IDSource(
            seed: seed
                ^ text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        nonce = names.uuid()
        digest = Base64.encode(
            SHA384.hash(Array((nonce + device.deviceVerificationID.lowercased()).utf8)))
    }

    /// The two fields of transactions and renewal information.
    var fields: [String: JSONValue] {
        [
            "deviceVerification": .string(digest),
            "deviceVerificationNonce": .string(nonce),
        ]
    }
}

extension Device {
    /// The sixteen bytes of the vendor's UUID, which the device hash is made with.
    var identifierBytes: [UInt8] {
        let digits = vendorID.utf8.filter { $0 != 0x2D }
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
