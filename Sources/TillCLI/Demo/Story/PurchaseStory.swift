#if os(Linux)
    import AppStoreModel
    import Foundation
    import StoreWire
    import TillAPI
    import TillLedger

    /// The demonstration as it happens: every step asks server or store whether it ended as told.
    struct PurchaseStory {
        private let world: DemoWorld
        private let stage: Stage
        /// The steps that did not end as told; none, it is hoped.
        private var faults: [String] = []

        init(world: DemoWorld, stage: Stage) {
            self.world = world
            self.stage = stage
        }

        /// Plays all of it; returns Alice's phone, which still runs, and what went wrong.
        mutating func tell() async throws -> (phone: DemoPhone, faults: [String]) {
            try await makeAccounts()
            let phone = world.phone("alices-phone", of: "alice", account: "alice")
            try await buy(phone)
            try await askToBuy()
            try await crash(phone)
            try await newPhone()
            try await stranger()
            try await refund(phone)
            try await audit()
            return (phone, faults)
        }

        private func makeAccounts() async throws {
            for (name, asks) in [("alice", false), ("ben", true)] {
                let request = AccountRequest(accountID: AccountID(name), asksToBuy: asks)
                _ = try await world.hand.call(.makeAccount, body: request, as: AccountInfo.self)
            }
        }

        // MARK: Chapters

        private mutating func buy(_ phone: DemoPhone) async throws {
            stage.heading(1, "Alice buys 600 coins, and the app for ever")
            _ = try await open(phone)
            let coins = try await ask(phone, .buy, DemoWorld.coins)
            check(
                "the SDK says granted, and 600 coins",
                coins?.word == "granted" && coins?.coins == 600, coins)
            let forever = try await ask(phone, .buy, DemoWorld.lifetime)
            check(
                "the SDK says granted, and \"forever\" is open",
                forever?.word == "granted" && forever?.entitlements == ["forever"], forever)
            try await checkCustomer("alice", coins: 600, entitlements: ["forever"])
            try await checkOrder(coins, of: "alice")
            try await checkFinished(DemoWorld.coins, of: "alice", count: 1)
        }

        private mutating func askToBuy() async throws {
            stage.heading(2, "Ben is a child: his parents have to approve")
            let phone = world.phone("bens-phone", of: "ben", account: "ben")
            _ = try await open(phone)
            let asked = try await ask(phone, .buy, DemoWorld.fewCoins)
            check("the SDK says pending", asked?.word == "pending", asked)
            try await checkCustomer("ben", coins: 0, entitlements: [])
            act("Ben closes the app. Later his parents approve, on the store's side.")
            await phone.kill()
            let waiting = try await world.hand.call(.waiting, as: WaitingPurchasesResponse.self)
            guard let item = waiting.value.purchases.first else {
                return check("a purchase waits for approval", false, nil)
            }
            _ = try await world.hand.call(
                .decide, ["item": item.itemID], body: WaitingDecision(decision: .approve),
                as: ControlBuyResponse.self)
            act("Ben opens the app; nobody asks it for anything.")
            _ = try await open(phone)
            try await checkCustomer("ben", coins: 100, entitlements: [])
            try await checkFinished(DemoWorld.fewCoins, of: "ben", count: 1)
            await phone.kill()
        }

        private mutating func crash(_ phone: DemoPhone) async throws {
            stage.heading(3, "Alice pays again, and her app is killed before the server knows")
            guard let app = await phone.process else { return check("the app runs", false, nil) }
            world.network.onNext(APIWire.purchases) { app.kill() }
            let died = try await ask(phone, .buy, DemoWorld.coins)
            check("process \(app.pid) was killed while it handed in the payment", died == nil, died)
            let sales = try await world.sales(of: DemoWorld.coins, to: "alice")
            check(
                "the store has been paid, and still waits for the app to let go",
                sales.count == 2 && sales.count { !$0.transaction.isFinished } == 1, nil)
            try await checkCustomer("alice", coins: 600, entitlements: ["forever"])
            act("Alice opens the app again. She does nothing.")
            let opened = try await open(phone)
            check("the SDK has delivered by itself: 1200 coins", opened.coins == 1_200, opened)
            try await checkCustomer("alice", coins: 1_200, entitlements: ["forever"])
            try await checkFinished(DemoWorld.coins, of: "alice", count: 2)
        }

        private mutating func newPhone() async throws {
            stage.heading(4, "Alice has a second phone, an old one with StoreKit 1 alone")
            let phone = world.phone(
                "alices-old-phone", of: "alice", account: "alice", isOld: true)
            _ = try await open(phone)
            let restored = try await ask(phone, .restore)
            check(
                "the SDK says restored, and \"forever\" is open here too",
                restored?.word == "restored" && restored?.entitlements == ["forever"], restored)
            try await checkCustomer("alice", coins: 1_200, entitlements: ["forever"])
            await phone.kill()
        }

        private mutating func stranger() async throws {
            stage.heading(5, "Mallory shows Alice's purchases as his own")
            let phone = world.phone("mallorys-phone", of: "mallory", account: "alice")
            _ = try await open(phone)
            act("He has signed in with Alice's Apple account, and taps on restore.")
            let restored = try await ask(phone, .restore)
            check(
                "the SDK says refused: belongsToAnother",
                restored?.word == "refused"
                    && restored?.detail == RefusalReason.belongsToAnother.rawValue, restored)
            await phone.kill()
            act("He sends the signed transactions to the server without any app, ten times.")
            let proofs = try await world.sales(of: DemoWorld.coins, to: "alice").map(
                \.transaction.signedTransactionInfo)
            var taken = 0
            guard let mallory = CustomerID(rawValue: "mallory") else { return }
            for _ in 0..<10 {
                let request = PurchaseRequest(signedTransactions: proofs)
                guard
                    case .value(let answer) = try await world.backend.purchase(request, by: mallory)
                else { continue }
                taken += answer.results.count { $0.outcome != .refused }
            }
            check("the server refused each of them", taken == 0 && proofs.count == 2, nil)
            try await checkCustomer("mallory", coins: 0, entitlements: [])
            try await checkCustomer("alice", coins: 1_200, entitlements: ["forever"])
        }

        private mutating func refund(_ phone: DemoPhone) async throws {
            stage.heading(6, "Apple gives Alice her money back for 600 coins, and for \"forever\"")
            for product in [DemoWorld.coins, DemoWorld.lifetime] {
                guard let sale = try await world.sales(of: product, to: "alice").first else {
                    return check("the sale is there", false, nil)
                }
                _ = try await world.hand.call(
                    .actOnTransaction, ["transaction": sale.transaction.transactionID.rawValue],
                    body: TransactionAction(action: .refund, reason: 1), as: TransactionRecord.self)
            }
            act("Her app hears of it from StoreKit and reports it; nobody taps on anything.")
            try await checkCustomer("alice", coins: 600, entitlements: [])
            let state = try await ask(phone, .state)
            check(
                "the SDK says 600 coins, and nothing is open",
                state?.coins == 600 && state?.entitlements == [], state)
        }

        private mutating func audit() async throws {
            stage.heading(7, "What is left")
            var open = 0
            for account in ["alice", "ben"] {
                open += try await world.hand.call(
                    .transactions, query: [("account", account)], as: TransactionsPage.self
                ).value.transactions.count { !$0.transaction.isFinished }
            }
            check("no transaction waits in the store", open == 0, nil)
            let journals = ["alices-phone", "bens-phone", "alices-old-phone"].flatMap { phone in
                let names = try? FileManager.default.contentsOfDirectory(
                    atPath: "\(world.home)/\(phone)/till")
                return (names ?? []).filter { $0.hasPrefix("order-") }
            }
            check("no order is open on any phone", journals.isEmpty, nil)
        }

        // MARK: What is said

        private func open(_ phone: DemoPhone) async throws -> PhoneOutcome {
            let outcome = try await phone.open()
            let pid = await phone.process.map { "process \($0.pid)" } ?? ""
            stage.line("   \(phone.name): the app is launched, \(pid)", .faint)
            return outcome
        }

        private func ask(
            _ phone: DemoPhone, _ verb: PhoneCommand.Verb,
            _ product: AppStoreModel.ProductID? = nil
        ) async throws -> PhoneOutcome? {
            let (heard, outcome) = try await phone.ask(
                PhoneCommand(verb: verb, product: product?.rawValue))
            let what = product.map { "\(verb.rawValue)(\"\($0)\")" } ?? "\(verb.rawValue)()"
            if verb != .state { stage.line("   \(phone.name): \(what)", .faint) }
            for line in Self.wrapped(heard) { stage.line("      \(line)", .faint) }
            return outcome
        }

        /// The messages of a progress display, one after the other in lines of a page's width.
        private static func wrapped(_ messages: [String]) -> [String] {
            messages.reduce(into: []) { lines, message in
                if let last = lines.last, last.count + message.count < 84 {
                    lines[lines.count - 1] = last + "  " + message
                } else {
                    lines.append(message)
                }
            }
        }

        private func act(_ text: String) { stage.line("   \(text)") }

        // MARK: What is checked

        private mutating func check(_ text: String, _ holds: Bool, _ found: PhoneOutcome?) {
            stage.line("   \(holds ? "✓" : "✗") \(text)", holds ? .good : .bad)
            guard !holds else { return }
            faults.append(text)
            if let found { stage.line("     but: \(found)", .bad) }
        }

        /// Asks the server for a customer until it has what is told, for twenty seconds.
        private mutating func checkCustomer(
            _ name: String, coins: Int64, entitlements: [String]
        ) async throws {
            var document: CustomerDocument?
            var holds = false
            for _ in 0..<200 where !holds {
                document = try await world.customer(name)
                let open = document?.entitlements.filter(\.isActive).map(\.entitlement) ?? []
                holds = document?.balances["coins"] ?? 0 == coins && open == entitlements
                if !holds { try await Task.sleep(for: .milliseconds(100)) }
            }
            let goods = ["\(coins) coins"] + entitlements.map { "\"\($0)\"" }
            check("the server says: \(name) has \(goods.joined(separator: " and "))", holds, nil)
            if !holds { stage.line("     but: \(String(describing: document?.balances))", .bad) }
        }

        private mutating func checkOrder(_ outcome: PhoneOutcome?, of name: String) async throws {
            guard let id = outcome?.orderID.flatMap({ UUID(uuidString: $0) }),
                let customer = CustomerID(rawValue: name),
                case .value(let order) = try await world.backend.order(id, by: customer)
            else { return check("the server knows the order", false, outcome) }
            let short = id.uuidString.lowercased().prefix(8)
            check(
                "the server says: order \(short)… is fulfilled, paid by "
                    + "\(order.transactionID?.rawValue ?? "nothing")",
                order.status == .fulfilled
                    && order.transactionID?.rawValue == outcome?.transactionID, outcome)
        }

        /// Asks the store until it has heard that the app let go, for ten seconds.
        private mutating func checkFinished(
            _ product: AppStoreModel.ProductID, of account: String, count: Int
        ) async throws {
            var holds = false
            for _ in 0..<100 where !holds {
                let sales = try await world.sales(of: product, to: account)
                holds = sales.count == count && sales.allSatisfy(\.transaction.isFinished)
                if !holds { try await Task.sleep(for: .milliseconds(100)) }
            }
            let what = count == 1 ? "its transaction is" : "all \(count) transactions are"
            check("the store says: \(what) finished, since the server said so", holds, nil)
        }
    }
#endif
