import AppStoreModel

extension FactSnapshot {
    /// Takes in a fact that was decided but not yet recorded, so that what follows builds on it.
    mutating func include(_ fact: Fact) {
        switch fact {
        case .orderOpened(let order): orders[order.id] = OrderFacts(order: order)
        case .orderEvent(let event): orders[event.orderID]?.events.append(event)
        case .transaction(let book, let transaction):
            books[book, default: BookFacts()].include(transaction)
        case .claimed(let book, let claim): books[book, default: BookFacts()].include(claim)
        case .observation(let book, let id, let observation):
            books[book, default: BookFacts()].observations[id, default: []].append(observation)
        case .signedAgain(let book, let id, let number, let time):
            let observations = books[book]?.observations[id] ?? []
            guard let place = observations.firstIndex(where: { $0.number == number }) else {
                return
            }
            books[book]?.observations[id]?[place].signedAt = time
        case .renewal(let book, let observation):
            books[book, default: BookFacts()]
                .renewals[observation.originalID, default: []].append(observation)
        case .renewalSignedAgain(let book, let id, let number, let time):
            guard let place = books[book]?.renewals[id]?.firstIndex(where: { $0.number == number })
            else { return }
            books[book]?.renewals[id]?[place].signedAt = time
        case .told(let book, let tale):
            books[book, default: BookFacts()].tales[tale.originalID] = tale
        case .notification(let book, let notification):
            books[book, default: BookFacts()].notifications[notification.id] = notification
        case .ownership(let book, let ownership):
            books[book, default: BookFacts()].include(ownership)
        case .share(let book, let share):
            books[book, default: BookFacts()].shares[share.originalID, default: []].append(share)
        case .merge(let merge): names.include(merge)
        case .grant(let book, let grant):
            books[book, default: BookFacts()].grants[grant.key] = grant
        case .grantChange(let book, let change):
            books[book, default: BookFacts()].changes[change.key, default: []].append(change)
        case .refusal(let book, let refusal):
            let shown = ShownRefusal(
                transactionID: refusal.transactionID, reason: refusal.reason)
            books[book, default: BookFacts()].refusals.insert(shown)
        case .walletEntry(let book, let entry):
            books[book, default: BookFacts()].include(entry)
        case .proof, .track, .answer, .movement, .promotion, .promotionEnded, .event, .task,
            .signal:
            break
        }
    }
}
