extension SignedReceipt {
    /// The certificates from the signer's own up, each followed by its issuer's, as far as their names tell;
    /// else as they stand in the message.
    ///
    /// PKCS#7 has them in a set (RFC 5652 section 5.1), whose order says nothing: Apple writes the signer's
    /// first and the root last, other writers sort them by their bytes. Names prove nothing, so neither does
    /// this order.
    public var certificatesFromSigner: [ArraySlice<UInt8>] {
        var rest = certificates.compactMap { NamedCertificate($0, in: bytes) }
        guard rest.count == certificates.count,
            let own = rest.firstIndex(where: {
                $0.serialNumber == signer.serialNumber && $0.issuer == signer.issuer
            })
        else { return certificates }
        var chain = [rest.remove(at: own)]
        while let issuer = chain.last?.issuer,
            let next = rest.firstIndex(where: { $0.subject == issuer })
        {
            chain.append(rest.remove(at: next))
        }
        return rest.isEmpty ? chain.map(\.whole) : certificates
    }
}

/// A certificate with the names in it (RFC 5280 section 4.1), and nothing else read.
private struct NamedCertificate {
    let whole: ArraySlice<UInt8>
    let serialNumber: ArraySlice<UInt8>
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>

    /// Nothing for what has no names in the places of a certificate's.
    init?(_ certificate: ArraySlice<UInt8>, in bytes: [UInt8]) {
        do throws(SignedDataError) {
            var outer = DERReader(bytes, certificate.indices)
            var inner = outer.inside(try outer.next(DERTag.sequence))
            var fields = inner.inside(try inner.next(DERTag.sequence))
            _ = try fields.nextIfPresent(DERTag.context(0))
            let serialNumber = try fields.next(DERTag.integer)
            _ = try fields.next(DERTag.sequence)
            let issuer = try fields.next(DERTag.sequence)
            _ = try fields.next(DERTag.sequence)
            let subject = try fields.next(DERTag.sequence)
            whole = certificate
            self.serialNumber = bytes[serialNumber.content]
            self.issuer = bytes[issuer.whole]
            self.subject = bytes[subject.whole]
        } catch { return nil }
    }
}
