import Foundation
import SignedDataCoding

/// A compact JWS and what it says, so that a value can show its proof.
struct SignedText: Sendable, Hashable {
    let compact: String

    /// The parts between the dots.
    private var parts: [Substring] {
        compact.split(separator: ".", omittingEmptySubsequences: false)
    }

    private func part(_ index: Int) -> Data {
        let parts = parts
        guard parts.indices.contains(index) else { return Data() }
        var text = parts[index].replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: String(text)) ?? Data()
    }

    var header: Data { part(0) }
    var payload: Data { part(1) }
    var signature: Data { part(2) }
    var ecdsa: JWSSignature { JWSSignature(rawRepresentation: signature) }
    var signingInput: Data { Data(parts.prefix(2).joined(separator: ".").utf8) }

    /// The payload as a value, whoever signed it.
    func decode<Payload: Decodable>(_ type: Payload.Type) -> Payload? {
        guard compact.utf8.count <= Self.longest else { return nil }
        return try? JSONDecoder().decode(Payload.self, from: payload)
    }

    /// Apple's transactions are about 5 KB.
    private static let longest = 1 << 20
}
