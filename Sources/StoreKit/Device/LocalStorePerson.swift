/// What the person in front of the device does on the sheets that the App Store would show.
///
/// This is not Apple's but Linux's alone: there is no screen here, so the sheets are answered by a closure.
/// ``usual`` pays and signs in, and closes what asks for a decision.
public struct LocalStorePerson: Sendable {
    /// A sheet of the App Store's.
    public enum Sheet: Sendable, Hashable {
        /// Asks for money for a product.
        case payment(productID: String)
        /// Asks for the Apple account's password, before a restore, a receipt refresh or `AppStore.sync()`.
        case signIn
        /// Asks why the money for a transaction shall come back.
        case refund(transactionID: UInt64)
        /// Shows the subscriptions, of one group or all.
        case subscriptions(groupID: String?)
        /// Asks for an offer code.
        case offerCode
        /// Asks whether a subscription may cost more.
        case priceIncrease(productID: String)
        /// Tells of anything else.
        case message(Message.Reason)
    }

    /// What the person does.
    public enum Answer: Sendable, Hashable {
        /// Pays, signs in, asks for the refund, agrees to the price, turns renewal on.
        case agrees
        /// Refuses the price, turns renewal off; closes every other sheet.
        case refuses
        /// Closes the sheet.
        case closes
        /// Enters the offer code, the reason of the refund, the product to change to.
        case enters(String)
        /// Changes to the App Store of a country (three letters) while paying, and then pays.
        case moves(toStorefront: String)
    }

    /// Answers a sheet; it is asked on no thread in particular.
    public var answer: @Sendable (Sheet) async -> Answer

    /// Makes a person who answers as the closure says.
    public init(answer: @escaping @Sendable (Sheet) async -> Answer) { self.answer = answer }

    /// Pays, signs in and asks for refunds; closes the other sheets.
    public static let usual = LocalStorePerson { sheet in
        switch sheet {
        case .payment, .signIn, .refund: .agrees
        case .subscriptions, .offerCode, .priceIncrease, .message: .closes
        }
    }
}
