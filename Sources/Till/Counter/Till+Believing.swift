import AppStoreModel
import TillAPI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What of an answer about a customer is believed.
struct Belief: Sendable {
    var customer: CustomerDocument
    /// When the server said it.
    var serverTime: Timestamp?
    /// When it was signed, in seconds; none where nobody signs.
    var issuedAt: Int64?
    var validUntil: Timestamp?
}

extension EntitlementProof {
    var wantsSignature: Bool { self != .connection }
}

extension Till {
    /// What of a live answer is believed.
    ///
    /// An answer that carries the request's own one-time text is fresh, whatever the server's clock said
    /// before. Any other must not be older than what was seen.
    func belief(
        in answer: CustomerDocument, _ envelope: AnswerEnvelope, for customerID: String
    ) async throws(EntitlementDistrust) -> Belief {
        guard configuration.entitlementProof.wantsSignature else {
            return Belief(customer: answer, serverTime: envelope.serverTime)
        }
        guard let token = answer.signedEntitlements else { throw .unsigned }
        let claims = try await claims(of: token, for: customerID)
        let isFresh = envelope.nonce != nil && claims.nonce == envelope.nonce
        var moment = Timestamp(seconds: claims.issuedAt)
        let standing = DeviceIdentity(homes: secrets).standing(of: customerID)
        if !isFresh, let standing {
            guard claims.issuedAt >= standing.issuedAt - EntitlementToken.toleranceSeconds else {
                throw .rolledBack
            }
            moment = max(moment, standing.time.earliest(at: clock.uptime()))
        }
        var customer = answer
        customer.entitlements = claims.entitlements
        return Belief(
            customer: customer, serverTime: moment, issuedAt: claims.issuedAt,
            validUntil: Timestamp(seconds: claims.expiresAt))
    }

    /// What is remembered of a customer, as far as it can be believed without asking anybody.
    func remembered(of customerID: String) async -> CustomerMemory? {
        guard var memory = await shelf.read(for: customerID) else { return nil }
        guard configuration.entitlementProof.wantsSignature else {
            memory.validUntil = nil
            return memory
        }
        do throws(EntitlementDistrust) {
            guard let token = memory.customer.signedEntitlements else { throw .unsigned }
            let claims = try EntitlementToken.read(token, of: customerID, under: knownKeys)
            guard let standing = DeviceIdentity(homes: secrets).standing(of: customerID) else {
                throw .unrecorded
            }
            guard claims.issuedAt >= standing.issuedAt - EntitlementToken.toleranceSeconds else {
                throw .rolledBack
            }
            memory.customer.entitlements = claims.entitlements
            memory.validUntil = Timestamp(seconds: claims.expiresAt)
            memory.time = standing.time
            memory.isRefused = standing.isRefused
            return memory
        } catch {
            distrust = error
            return nil
        }
    }

    /// Keeps what was seen of signed answers, beside what is remembered.
    func keepStanding(of memory: CustomerMemory, issuedAt: Int64?) {
        guard configuration.entitlementProof.wantsSignature else { return }
        let identity = DeviceIdentity(homes: secrets)
        let customerID = memory.customer.customerID
        guard let issuedAt = issuedAt ?? identity.standing(of: customerID)?.issuedAt else { return }
        identity.keep(
            Standing(
                customerID: customerID, issuedAt: issuedAt, time: memory.time,
                isRefused: memory.isRefused))
    }

    private var knownKeys: [EntitlementKey] {
        switch configuration.entitlementProof {
        case .connection: []
        case .signed(let keys): keys
        case .signedByServer:
            DeviceIdentity(homes: secrets).keySet().map { EntitlementKey.keys(in: $0) } ?? []
        }
    }

    private func claims(
        of token: String, for customerID: String
    ) async throws(EntitlementDistrust) -> SignedEntitlements {
        do throws(EntitlementDistrust) {
            return try EntitlementToken.read(token, of: customerID, under: knownKeys)
        } catch {
            // The server may have changed its key.
            guard error == .unknownKey, configuration.entitlementProof == .signedByServer,
                let keys = try? await desk.signingKeys().value
            else { throw error }
            DeviceIdentity(homes: secrets).keep(keys)
            return try EntitlementToken.read(
                token, of: customerID, under: EntitlementKey.keys(in: keys))
        }
    }
}
