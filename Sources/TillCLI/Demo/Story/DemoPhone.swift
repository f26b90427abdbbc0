#if os(Linux)
    import Foundation

    /// A phone: what it keeps outlives the process of its app.
    actor DemoPhone {
        nonisolated let name: String
        private let environment: [String: String]
        private let launch: PhoneCommand
        private let complaints: String
        private var app: ChildProcess?

        init(
            name: String, environment: [String: String], launch: PhoneCommand, complaints: String
        ) {
            self.name = name
            self.environment = environment
            self.launch = launch
            self.complaints = complaints
        }

        deinit { app?.kill() }

        /// The process of the app, while it runs.
        var process: ChildProcess? { app }

        /// Launches the app, or launches it again.
        func open() async throws -> PhoneOutcome {
            kill()
            app = try ChildProcess(
                ["demo", "phone"], environment: environment, complaints: complaints)
            guard let outcome = try await ask(launch).outcome else {
                throw ChildProcessError(
                    description: "the app on \(name) did not start; see \(complaints)")
            }
            return outcome
        }

        /// Has the app do something, and tells what it said; no outcome when it died while it did.
        func ask(
            _ command: PhoneCommand
        ) async throws -> (messages: [String], outcome: PhoneOutcome?) {
            var messages: [String] = []
            guard let app else { return (messages, nil) }
            app.write(String(decoding: try JSONEncoder().encode(command), as: UTF8.self))
            while let text = await app.nextLine() {
                let line = try JSONDecoder().decode(PhoneLine.self, from: Data(text.utf8))
                if let message = line.message { messages.append(message) }
                if let outcome = line.outcome { return (messages, outcome) }
            }
            self.app = nil
            return (messages, nil)
        }

        /// The next message that nobody asked for; `nil` when the app has ended.
        func nextMessage() async throws -> String? {
            guard let text = await app?.nextLine() else { return nil }
            return try JSONDecoder().decode(PhoneLine.self, from: Data(text.utf8)).message
        }

        /// Kills the app as the system or a crash does.
        func kill() {
            app?.kill()
            app = nil
        }
    }
#endif
