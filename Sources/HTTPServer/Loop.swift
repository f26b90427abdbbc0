import Dispatch
import HTTPMessage
import Synchronization

/// One thread that serves its connections and runs their handlers.
///
/// It is a task executor, so a handler that waits for nothing costs no change of threads. A handler that
/// blocks stops every connection of the loop: what blocks belongs on a thread of its own.
///
/// `@unchecked Sendable`: everything but `mail` is touched by `run()` alone, which one thread calls once.
final class Loop: TaskExecutor, @unchecked Sendable {
    private struct Mailbox {
        var jobs: [UnownedJob] = []
        var letters: [LoopMail] = []
        var sleeps = false
        var hasEnded = false
    }

    /// Ids below are the wake pipe's and the listening descriptors'.
    private static let firstConnectionID: UInt64 = 1_024

    let shared: ListenerState
    private let mail = Mutex(Mailbox())
    private let wakeFiles: (reading: Int32, writing: Int32)
    private let onStopped: @Sendable () -> Void

    var poller: Poller
    var connections: [UInt64: Connection] = [:]
    var scratch = [UInt8](repeating: 0, count: 64 << 10)
    var date = DateField()
    /// Milliseconds of the steady clock, read once a turn.
    var now = SteadyClock.microseconds / 1_000
    /// No deadline is before it.
    var nextSweep = Int.max
    /// Handlers and streams that have not ended.
    var tasks = 0
    var stopDeadline: Int?

    private var listening: [Int32]
    private var peers: [Loop] = []
    private var nextPeer = 0
    private var nextID = Loop.firstConnectionID
    private var acceptsAgainAt: Int?

    /// Makes a loop, one of whose kind also accepts: that with descriptors; `nil` when the system has none left.
    init?(
        _ shared: ListenerState, listening: [Int32] = [], onStopped: @escaping @Sendable () -> Void
    ) {
        guard let wakeFiles = Socket.wakePair() else { return nil }
        guard let poller = Poller() else {
            Socket.close(wakeFiles.reading)
            Socket.close(wakeFiles.writing)
            return nil
        }
        self.shared = shared
        self.listening = listening
        self.wakeFiles = wakeFiles
        self.onStopped = onStopped
        self.poller = poller
        _ = self.poller.add(wakeFiles.reading, id: 0, interest: .init(reads: true, writes: false))
        for (index, file) in listening.enumerated() {
            _ = self.poller.add(
                file, id: UInt64(index + 1), interest: .init(reads: true, writes: false))
        }
    }

    deinit {
        Socket.close(wakeFiles.reading)
        Socket.close(wakeFiles.writing)
    }

    /// Starts the thread; `peers` are those that accepted connections are dealt out to.
    func start(peers: [Loop]) {
        self.peers = peers
        // A serial queue of its own gets a thread of its own for as long as its work lasts.
        DispatchQueue(label: "till.http.loop").async { self.run() }
    }

    // MARK: From other threads

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (wakes, isLate) = mail.withLock { box in
            if box.hasEnded { return (false, true) }
            box.jobs.append(job)
            defer { box.sleeps = false }
            return (box.sleeps, false)
        }
        if wakes { Socket.wake(wakeFiles.writing) }
        if isLate {
            DispatchQueue.global().async {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }
    }

    /// Hands something in; after the loop's end it is given back unread.
    func post(_ letter: LoopMail) {
        let (wakes, isLate) = mail.withLock { box in
            if box.hasEnded { return (false, true) }
            box.letters.append(letter)
            defer { box.sleeps = false }
            return (box.sleeps, false)
        }
        if wakes { Socket.wake(wakeFiles.writing) }
        if isLate { discard(letter) }
    }

    private func discard(_ letter: LoopMail) {
        switch letter {
        case .accepted(let file, let address):
            Socket.close(file)
            shared.release(address)
        case .part(_, _, let waiter): waiter.resume(returning: false)
        case .stop: onStopped()
        case .response, .streamEnded: break
        }
    }

    // MARK: The thread

    private func run() {
        var events: [PollEvent] = []
        var hasReported = false
        while true {
            events.removeAll(keepingCapacity: true)
            poller.wait(milliseconds: waitTime(), into: &events)
            now = SteadyClock.microseconds / 1_000
            for event in events { handle(event) }
            runMail()
            sweep()
            if stopDeadline != nil && connections.isEmpty {
                // Whoever stops the listener need not wait for handlers whose clients are gone; the thread
                // stays for them, since their jobs run here.
                if !hasReported {
                    hasReported = true
                    onStopped()
                }
                if tasks == 0 && end() { break }
            }
        }
        peers = []
    }

    private func waitTime() -> Int32 {
        let isBusy = mail.withLock { box in
            let isBusy = !box.jobs.isEmpty || !box.letters.isEmpty
            box.sleeps = !isBusy
            return isBusy
        }
        if isBusy { return 0 }
        let next = min(nextSweep, acceptsAgainAt ?? .max, stopDeadline ?? .max)
        return next == .max ? -1 : Int32(clamping: max(0, next - now))
    }

    private func runMail() {
        let jobs = mail.withLock { box in
            box.sleeps = false
            let jobs = box.jobs
            box.jobs = []
            return jobs
        }
        for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        // After the jobs, since they answer.
        let letters = mail.withLock { box in
            let letters = box.letters
            box.letters = []
            return letters
        }
        for letter in letters { read(letter) }
    }

    private func read(_ letter: LoopMail) {
        switch letter {
        case .accepted(let file, let address): open(file, address: address)
        case .response(let response, let id, let exchange):
            tasks -= 1
            guard let connection = connections[id], connection.exchange == exchange,
                connection.phase == .running
            else { return }
            respond(response, on: connection)
        case .part(let data, let id, let waiter): write(data, connection: id, waiter: waiter)
        case .streamEnded(let id):
            tasks -= 1
            if let connection = connections[id] { endStream(connection) }
        case .stop(let deadline): beginStop(deadline)
        }
    }

    private func end() -> Bool {
        mail.withLock { box in
            guard box.jobs.isEmpty && box.letters.isEmpty else { return false }
            box.hasEnded = true
            return true
        }
    }

    private func handle(_ event: PollEvent) {
        if event.id == 0 {
            Socket.drainWakes(wakeFiles.reading)
        } else if event.id < Self.firstConnectionID {
            let index = Int(event.id) - 1
            if index < listening.count { accept(from: listening[index]) }
        } else if let connection = connections[event.id] {
            if event.isBroken && !event.isReadable { return close(connection) }
            if event.isWritable { flush(connection) }
            if event.isReadable && connections[event.id] != nil { receive(connection) }
        }
    }

    // MARK: Accepting

    private func accept(from file: Int32) {
        // Bounded, so that a storm of connections does not starve those that are open.
        for _ in 0..<64 {
            switch Socket.accept(file) {
            case .connection(let accepted, let address):
                guard shared.admit(address) else {
                    refuseConnection(accepted)
                    continue
                }
                let peer = peers[nextPeer % peers.count]
                nextPeer += 1
                if peer === self {
                    open(accepted, address: address)
                } else {
                    peer.post(.accepted(accepted, address: address))
                }
            case .retry: continue
            case .none: return
            case .exhausted:
                // Level-triggered, so the loop would spin until a descriptor is free.
                listen(false)
                acceptsAgainAt = now + 100
                return
            }
        }
    }

    private func refuseConnection(_ file: Int32) {
        var bytes: [UInt8] = []
        let response = RequestRefusal.overloaded.response(requestID: "")
        ResponseBytes.append(
            response, framing: .length(response.body.count), date: date.current(), requestID: "",
            connection: "close", to: &bytes)
        bytes.append(contentsOf: response.body)
        _ = Socket.send(file, bytes, from: 0)
        Socket.close(file)
    }

    private func listen(_ on: Bool) {
        for (index, file) in listening.enumerated() {
            poller.change(file, id: UInt64(index + 1), interest: .init(reads: on, writes: false))
        }
    }

    private func open(_ file: Int32, address: String) {
        let connection = Connection(id: nextID, file: file, address: address, deadline: .max)
        nextID += 1
        guard stopDeadline == nil,
            poller.add(file, id: connection.id, interest: connection.interest)
        else {
            Socket.close(file)
            shared.release(address)
            return
        }
        connections[connection.id] = connection
        setDeadline(shared.configuration.limits.idleMilliseconds, connection)
    }

    // MARK: Time

    func setDeadline(_ milliseconds: Int, _ connection: Connection) {
        connection.deadline = now + milliseconds
        nextSweep = min(nextSweep, connection.deadline)
    }

    private func sweep() {
        if let again = acceptsAgainAt, again <= now {
            acceptsAgainAt = nil
            listen(true)
        }
        if let stopDeadline, stopDeadline <= now {
            for connection in Array(connections.values) { close(connection) }
        }
        guard nextSweep <= now else { return }
        nextSweep = .max
        for connection in Array(connections.values) {
            if connection.deadline <= now { expire(connection) }
            // Not more often than every 20 ms, or deadlines that differ a little would each cost a walk.
            nextSweep = min(nextSweep, max(connection.deadline, now + 20))
        }
    }

    private func beginStop(_ deadline: Int) {
        let isFirst = stopDeadline == nil
        stopDeadline = min(stopDeadline ?? .max, deadline)
        guard isFirst else { return }
        for file in listening {
            poller.remove(file)
            Socket.close(file)
        }
        listening = []
        acceptsAgainAt = nil
        for connection in Array(connections.values) {
            switch connection.phase {
            case .idle: close(connection)
            case .streaming: connection.streamTask?.cancel()
            default: connection.closesAfter = true
            }
        }
    }
}
