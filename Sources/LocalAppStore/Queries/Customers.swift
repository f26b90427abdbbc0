import AppStoreModel

/// A refusal in the codes of Apple's Server API.
struct AppleErrorCode: Error, Hashable, Sendable {
    let code: ServerErrorCode

    init(code: Int64) { self.code = ServerErrorCode(rawValue: code) }

    static let invalidRevision = AppleErrorCode(code: 4_000_005)
    static let invalidTransactionID = AppleErrorCode(code: 4_000_006)
    static let invalidPaginationToken = AppleErrorCode(code: 4_000_014)
    static let paginationTokenExpired = AppleErrorCode(code: 4_000_017)
    static let familyTransaction = AppleErrorCode(code: 4_000_185)
    static let notOriginal = AppleErrorCode(code: 4_000_187)
    static let noNotificationURL = AppleErrorCode(code: 4_040_007)
    static let testNotFound = AppleErrorCode(code: 4_040_008)
    static let originalNotFound = AppleErrorCode(code: 4_040_005)
    static let statusRequestNotFound = AppleErrorCode(code: 4_040_009)
    static let transactionNotFound = AppleErrorCode(code: 4_040_010)
    static let noAppTransaction = AppleErrorCode(code: 4_040_019)
    static let internalFault = AppleErrorCode(code: 5_000_000)
}

extension StoreState {
    /// A transaction of an environment by any of its names.
    func transaction(_ id: TransactionID, in environment: AppStoreEnvironment) -> StoreTransaction?
    {
        transaction(id).flatMap { $0.environment == environment ? $0 : nil }
    }

    /// The customer whom any transaction, original transaction or app transaction belongs to.
    func customer(_ id: String, in environment: AppStoreEnvironment) -> Account? {
        if let row = transaction(TransactionID(id), in: environment) {
            return accounts[row.account]
        }
        return accounts.rows.first { $0.appTransactionID == id && $0.environment == environment }
    }

    func history(of account: Account) -> [StoreTransaction] {
        account.transactions.compactMap { transactions[$0] }
    }
}

/// What Get Transaction History asks for.
struct HistoryQuery: Sendable, Hashable {
    var revision: String?
    var startDate: Timestamp?
    var endDate: Timestamp?
    var productIDs: [ProductID] = []
    var productTypes: [ProductType] = []
    var groups: [SubscriptionGroupID] = []
    var ownership: OwnershipType?
    var revoked: Bool?
    var isDescending = false
    /// The first version of the endpoint leaves finished consumables out.
    var withFinishedConsumables = true

    static let pageSize = 20

    func wants(_ row: StoreTransaction) -> Bool {
        if let startDate, row.purchaseDate < startDate { return false }
        if let endDate, row.purchaseDate >= endDate { return false }
        if !productIDs.isEmpty, !productIDs.contains(row.productID) { return false }
        if !productTypes.isEmpty, !productTypes.contains(row.type) { return false }
        if !groups.isEmpty, !(row.groupID.map(groups.contains) ?? false) { return false }
        if let ownership, (ownership == .familyShared) != row.isFamilyShared { return false }
        if let revoked, revoked != (row.revocation != nil) { return false }
        return withFinishedConsumables || !row.isUsedUp
    }

    /// A number for the filters: a revision goes on only under the filters that it came from.
    var fingerprint: UInt64 {
        PageMark.fingerprint(of: [
            startDate.map { "\($0.milliseconds)" } ?? "",
            endDate.map { "\($0.milliseconds)" } ?? "",
            productIDs.map(\.rawValue).sorted().joined(separator: ","),
            productTypes.map(\.rawValue).sorted().joined(separator: ","),
            groups.map(\.rawValue).sorted().joined(separator: ","), ownership?.rawValue ?? "",
            revoked.map { "\($0)" } ?? "", "\(isDescending)", "\(withFinishedConsumables)",
        ])
    }
}

/// A place in a list, as an opaque text.
struct PageMark: Hashable {
    let position: Int64
    let fingerprint: UInt64
    /// When it was made, where it ends some time.
    var made: Timestamp?

    var text: String {
        let made = made.map { "_\(String($0.milliseconds, radix: 36))" } ?? ""
        return "1_\(position)_\(String(fingerprint, radix: 36))\(made)"
    }

    init(position: Int64, fingerprint: UInt64, made: Timestamp? = nil) {
        self.position = position
        self.fingerprint = fingerprint
        self.made = made
    }

    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), parts[0] == "1", let position = Int64(parts[1]),
            let fingerprint = UInt64(parts[2], radix: 36)
        else { return nil }
        self.init(position: position, fingerprint: fingerprint)
        guard parts.count == 4 else { return }
        guard let milliseconds = Int64(parts[3], radix: 36) else { return nil }
        made = Timestamp(milliseconds: milliseconds)
    }

    /// A number for filters: FNV-1a with 64 bits.
    static func fingerprint(of words: [String]) -> UInt64 {
        words.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
    }
}
