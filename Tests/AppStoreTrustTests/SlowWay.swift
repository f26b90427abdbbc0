import AppStoreCoding
import AppStoreModel
import AppStoreTrust
import CryptoPrimitives
import SignedDataCoding
import TestKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A second opinion: the same rules, judged by libcrypto's own PKCS#7 and by Foundation's JSON and
/// base64, one certificate parsed and every signature of the chain checked for each proof.
struct SlowWay {
    let receiptRoot: Certificate
    let valueRoot: Certificate
    let named: [Certificate]

    init(named: [Certificate]) throws {
        func apple(_ file: String) throws -> Certificate {
            try Certificate(der: AppleSamples.bytes("certificates/" + file))
        }
        receiptRoot = try apple("cert_AppleIncRootCertificate.cer")
        valueRoot = try apple("cert_AppleRootCA-G3.cer")
        self.named = named
    }

    /// The receipt, if the slow way believes it.
    func receipt(_ bytes: [UInt8]) -> AppReceipt? {
        guard let message = try? PKCS7Message(bytes) else { return nil }
        let chain = message.certificates.compactMap { try? Certificate(der: $0) }
        guard chain.count == message.certificates.count,
            let anchor = anchor(of: chain, pinned: receiptRoot)
        else { return nil }
        if anchor == receiptRoot, message.signedAttributeCount != 0 { return nil }
        guard isFit(chain, anchor, key: \.isRSA, needsMiddleMarker: anchor == receiptRoot),
            let window = window(of: chain),
            let opened = message.open(anchor: anchor, at: window.lowerBound),
            opened.signer == chain[0].der,
            let value = try? AppReceipt(decodingContent: opened.content[...]),
            message.open(anchor: anchor, at: value.creationDate.seconds) != nil
        else { return nil }
        return value
    }

    private struct Header: Decodable {
        let alg: String
        let x5c: [String]
        let crit: [String]?
    }

    /// The payload, if the slow way believes it.
    func signedValue(_ text: String) -> SignedPayload? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = decoded(parts[0]), let payload = decoded(parts[1]),
            let signature = decoded(parts[2]),
            let fields = try? JSONDecoder().decode(Header.self, from: header),
            fields.alg == "ES256", fields.crit == nil
        else { return nil }
        let chain = fields.x5c.compactMap { Data(base64Encoded: $0) }
            .compactMap { try? Certificate(der: Array($0)) }
        guard chain.count == fields.x5c.count, let anchor = anchor(of: chain, pinned: valueRoot),
            isFit(chain, anchor, key: { $0 == .p256 }, needsMiddleMarker: true),
            chain[0].publicKey.isValidES256(
                Array(signature), of: Array("\(parts[0]).\(parts[1])".utf8)),
            let value = try? SignedPayload(decodingPayload: Array(payload)),
            let date = date(of: value)
        else { return nil }
        if chain.count == 1 { return chain[0].isValid(at: date.seconds) ? value : nil }
        do {
            try ChainCheck.verify(
                leaf: chain[0], intermediates: [chain[1]], anchor: anchor, at: date.seconds,
                isStrict: anchor == valueRoot)
            return value
        } catch { return nil }
    }

    private func date(of value: SignedPayload) -> Timestamp? {
        switch value {
        case .transaction(let value): value.signedDate
        case .renewalInfo(let value): value.signedDate
        case .notification(let value): value.signedDate
        case .appTransaction(let value): value.receiptCreationDate
        case .realtimeRequest(let value): value.signedDate
        case .unknown: nil
        }
    }

    private func decoded(_ part: Substring) -> Data? {
        guard !part.contains(where: { "+/= \n\r".contains($0) }) else { return nil }
        let standard = part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding)
    }

    private func anchor(of chain: [Certificate], pinned: Certificate) -> Certificate? {
        guard chain.count == 1 || chain.count == 3, let last = chain.last else { return nil }
        if let found = named.first(where: { $0.der == last.der }) { return found }
        return chain.count == 3 && last.der == pinned.der ? pinned : nil
    }

    private func window(of chain: [Certificate]) -> Range<Int64>? {
        let start = chain.map(\.notBefore).max() ?? 0
        let end = chain.map(\.notAfter).min() ?? 0
        return start < end ? start..<end : nil
    }

    private func isFit(
        _ chain: [Certificate], _ anchor: Certificate, key: (KeyKind) -> Bool,
        needsMiddleMarker: Bool
    ) -> Bool {
        guard key(chain[0].publicKey.kind) else { return false }
        guard chain.count == 3 else { return true }
        let isApple = anchor == receiptRoot || anchor == valueRoot
        let leaf = chain[0]
        let middle = chain[1]
        return leaf.extensionValue("1.2.840.113635.100.6.11.1") != nil
            && (!needsMiddleMarker || middle.extensionValue("1.2.840.113635.100.6.2.1") != nil)
            && leaf.basicConstraints?.isAuthority != true
            && middle.basicConstraints?.isAuthority == true
            && (leaf.keyUsage?.contains(.digitalSignature) ?? !isApple)
            && (middle.keyUsage?.contains(.keyCertSign) ?? !isApple)
    }
}
