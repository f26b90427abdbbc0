internal import COpenSSL

/// A name in a certificate: attributes in order, from the country down as X.509 writes them.
public struct DistinguishedName: Sendable, Hashable {
    /// One attribute of a name.
    public enum Attribute: String, Sendable, Hashable {
        /// C, two letters.
        case country = "C"
        /// O.
        case organization = "O"
        /// OU.
        case organizationalUnit = "OU"
        /// CN.
        case commonName = "CN"
        /// emailAddress, which Xcode's certificates have.
        case emailAddress
    }

    /// The attributes with their texts.
    public let parts: [(attribute: Attribute, text: String)]

    /// A name of these attributes.
    public init(_ parts: [(attribute: Attribute, text: String)]) { self.parts = parts }

    /// A name as Apple's certificates have it.
    public init(
        commonName: String, organizationalUnit: String? = nil, organization: String? = nil,
        country: String? = nil
    ) {
        var parts: [(attribute: Attribute, text: String)] = []
        if let country { parts.append((.country, country)) }
        if let organization { parts.append((.organization, organization)) }
        if let organizationalUnit { parts.append((.organizationalUnit, organizationalUnit)) }
        parts.append((.commonName, commonName))
        self.parts = parts
    }

    /// Whether both have the same attributes in the same order.
    public static func == (left: DistinguishedName, right: DistinguishedName) -> Bool {
        left.parts.elementsEqual(right.parts) { $0 == $1 }
    }

    /// Hashes the texts.
    public func hash(into hasher: inout Hasher) {
        for part in parts {
            hasher.combine(part.attribute)
            hasher.combine(part.text)
        }
    }

    func write(into name: OpaquePointer?) throws(CryptoError) {
        for part in parts {
            let bytes = Array(part.text.utf8)
            let done = unsafe bytes.withUnsafeBufferPointer {
                unsafe till_name_add(
                    name, part.attribute.rawValue, $0.baseAddress, Int32(clamping: $0.count))
            }
            guard done == 1 else {
                throw CryptoError.last(
                    .unwritableField, "\(part.attribute.rawValue) in a certificate's name")
            }
        }
    }
}
