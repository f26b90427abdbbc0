#if os(Linux)
    import AppStoreModel
    import Foundation
    import Till

    /// The app on a phone: a process of its own that stands on the SDK as any app does.
    ///
    /// `TILL_STORE_URL` and `TILL_STORE_DEVICE` say where its App Store is and which phone it plays.
    enum PhoneApp {
        static func run() async -> Int32 {
            let commands = lines()
            var till: Till?
            for await line in commands {
                guard
                    let command = try? JSONDecoder().decode(
                        PhoneCommand.self, from: Data(line.utf8))
                else { return ExitCode.usage }
                if command.verb == .launch {
                    till = await launch(command)
                }
                guard let till else { return ExitCode.usage }
                let outcome = await outcome(of: command, till)
                say(PhoneLine(outcome: outcome))
            }
            return 0
        }

        private static func launch(_ command: PhoneCommand) async -> Till? {
            guard let server = command.server, let token = command.token else { return nil }
            var configuration = TillConfiguration(server: server)
            configuration.bundleID = "com.example.app"
            configuration.folder = command.folder
            configuration.language = .english
            configuration.storeKit = command.isOld == true ? .original : .automatic
            configuration.onEvent = { event in
                guard !event.isQuiet || event.kind == .revoked else { return }
                say(PhoneLine(message: event.message))
            }
            let till = Till(configuration)
            await till.start()
            try? await till.login(customerToken: token)
            await till.recover()
            return till
        }

        private static func outcome(of command: PhoneCommand, _ till: Till) async -> PhoneOutcome {
            var outcome: PhoneOutcome
            switch command.verb {
            case .launch, .state: outcome = PhoneOutcome(word: "ready")
            case .buy:
                outcome = PhoneOutcome(await till.buy(ProductID(command.product ?? "")))
            case .restore: outcome = PhoneOutcome(await till.restore())
            }
            if command.verb == .state { await till.refresh() }
            outcome.entitlements = await till.entitlements().active.sorted()
            outcome.coins = await till.balance(of: "coins")
            return outcome
        }

        private static func say(_ line: PhoneLine) {
            guard let bytes = try? JSONEncoder().encode(line) else { return }
            FileHandle.standardOutput.write(bytes + Data("\n".utf8))
        }

        private static func lines() -> AsyncStream<String> {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            return stream
        }
    }

    extension PhoneOutcome {
        init(_ outcome: PurchaseOutcome) {
            switch outcome {
            case .granted(let delivery):
                self.init("granted", delivery)
            case .alreadyGranted(let delivery):
                self.init("alreadyGranted", delivery)
            case .pending: self.init(word: "pending")
            case .cancelled: self.init(word: "cancelled")
            case .refused(let refusal): self.init(word: "refused", detail: refusal.reason)
            case .failed(let failure):
                self.init(
                    word: "failed", detail: "\(failure.code.rawValue), \(failure.next.rawValue)")
            }
        }

        private init(_ word: String, _ delivery: Delivery) {
            self.init(
                word: word, orderID: delivery.orderID?.uuidString.lowercased(),
                transactionID: delivery.transactionID.rawValue)
        }

        init(_ outcome: RestoreOutcome) {
            switch outcome {
            case .restored: self.init(word: "restored")
            case .nothingToRestore: self.init(word: "nothingToRestore")
            case .expired: self.init(word: "expired")
            case .cancelled: self.init(word: "cancelled")
            case .refused(let refusal): self.init(word: "refused", detail: refusal.reason)
            case .failed(let failure):
                self.init(word: "failed", detail: failure.code.rawValue)
            }
        }
    }
#endif
