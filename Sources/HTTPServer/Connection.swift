#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One client's connection: its bytes in and out, and where in an exchange it is.
///
/// Belongs to one loop and is touched on that loop's thread alone.
final class Connection {
    enum Phase {
        /// Waits for a request's first byte.
        case idle
        case head
        case body
        /// A handler works on it.
        case running
        /// The response is on its way.
        case writing
        /// A stream's parts are on their way.
        case streaming
        /// The last response is out; what the peer still sends is thrown away until it ends.
        case draining
    }

    let id: UInt64
    let file: Int32
    let address: String
    var phase = Phase.idle
    var interest = Poller.Interest(reads: true, writes: false)
    /// When the phase must be over, in milliseconds of the loop's clock.
    var deadline: Int

    /// Received bytes from `taken` on are unread.
    var inbox: [UInt8] = []
    var taken = 0
    var outbox: [UInt8] = []
    var sent = 0
    var peerEnded = false
    var drained = 0

    var scanner = HeadScanner()
    var head: RequestHead?
    var chunks: ChunkedReader?
    var body: [UInt8] = []
    var bodyLimit = 0
    /// What this request's body has taken from the budget of all bodies.
    var heldBytes = 0
    var startedAt = 0
    var completedAt = 0
    var requestID = ""
    /// Tells a late answer of an earlier request from that of this one.
    var exchange: UInt64 = 0
    var closesAfter = false
    /// Whether received bytes are being read just now.
    var isAdvancing = false

    var streamTask: Task<Void, Never>?
    var isChunkedStream = false
    /// Resumed when a stream's part is out: with `false` when the connection is gone.
    var streamWaiter: CheckedContinuation<Bool, Never>?

    init(id: UInt64, file: Int32, address: String, deadline: Int) {
        self.id = id
        self.file = file
        self.address = address
        self.deadline = deadline
    }

    var unreadCount: Int { inbox.count - taken }
    var unsentCount: Int { outbox.count - sent }

    /// Lets `count` bytes go, and the room for them once it is worth it.
    func take(_ count: Int) {
        taken += count
        if taken == inbox.count {
            inbox.removeAll(keepingCapacity: inbox.capacity <= 64 << 10)
            taken = 0
        } else if taken > 32 << 10 {
            inbox.removeFirst(taken)
            taken = 0
        }
    }

    /// The head, once it is whole.
    func readHead(_ limits: HTTPServerLimits) throws(RequestRefusal) -> RequestHead? {
        guard let (head, end) = try parseHead(limits) else { return nil }
        take(end)
        return head
    }

    private func parseHead(
        _ limits: HTTPServerLimits
    ) throws(RequestRefusal) -> (RequestHead, end: Int)? {
        // Held by a constant, so that its span outlives no access to the property.
        let inbox = inbox
        let unread = inbox.span.extracting(taken..<inbox.count)
        guard let end = try scanner.end(in: unread, limits: limits) else { return nil }
        return (try RequestHead(parsing: unread.extracting(0..<end)), end)
    }

    /// Moves what has come of the body, and says whether that was all.
    func readBody() throws(RequestRefusal) -> Bool {
        let (used, isWhole) = try moveBody()
        take(used)
        return isWhole
    }

    private func moveBody() throws(RequestRefusal) -> (used: Int, isWhole: Bool) {
        let inbox = inbox
        let unread = inbox.span.extracting(taken..<inbox.count)
        guard var chunks else {
            let length = head?.contentLength ?? 0
            let count = min(unread.count, length - body.count)
            unread.append(0..<count, to: &body)
            return (count, body.count == length)
        }
        let used = try chunks.read(unread, into: &body, limit: bodyLimit)
        self.chunks = chunks
        return (used, chunks.isDone)
    }

    /// Makes ready for the next request.
    func reset() {
        scanner = HeadScanner()
        head = nil
        chunks = nil
        body = []
        requestID = ""
        exchange += 1
        phase = .idle
    }
}
