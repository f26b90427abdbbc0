import AppStoreSigning
import CryptoPrimitives
import Foundation
import LocalAppStore

extension TillCommand {
    static let storeRoot = Command(
        syntax: CommandSyntax(
            name: "store root",
            summary: "print the fingerprint of a store's root, write its certificate",
            options: [
                .value("--state", "DIR", "the store's folder; the usual one when left out"),
                .value("--der", "FILE", "write the certificate there, in DER"),
                .value("--pem", "FILE", "write the certificate there, in PEM"),
            ],
            notes: """
                Makes the keys if the folder has none yet. A server that shall believe the store names
                the certificate as a trusted root; see docs/store.md.
                Exit codes: 0 done, 64 usage, 74 a file cannot be read or written.
                """)
    ) { words in
        let folder = words.value("--state") ?? StoreFolder.usual
        let authority: SigningAuthority
        do {
            authority = try SigningAuthority.open(folder: StoreFolder.keys(in: folder))
        } catch {
            Terminal.complain("till store root: \(error)")
            return 74
        }
        for (option, bytes) in [
            ("--der", authority.root.der), ("--pem", Array(authority.rootPEM.utf8)),
        ] {
            guard let path = words.value(option) else { continue }
            do {
                try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                Terminal.complain("till store root: cannot write \(path)")
                return 74
            }
        }
        Terminal.print(authority.rootFingerprint)
        return 0
    }
}
