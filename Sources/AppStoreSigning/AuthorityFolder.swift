import CryptoPrimitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keys and certificates in a folder, as PEM, so that a store keeps its root from start to start.
extension SigningAuthority {
    /// The root as PEM, for whoever shall trust it.
    public var rootPEM: String { root.pem }

    /// The SHA-256 digest of the root, by which people compare it.
    public var rootFingerprint: String {
        root.fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            .joined(separator: ":")
    }

    /// Every file of the folder by name; those that end in `.key.pem` are secret.
    public var files: [String: String] {
        var files = ["root.pem": root.pem, "root.key.pem": rootKey.pem]
        for (name, chain) in [
            ("receipt", receiptChain), ("signed-value", signedValueChain), ("legacy", legacyChain),
        ] {
            files["\(name).pem"] = chain.leaf.pem
            files["\(name).key.pem"] = chain.key.pem
            files["\(name)-intermediate.pem"] = chain.intermediate.pem
            files["\(name)-intermediate.key.pem"] = chain.intermediateKey.pem
        }
        return files
    }

    /// Takes the files of a folder; each key must be that of its certificate.
    public init(files: [String: String]) throws(SigningError) {
        func text(_ name: String) throws(SigningError) -> String {
            guard let text = files[name] else { throw SigningError(.state, "\(name) is missing") }
            return text
        }
        func pair(_ name: String) throws(SigningError) -> (Certificate, PrivateKey) {
            let certificateText = try text("\(name).pem")
            let keyText = try text("\(name).key.pem")
            let pair = try signing { () throws(CryptoError) in
                (
                    try Certificate(pemOrDER: Array(certificateText.utf8)),
                    try PrivateKey(pem: keyText)
                )
            }
            guard
                pair.0.publicKey.subjectPublicKeyInfo == pair.1.publicKey.subjectPublicKeyInfo
            else { throw SigningError(.state, "\(name).key.pem is the key of another certificate") }
            return pair
        }
        let (root, rootKey) = try pair("root")
        func chain(_ name: String) throws(SigningError) -> SigningChain {
            let (leaf, key) = try pair(name)
            let (intermediate, intermediateKey) = try pair("\(name)-intermediate")
            guard leaf.issuerDER == intermediate.subjectDER,
                intermediate.issuerDER == root.subjectDER
            else { throw SigningError(.state, "\(name).pem does not end in root.pem") }
            return SigningChain(
                certificates: [leaf, intermediate, root], key: key,
                intermediateKey: intermediateKey)
        }
        self.init(
            root: root, rootKey: rootKey, receiptChain: try chain("receipt"),
            signedValueChain: try chain("signed-value"), legacyChain: try chain("legacy"))
    }

    /// Writes the files into a folder, which is made if it is not there; keys for the owner alone.
    public func save(to folder: String) throws(SigningError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch { throw SigningError(.file, "\(folder) cannot be made") }
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            let isWritten = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8),
                attributes: [.posixPermissions: name.hasSuffix(".key.pem") ? 0o600 : 0o644])
            guard isWritten else { throw SigningError(.file, "\(path) cannot be written") }
        }
    }

    /// Reads the files of a folder that `save(to:)` wrote.
    public init(folder: String) throws(SigningError) {
        var files: [String: String] = [:]
        for name in try Self.names(in: folder) where name.hasSuffix(".pem") {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                data.count <= 1 << 16
            else { throw SigningError(.file, "\(folder)/\(name) cannot be read") }
            files[name] = String(decoding: data, as: UTF8.self)
        }
        try self.init(files: files)
    }

    private static func names(in folder: String) throws(SigningError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw SigningError(.file, "\(folder) cannot be read")
        }
    }

    /// Reads the folder if a root is there, else makes an authority and writes it.
    public static func open(folder: String) throws(SigningError) -> SigningAuthority {
        if FileManager.default.fileExists(atPath: "\(folder)/root.pem") {
            return try SigningAuthority(folder: folder)
        }
        let authority = try make()
        try authority.save(to: folder)
        return authority
    }
}
