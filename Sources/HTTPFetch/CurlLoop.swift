import CCurl
import Dispatch
import HTTPMessage
import Synchronization

/// The thread on which all exchanges of a fetcher run, over one `curl_multi` handle and its connections.
///
/// `@unchecked Sendable`: `run()`, which one thread calls once, touches everything but the mailbox; the one
/// call from outside is `curl_multi_wakeup`, which libcurl allows from any thread, and it is made under the
/// mailbox's lock, so never after the handle is gone.
@safe final class CurlLoop: @unchecked Sendable {
    private struct Mailbox {
        var arrived: [Exchange] = []
        var cancels = false
        var ended = false
        /// Exchanges that were taken and have not ended.
        var taken = 0
    }

    private static let isReady = till_curl_global_init() == CURLE_OK

    private let configuration: CurlFetcherConfiguration
    private let multi: UnsafeMutableRawPointer?
    private let mail = Mutex(Mailbox())
    private var waiting: [Exchange] = []
    private var running: [ObjectIdentifier: Exchange] = [:]
    private var spare: [UnsafeMutableRawPointer] = unsafe []

    init(_ configuration: CurlFetcherConfiguration) {
        self.configuration = configuration
        unsafe multi = Self.isReady ? curl_multi_init() : nil
        if let multi = unsafe multi {
            unsafe till_curl_multi_set_long(
                multi, CURLMOPT_MAXCONNECTS, configuration.concurrentExchanges)
            // A serial queue of its own gets a thread of its own for as long as its work lasts.
            DispatchQueue(label: "till.http.fetch").async { self.run() }
        }
    }

    // MARK: From other threads

    /// Hands an exchange in; one that cannot be taken ends at once.
    func submit(_ exchange: Exchange) {
        let isTaken = mail.withLock { box in
            guard let multi = unsafe multi, !box.ended,
                box.taken < configuration.concurrentExchanges + configuration.waitingExchanges
            else { return false }
            box.arrived.append(exchange)
            box.taken += 1
            unsafe curl_multi_wakeup(multi)
            return true
        }
        if !isTaken {
            exchange.finish(.failure(HTTPFetchError(.cannotConnect, detail: "too many wait")))
        }
    }

    /// Ends an exchange that its task no longer waits for.
    func cancel(_ flag: CancelFlag) {
        flag.value.store(true, ordering: .relaxed)
        mail.withLock { box in
            guard let multi = unsafe multi, !box.ended else { return }
            box.cancels = true
            unsafe curl_multi_wakeup(multi)
        }
    }

    /// Lets the thread end, once nobody fetches any more.
    func end() {
        mail.withLock { box in
            guard let multi = unsafe multi, !box.ended else { return }
            box.ended = true
            unsafe curl_multi_wakeup(multi)
        }
    }

    // MARK: The thread

    private func run() {
        guard let multi = unsafe multi else { return }
        while true {
            let (arrived, cancels, ended) = mail.withLock { box in
                defer { (box.arrived, box.cancels) = ([], false) }
                return (box.arrived, box.cancels, box.ended)
            }
            waiting += arrived
            if ended { break }
            if cancels || arrived.contains(where: \.flag.isSet) { endCancelled() }
            startWaiting()
            var count: Int32 = 0
            unsafe curl_multi_perform(multi, &count)
            if collect() { continue }
            unsafe curl_multi_poll(multi, nil, 0, waitTime(), nil)
        }
        for exchange in waiting + running.values {
            finish(exchange, .failure(HTTPFetchError(.cancelled, detail: "the fetcher is gone")))
        }
        while let easy = unsafe spare.popLast() { unsafe curl_easy_cleanup(easy) }
        unsafe curl_multi_cleanup(multi)
    }

    /// Running transfers have timers of the library's own; those that wait have none.
    private func waitTime() -> Int32 {
        let longest = 60_000
        guard let next = waiting.map(\.deadline).min() else { return Int32(longest) }
        return Int32(clamping: min(longest, max(1, next - steadyMilliseconds())))
    }

    private func endCancelled() {
        for exchange in waiting + running.values where exchange.flag.isSet {
            waiting.removeAll { $0 === exchange }
            finish(exchange, .failure(HTTPFetchError(.cancelled)))
        }
    }

    private func startWaiting() {
        let now = steadyMilliseconds()
        let late = waiting.filter { $0.deadline <= now }
        if !late.isEmpty {
            waiting.removeAll { $0.deadline <= now }
            for exchange in late {
                finish(exchange, .failure(HTTPFetchError(.cannotConnect, detail: "no turn came")))
            }
        }
        let room = max(0, max(1, configuration.concurrentExchanges) - running.count)
        let next = waiting.prefix(room)
        waiting.removeFirst(next.count)
        for exchange in next { start(exchange, now: now) }
    }

    private func start(_ exchange: Exchange, now: Int) {
        if exchange.flag.isSet {
            return finish(exchange, .failure(HTTPFetchError(.cancelled)))
        }
        guard let multi = unsafe multi, let easy = unsafe spare.popLast() ?? curl_easy_init() else {
            return finish(exchange, .failure(HTTPFetchError(.cannotConnect, detail: "no memory")))
        }
        unsafe exchange.prepare(easy, configuration, now: now)
        running[ObjectIdentifier(exchange)] = exchange
        guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
            return finish(exchange, .failure(HTTPFetchError(.cannotConnect, detail: "no memory")))
        }
    }

    /// Ends what is over; `true` when something was, since others may take its turn.
    private func collect() -> Bool {
        guard let multi = unsafe multi else { return false }
        var found = false
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let easy = unsafe message.pointee.easy_handle,
                let context = unsafe till_curl_private(easy)
            else { continue }
            let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
            let code = unsafe till_curl_result(message)
            finish(exchange, exchange.outcome(code))
            found = true
        }
        return found
    }

    private func finish(_ exchange: Exchange, _ outcome: Exchange.Outcome) {
        running[ObjectIdentifier(exchange)] = nil
        if let easy = unsafe exchange.easy {
            // Taken out in the middle of a transfer, the connection is closed; else it is kept.
            if let multi = unsafe multi { unsafe curl_multi_remove_handle(multi, easy) }
            unsafe curl_easy_reset(easy)
            unsafe spare.append(easy)
            unsafe exchange.easy = nil
        }
        mail.withLock { $0.taken -= 1 }
        exchange.finish(outcome)
    }
}

/// Set by the task that fetches, read by the loop.
final class CancelFlag: Sendable {
    let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
}
