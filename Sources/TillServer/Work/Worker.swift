import Synchronization

/// Does what waits in the ledger: tasks, and events on their way to endpoints.
///
/// Any number of workers in any number of processes share one ledger. Each source of work, the tasks and every
/// endpoint by itself, has places of its own, so that none waits behind another that is slow. Time and sleep
/// come from outside.
public final class Worker: Sendable {
    /// How much it does at once, and how often it looks.
    public struct Options: Sendable, Hashable {
        /// Tasks at once.
        public var parallelTasks = 4
        /// Deliveries at once to one endpoint.
        public var parallelDeliveries = 8
        /// How long it waits between two looks when there was nothing to do, in milliseconds.
        public var pause: Int64 = 1_000
        /// How long it holds a task, in milliseconds.
        public var taskLease: Int64 = 300_000
        /// How long it holds a delivery, in milliseconds; well over the time limit of one.
        public var deliveryLease: Int64 = 60_000
        /// How long what is under way may take to end when the worker stops, in milliseconds.
        public var grace: Int64 = 5_000

        /// The options that serve well.
        public init() {}
    }

    /// One piece of work, held; does it and settles it.
    typealias Job = @Sendable () async -> Void

    /// Where work comes from.
    struct Source: Sendable {
        /// Pieces at once.
        let places: Int
        /// Holds up to so many pieces that are due.
        let claim: @Sendable (Int) async -> [Job]
    }

    private struct State {
        var loops: [Task<Void, Never>] = []
        var isStopping = false
    }

    private let sources: [Source]
    private let prepare: @Sendable () async -> Void
    private let options: Options
    private let sleep: @Sendable (Int64) async -> Void
    private let bell = Bell()
    private let state = Mutex(State())

    /// Makes a worker of sources.
    ///
    /// - Parameters:
    ///   - sources: Where work comes from.
    ///   - options: How much it does at once.
    ///   - prepare: What is done once, before the first look.
    ///   - sleep: Waits so many milliseconds, less when its task is cancelled.
    init(
        sources: [Source], options: Options, prepare: @escaping @Sendable () async -> Void,
        sleep: @escaping @Sendable (Int64) async -> Void
    ) {
        self.sources = sources
        self.options = options
        self.prepare = prepare
        self.sleep = sleep
    }

    // MARK: Running

    /// Works until it is stopped.
    public func start() {
        state.withLock { state in
            guard state.loops.isEmpty, !state.isStopping else { return }
            state.loops.append(Task { await prepare() })
            for source in sources { state.loops.append(Task { await serve(source) }) }
        }
    }

    /// Takes nothing new, lets what is under way end, and cuts it off when it takes too long.
    public func stop() async {
        let loops = state.withLock { state in
            state.isStopping = true
            defer { state.loops = [] }
            return state.loops
        }
        bell.close()
        let patience = Task {
            await sleep(options.grace)
            for loop in loops where !Task.isCancelled { loop.cancel() }
        }
        for loop in loops { await loop.value }
        patience.cancel()
    }

    /// Has the worker look at once, since there is something to do.
    public func nudge() { bell.ring() }

    /// Does what is due now, once, and comes back when it is done; for tests and tools.
    ///
    /// - Returns: How many pieces of work it did.
    @discardableResult public func runOnce() async -> Int {
        await withTaskGroup(of: Void.self) { group in
            var count = 0
            for source in sources {
                for job in await source.claim(source.places) {
                    count += 1
                    group.addTask(operation: job)
                }
            }
            return count
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Keeps a source's places filled.
    private func serve(_ source: Source) async {
        enum Ended { case job, pause }
        await withTaskGroup(of: Ended.self) { group in
            var running = 0
            var isPausing = false
            while !isStopping {
                if running < source.places {
                    let jobs = await source.claim(source.places - running)
                    running += jobs.count
                    for job in jobs {
                        group.addTask {
                            await job()
                            return .job
                        }
                    }
                }
                if !isPausing {
                    isPausing = true
                    group.addTask {
                        await self.pauseOrBell()
                        return .pause
                    }
                }
                switch await group.next() {
                case .job: running -= 1
                case .pause, nil: isPausing = false
                }
            }
        }
    }

    private func pauseOrBell() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.sleep(self.options.pause) }
            group.addTask { await self.bell.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
