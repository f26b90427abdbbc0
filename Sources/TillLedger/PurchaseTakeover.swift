import AppStoreModel

extension PurchaseDecision {
    /// Who uploads, under the name that counts.
    var customer: CustomerID? { purchase.customer.map { snapshot.names.canonical($0) } }

    /// Whether the uploader has a transaction, under any name.
    func isUploaders(_ customer: CustomerID?) -> Bool {
        snapshot.names.isSame(customer, purchase.customer)
    }

    /// Whether an app's rules hand out what a book's environment signs.
    func isGranted(in book: Book, to customer: CustomerID?) -> Bool {
        purchase.catalog.apps[book.bundleID]?.grants(
            book.environment, to: customer, names: snapshot.names, at: purchase.now) ?? false
    }

    /// The order that a transaction paid, if the uploader may know it.
    func shownOrder(of transaction: RecordedTransaction) -> OrderID? {
        guard let id = transaction.orderID else { return nil }
        guard purchase.customer != nil, let order = snapshot.orders[id] else { return id }
        return isUploaders(order.order.customer) ? id : nil
    }

    /// Whether a customer may use what is another's.
    func isShared(_ original: TransactionID, in book: Book, with customer: CustomerID?) -> Bool {
        facts(of: book).shares[original]?.contains {
            snapshot.names.isSame($0.customer, customer)
        } ?? false
    }

    /// Lets the uploader use what another holds, where the app's rules and the purchase allow it.
    ///
    /// Nothing is handed out a second time: credits stay with the one who got them. Nil where it stays the
    /// other's alone.
    mutating func takeOver(
        _ transaction: RecordedTransaction, in book: Book, after outcome: TransactionOutcome
    ) -> TransactionOutcome? {
        guard let customer, let holder = transaction.holder,
            outcome == .granted || outcome == .alreadyGranted
        else { return nil }
        let known = purchaseFacts(transaction.grantKey, in: book)
        guard let grant = known.grant, let state = known.state, known.stands,
            grant.kind != .consumable, state.fields.productType != .consumable
        else { return nil }
        let policy = purchase.catalog.apps[book.bundleID]?.owners ?? .refuse
        let original = transaction.originalID
        if state.fields.ownership == .familyShared {
            if isShared(original, in: book, with: customer) { return .alreadyGranted }
            if policy.contains(.share), share(original, in: book, with: customer) {
                return .granted
            }
        }
        // Nobody loses what belonged to one who was erased.
        guard purchase.isRestore, policy.contains(.transfer) || snapshot.names.isErased(holder)
        else { return nil }
        let number = max(1, (facts(of: book).owners[original]?.number ?? 0) + 1)
        let ownership = Ownership(
            originalID: original, number: number, customer: customer, binding: .transfer,
            since: purchase.now)
        record(.ownership(book, ownership))
        for event in ownership.drafts(from: holder, of: transaction, in: book)
        where !snapshot.names.isErased(event.customer) {
            record(event: event)
        }
        note(.transfer, of: customer, "\(book.environment) \(original) \(number)")
        return .granted
    }

    /// Shares an original; false when it has as many users as a family can have.
    private mutating func share(
        _ original: TransactionID, in book: Book, with customer: CustomerID
    ) -> Bool {
        let shares = facts(of: book).shares[original] ?? []
        guard shares.count < Share.most else { return false }
        let share = Share(
            originalID: original, number: (shares.map(\.number).max() ?? 0) + 1,
            customer: customer, since: purchase.now)
        record(.share(book, share))
        return true
    }

    // MARK: Signals

    /// Notes what an honest customer seldom does.
    mutating func note(_ kind: SignalKind, of customer: CustomerID, _ subject: String) {
        record(
            .signal(
                Signal(kind: kind, customer: customer, subject: subject, at: purchase.now)))
    }

    /// Notes what a refusal tells of the one who was refused, and of the owner.
    mutating func noteRefusal(
        _ reason: RefusalReason, of transaction: RecordedTransaction, in book: Book
    ) {
        guard let uploader = customer else { return }
        let subject = "\(book.environment) \(transaction.id)"
        switch reason {
        case .environmentNotAdmitted: note(.otherEnvironment, of: uploader, subject)
        case .belongsToAnother:
            let isByToken = transaction.binding == .orderToken
            note(isByToken ? .anothersOrder : .anothersPurchase, of: uploader, subject)
            if let holder = transaction.holder, !snapshot.names.isErased(holder) {
                note(.sharedProof, of: snapshot.names.canonical(holder), subject)
            }
        case .bundleMismatch, .appUnknown, .proofIncomplete, .revoked, .productUnknown: break
        }
    }

    /// Notes what is strange about a transaction that was not known.
    mutating func noteNew(_ item: PurchaseItem) {
        guard let uploader = customer else { return }
        let subject = "\(item.book.environment) \(item.id)"
        let latest = purchase.now.advanced(byMilliseconds: Self.clockTolerance)
        let latestPeriod = purchase.now.advanced(byMilliseconds: Self.renewalLead)
        if item.purchaseDate > latestPeriod
            || item.facts.contains(where: { $0.signedAt > latest })
        {
            note(.futureDate, of: uploader, subject)
        }
        guard let group = item.introductoryGroup,
            let uses = book(item).introductoryUses[group],
            uses.contains(where: { $0 != item.originalID })
        else { return }
        note(.secondTrial, of: uploader, "\(item.book.environment) \(group)")
    }

    /// How far Apple's clock may be ahead of the server's, in milliseconds.
    static let clockTolerance: Int64 = 3_600_000
    /// How early Apple may charge for a period that is still to begin, in milliseconds: a day, and a day more.
    static let renewalLead: Int64 = 2 * 86_400_000
}

extension PurchaseItem {
    /// The subscription group whose introductory offer it was bought with.
    var introductoryGroup: SubscriptionGroupID? {
        facts.lazy.filter { $0.fields.offerType == .introductory }
            .compactMap(\.fields.subscriptionGroupID).first
    }
}
