/// Why bytes are not what they should be, which says nothing about trust.
public struct SignedDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; the raw value is stable and goes over the wire.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is nothing.
        case empty
        /// More bytes than any genuine proof has.
        case tooLarge
        /// Nested deeper than any genuine proof is.
        case tooDeep
        /// More proofs or parts at once than the limit.
        case tooMany
        /// The word for "nothing" of some language, turned into text.
        case nullText
        /// A web page.
        case htmlPage
        /// An XML document.
        case xmlDocument
        /// The path of a receipt instead of the receipt.
        case receiptPath
        /// A transaction's number instead of the signed transaction.
        case transactionIDAlone
        /// A decoded payload, from which the signature has been taken off.
        case unsignedPayload
        /// Apple's answer to `verifyReceipt` without a receipt in it.
        case verifyReceiptAnswer
        /// JSON without a proof in any field where one could be.
        case jsonWithoutProof
        /// What begins like JSON and is none.
        case malformedJSON
        /// What a program prints about data instead of the data.
        case describedData
        /// A certificate or key instead of a proof.
        case notAProofButPEM
        /// Base64 that ends in the middle.
        case truncatedBase64
        /// Characters that are in no form of base64.
        case malformedBase64
        /// Nothing that is known.
        case unrecognised
        /// DER or BER that ends in the middle.
        case truncatedDER
        /// Bytes after the end of the outer value.
        case trailingBytes
        /// DER or BER that breaks its own rules.
        case malformedDER
        /// DER that is no PKCS#7 signed data.
        case notSignedData
        /// Signed data with another number of signers than one.
        case signerCount
        /// A receipt whose attributes cannot be read.
        case malformedReceipt
        /// A JWS that is not three parts of base64url.
        case malformedJWS
        /// A JWS whose header cannot be read.
        case malformedJWSHeader
        /// A JWS header that names something twice.
        case duplicateHeaderName
        /// A transaction receipt of iOS 6 and before that cannot be read.
        case malformedLegacyReceipt
        /// A signature blob of a version other than 2.
        case unsupportedLegacySignature
        /// A payload that is not the JSON that its kind needs.
        case malformedPayload
    }

    /// What is wrong.
    public let code: Code
    /// Where in the bytes it shows, as far as that helps.
    public let offset: Int?
    /// More for the reader of a log; never the input itself.
    public let detail: String?

    /// Makes an error.
    public init(_ code: Code, at offset: Int? = nil, detail: String? = nil) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    /// A sentence for people.
    public var description: String {
        var text = code.sentence
        if let detail { text += " (\(detail))" }
        if let offset { text += " at byte \(offset)" }
        return text
    }
}

extension SignedDataError.Code {
    /// A sentence that a developer can act on.
    public var sentence: String {
        switch self {
        case .empty: "The proof is empty: the app had no receipt yet, or did not read it."
        case .tooLarge: "The proof is larger than any genuine one."
        case .tooDeep: "The proof is nested more deeply than any genuine one."
        case .tooMany: "There are more proofs or parts than are taken at once."
        case .nullText: "The proof is the word for nothing: a missing value was turned into text."
        case .htmlPage:
            "The proof is a web page: something between app and server answered instead."
        case .xmlDocument: "The proof is an XML document, not a receipt."
        case .receiptPath: "The proof is the path of a receipt: send the file's content."
        case .transactionIDAlone:
            "The proof is a transaction's number, which proves nothing: send the signed transaction."
        case .unsignedPayload:
            "The proof is a payload without its signature: send the signed form (jwsRepresentation)."
        case .verifyReceiptAnswer:
            "The proof is an answer of verifyReceipt, which anybody can write: send the receipt."
        case .jsonWithoutProof: "The JSON has no proof in any field where one could be."
        case .malformedJSON: "The proof begins like JSON and is none."
        case .describedData:
            "The proof is a description of data, not the data: send it in base64."
        case .notAProofButPEM: "The proof is a certificate or a key, not something signed with it."
        case .truncatedBase64: "The base64 ends in the middle: the proof was cut on its way."
        case .malformedBase64: "The proof has characters that no form of base64 has."
        case .unrecognised: "The proof is nothing that the App Store signs."
        case .truncatedDER: "The receipt ends in the middle: it was cut on its way."
        case .trailingBytes: "There are bytes after the receipt's end."
        case .malformedDER: "The receipt's encoding breaks its own rules."
        case .notSignedData: "The proof is well encoded, but no signed data."
        case .signerCount: "The receipt has not exactly one signer."
        case .malformedReceipt: "The receipt's content is not a list of attributes."
        case .malformedJWS: "The proof is not three parts of base64url joined by dots."
        case .malformedJWSHeader: "The header of the signed value cannot be read."
        case .duplicateHeaderName: "The header of the signed value names something twice."
        case .malformedLegacyReceipt: "The transaction receipt of iOS 6 cannot be read."
        case .unsupportedLegacySignature:
            "The transaction receipt's signature is of a version whose layout is not public."
        case .malformedPayload: "The payload is not what its kind needs."
        }
    }
}
