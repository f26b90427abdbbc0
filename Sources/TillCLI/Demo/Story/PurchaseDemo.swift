#if os(Linux)
    import Foundation

    extension TillCommand {
        static let demoPhone = Command(
            syntax: CommandSyntax(
                name: "demo phone", summary: "the app of the demonstration, on one phone",
                isHidden: true)
        ) { _ in await PhoneApp.run() }
    }

    /// `till demo`: the SDK, the server and the store, as processes of their own.
    enum PurchaseDemo {
        static func run(stage: Stage, stays: Bool) async throws -> Int32 {
            // A phone that is killed must not take the story with it.
            signal(SIGPIPE, SIG_IGN)
            let home = try DemoCommand.makeHome()
            stage.line("Till: purchases through all three parts, told as they happen", .bold)
            stage.line("")
            let world = try await DemoWorld.begin(home: home)
            stage.line("App Store  till store, process \(world.store.pid)   \(world.storeURL)")
            stage.line("Server     till serve, process \(world.server.pid)   \(world.serverURL)")
            stage.line("App        the SDK over StoreKit, a process for every launch")
            stage.line("Kept in    \(home)")
            do {
                var story = PurchaseStory(world: world, stage: stage)
                let (phone, faults) = try await story.tell()
                close(home: home, faults: faults, stage: stage)
                if stays { try await stay(world, phone, stage) }
                await phone.kill()
                await world.end()
                return faults.isEmpty ? 0 : 1
            } catch {
                await world.end()
                throw error
            }
        }

        private static func close(home: String, faults: [String], stage: Stage) {
            stage.line("")
            if faults.isEmpty {
                stage.line("Everything ended as told.", .good)
            } else {
                for fault in faults { stage.line("It did not end as told: \(fault)", .bad) }
            }
            stage.line("")
            stage.line("   sqlite3 \(home)/till.db \\")
            stage.line("     \"SELECT customer_id, product_id, credits, entitlements FROM grants\"")
            stage.line("   till demo --stay    # the same, and then a page to refund things on")
        }

        /// Goes on until somebody has seen enough.
        private static func stay(
            _ world: DemoWorld, _ phone: DemoPhone, _ stage: Stage
        ) async throws {
            stage.heading(8, "Go on by hand")
            stage.line(
                "   Open \(world.storeURL)/ and refund Alice's 600 coins, say: her app runs,")
            stage.line("   and this tells what it says. Control-C ends it.")
            let signals = await StopSignals()
            let listening = Task {
                while let message = try await phone.nextMessage() {
                    stage.line("   \(phone.name): \(message)", .known)
                }
            }
            _ = await signals.next()
            listening.cancel()
        }
    }
#endif
