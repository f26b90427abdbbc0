import AppStoreModel
import CryptoPrimitives
import SignedDataCoding
import StoreWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checking the signatures of promotional offers for real, version 1 and 2.
extension LocalStore {
    /// Checks what a purchase asks for beside the product, and writes into order and setting what was found.
    func check(
        _ request: PurchaseRequest, _ device: Device, _ order: inout PurchaseOrder,
        _ setting: inout PurchaseSetting
    ) {
        if let jws = request.introductoryEligibilityJWS {
            switch claims(jws, audience: "introductory-offer-eligibility", request.productID) {
            case .success(let claims):
                setting.nonce = claims.nonce
                order.allowsIntroductory = claims.allowIntroductoryOffer
                if claims.allowIntroductoryOffer == nil {
                    setting.offerFailure = "invalidSignature"
                }
            case .failure(let refusal): setting.offerFailure = refusal.code
            }
        }
        guard let offer = request.offer else { return }
        order.offerKind = offer.kind.offerType
        order.offerID = offer.offerID
        guard let kind = order.offerKind, kind != .introductory else {
            setting.offerFailure = "invalidOfferIdentifier"
            return
        }
        guard kind == .promotional else { return }
        switch signature(of: offer, request, device) {
        case .success(let nonce): setting.nonce = nonce
        case .failure(let refusal): setting.offerFailure = refusal.code
        }
    }

    struct Refusal: Error {
        let code: String
    }

    private func signature(
        of offer: PurchaseOffer, _ request: PurchaseRequest, _ device: Device
    ) -> Result<String, Refusal> {
        if let jws = offer.compactJWS {
            return claims(jws, audience: "promotional-offer", request.productID).flatMap { claims in
                guard claims.offerIdentifier == offer.offerID, fits(claims.transactionId, device)
                else { return .failure(Refusal(code: "invalidSignature")) }
                return .success(claims.nonce)
            }
        }
        guard let keyID = offer.keyID, let nonce = offer.nonce, let timestamp = offer.timestamp,
            let signature = offer.signature, !signature.isEmpty
        else { return .failure(Refusal(code: "missingOfferParams")) }
        let age = state.now.milliseconds - timestamp
        // A clock that runs ahead a little is no fraud.
        guard (-300_000...86_400_000).contains(age), let key = publicKey(keyID),
            let bytes = Base64.decodeStandard(Array(signature.utf8)),
            UUIDText.isValid(nonce), nonce == nonce.lowercased()
        else { return .failure(Refusal(code: "invalidSignature")) }
        let user = request.appAccountToken?.rawValue ?? request.applicationUsername ?? ""
        let message = [
            device.bundleID.rawValue, keyID, request.productID.rawValue, offer.offerID,
            user.lowercased(), nonce, String(timestamp),
        ].joined(separator: "\u{2063}")
        guard key.isValid(bytes, of: Array(message.utf8), as: .ecdsa(.sha256)) else {
            return .failure(Refusal(code: "invalidSignature"))
        }
        return .success(nonce)
    }

    /// The claims of a signed request (version 2).
    struct OfferClaims: Decodable {
        let iss: String
        let iat: Int64
        let aud: String
        let bid: String
        let nonce: String
        let productId: String
        let offerIdentifier: String?
        let transactionId: String?
        let allowIntroductoryOffer: Bool?
    }

    private func claims(
        _ jws: String, audience: String, _ product: ProductID
    ) -> Result<OfferClaims, Refusal> {
        let refused = Result<OfferClaims, Refusal>.failure(Refusal(code: "invalidSignature"))
        guard jws.utf8.count <= 16_384, let parts = try? CompactJWS(decoding: jws),
            let header = try? parts.header(), header.algorithm == "ES256",
            let keyID = header.keyID, let key = publicKey(keyID),
            key.isValidES256(parts.signature, of: Array(parts.signingInput)),
            let claims = try? JSONDecoder().decode(OfferClaims.self, from: Data(parts.payload))
        else { return refused }
        let age = state.now.seconds - claims.iat
        guard claims.aud == audience, claims.iss == keys.issuerID,
            claims.bid == state.app.bundleID.rawValue, claims.productId == product.rawValue,
            UUIDText.isValid(claims.nonce), (-300...86_400).contains(age)
        else { return refused }
        return .success(claims)
    }

    /// A transaction in a signed request is one of the customer's, or names the customer's copy of the app.
    private func fits(_ transaction: String?, _ device: Device) -> Bool {
        guard let transaction else { return true }
        guard let account = device.account.flatMap({ state.accounts[$0] }) else { return false }
        return account.appTransactionID == transaction
            || state.transaction(TransactionID(transaction))?.account == account.id
    }

    /// The public half of the API key or of the catalog's key for offers.
    private func publicKey(_ id: String) -> PublicKey? {
        if id == keys.keyID { return try? PrivateKey(pem: keys.privateKey).publicKey }
        guard let offersKey = state.catalog.offersKey, offersKey.id == id,
            let der = Base64.decodeStandard(Array(offersKey.privateKey.utf8))
        else { return nil }
        return try? PrivateKey(pkcs8: der).publicKey
    }
}
