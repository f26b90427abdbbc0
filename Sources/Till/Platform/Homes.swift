/// The two homes of this platform's secrets.
enum Homes {
    static func system(service: String, folder: String) -> TwoHomes {
        #if os(Linux)
            TwoHomes(
                first: FileSecrets(folder: "\(folder)/secrets"),
                second: FileSecrets(folder: "\(folder)/defaults"))
        #else
            TwoHomes(
                first: KeychainSecrets(service: service), second: DefaultsSecrets(prefix: service))
        #endif
    }
}
