public import Foundation

/// A signed value, and whether its signature leads to the store that this device trusts.
@frozen public enum VerificationResult<SignedType> {
    /// The signature is wrong or leads elsewhere.
    case unverified(SignedType, VerificationError)
    /// The device's App Store signed it for this app.
    case verified(SignedType)

    /// Why a value is not verified.
    public enum VerificationError: Error, Hashable, Sendable {
        /// A certificate was taken back.
        case revokedCertificate
        /// The certificates do not lead to the trusted root.
        case invalidCertificateChain
        /// It was signed for another device.
        case invalidDeviceVerification
        /// It is no JWS.
        case invalidEncoding
        /// The signature does not fit.
        case invalidSignature
        /// Something that it must say is missing.
        case missingRequiredProperties
    }

    /// The value if it is verified; throws the reason otherwise.
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .verified(let value): value
            case .unverified(_, let error): throw error
            }
        }
    }

    /// The value, verified or not.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .verified(let value), .unverified(let value, _): value
        }
    }
}

extension VerificationResult: Equatable where SignedType: Equatable {}
extension VerificationResult: Hashable where SignedType: Hashable {}
extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult.VerificationError: LocalizedError {
    /// The error for people.
    public var errorDescription: String? {
        switch self {
        case .revokedCertificate: "A certificate was revoked."
        case .invalidCertificateChain: "The certificate chain is invalid."
        case .invalidDeviceVerification: "The data was signed for another device."
        case .invalidEncoding: "The data is not encoded as expected."
        case .invalidSignature: "The signature is invalid."
        case .missingRequiredProperties: "A required property is missing."
        }
    }
}

extension VerificationResult: CustomDebugStringConvertible {
    /// Whether it is verified, and the value.
    public var debugDescription: String {
        switch self {
        case .verified(let value): "verified(\(value))"
        case .unverified(let value, let error): "unverified(\(value), \(error))"
        }
    }
}

extension VerificationResult where SignedType == Transaction {
    /// The transaction as a compact JWS, for a server to verify.
    public var jwsRepresentation: String { unsafePayloadValue.signed.compact }
    /// The JWS's header.
    public var headerData: Data { unsafePayloadValue.signed.header }
    /// The JWS's payload.
    public var payloadData: Data { unsafePayloadValue.signed.payload }
    /// The JWS's signature.
    public var signatureData: Data { unsafePayloadValue.signed.signature }
    /// The JWS's signature with its two forms.
    public var signature: JWSSignature { unsafePayloadValue.signed.ecdsa }
    /// What was signed: header and payload in base64 with a dot between.
    public var signedData: Data { unsafePayloadValue.signed.signingInput }
    /// When it was signed.
    public var signedDate: Date { unsafePayloadValue.signedDate }
    /// Binds it to the device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
    /// The one-time number of the binding.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// The renewal information as a compact JWS, for a server to verify.
    public var jwsRepresentation: String { unsafePayloadValue.signed.compact }
    /// The JWS's header.
    public var headerData: Data { unsafePayloadValue.signed.header }
    /// The JWS's payload.
    public var payloadData: Data { unsafePayloadValue.signed.payload }
    /// The JWS's signature.
    public var signatureData: Data { unsafePayloadValue.signed.signature }
    /// The JWS's signature with its two forms.
    public var signature: JWSSignature { unsafePayloadValue.signed.ecdsa }
    /// What was signed: header and payload in base64 with a dot between.
    public var signedData: Data { unsafePayloadValue.signed.signingInput }
    /// When it was signed.
    public var signedDate: Date { unsafePayloadValue.signedDate }
    /// Binds it to the device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
    /// The one-time number of the binding.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == AppTransaction {
    /// The app transaction as a compact JWS, for a server to verify.
    public var jwsRepresentation: String { unsafePayloadValue.signed.compact }
    /// The JWS's header.
    public var headerData: Data { unsafePayloadValue.signed.header }
    /// The JWS's payload.
    public var payloadData: Data { unsafePayloadValue.signed.payload }
    /// The JWS's signature.
    public var signatureData: Data { unsafePayloadValue.signed.signature }
    /// The JWS's signature with its two forms.
    public var signature: JWSSignature { unsafePayloadValue.signed.ecdsa }
    /// What was signed: header and payload in base64 with a dot between.
    public var signedData: Data { unsafePayloadValue.signed.signingInput }
    /// When it was signed.
    public var signedDate: Date { unsafePayloadValue.signedDate }
    /// Binds it to the device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }
    /// The one-time number of the binding.
    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}
