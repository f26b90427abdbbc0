extension SignedReceipt {
    /// How a receipt is written.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// DER, as the App Store writes it.
        case appStore
        /// BER with indefinite lengths and the content in a segment, as Xcode writes it.
        case xcode
    }

    /// Puts signed data together; what is signed and by whom is the caller's part.
    ///
    /// `certificates` are whole and in the message's order, `signer` names one of them.
    public static func encode(
        content: [UInt8], certificates: [[UInt8]], digestAlgorithm: OID, signer: Signer,
        form: Form = .appStore
    ) -> [UInt8] {
        var signedData = DERWriter()
        signedData.add(integer: 1)
        signedData.add(DERTag.set) { $0.addAlgorithm(digestAlgorithm) }
        let isIndefinite = form == .xcode
        signedData.add(DERTag.sequence, indefinite: isIndefinite) { encapsulated in
            encapsulated.add(.data)
            encapsulated.add(DERTag.context(0), indefinite: isIndefinite) { explicit in
                guard isIndefinite else { return explicit.add(DERTag.octetString, content) }
                explicit.addIndefinite(DERTag.constructedOctetString) {
                    $0.add(DERTag.octetString, content)
                }
            }
        }
        if !certificates.isEmpty { signedData.add(DERTag.context(0), certificates.joined()) }
        signedData.add(DERTag.set) { $0.add(signer) }

        var message = DERWriter()
        message.add(DERTag.sequence, indefinite: isIndefinite) { info in
            info.add(.signedData)
            info.add(DERTag.context(0), indefinite: isIndefinite) { explicit in
                explicit.add(DERTag.sequence, indefinite: isIndefinite) {
                    $0.addEncoded(signedData.bytes)
                }
            }
        }
        return message.bytes
    }
}

extension DERWriter {
    fileprivate mutating func add(
        _ tag: UInt8, indefinite: Bool, _ fill: (inout DERWriter) -> Void
    ) {
        if indefinite { addIndefinite(tag, fill) } else { add(tag, fill) }
    }

    fileprivate mutating func addAlgorithm(_ identifier: OID) {
        add(DERTag.sequence) {
            $0.add(identifier)
            $0.addNull()
        }
    }

    fileprivate mutating func add(_ signer: SignedReceipt.Signer) {
        add(DERTag.sequence) { info in
            info.add(integer: signer.version)
            info.add(DERTag.sequence) {
                $0.addEncoded(signer.issuer)
                $0.add(DERTag.integer, signer.serialNumber)
            }
            info.addAlgorithm(signer.digestAlgorithm)
            if let attributes = signer.signedAttributes { info.addEncoded(attributes) }
            info.addAlgorithm(signer.signatureAlgorithm)
            info.add(DERTag.octetString, signer.signature)
        }
    }
}
