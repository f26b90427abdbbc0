import StoreWire

/// A call that waits for news.
struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, Never>
}

extension LocalStore {
    /// The longest wait of a call.
    static let waitLimit = 30.0

    /// Comes back when something happened in the store, or when the time is over.
    func waitForNews(seconds: Double) async {
        let number = nextWaiter
        nextWaiter += 1
        let timer = Task { [weak self] in
            try? await Task.sleep(for: .seconds(seconds))
            await self?.release(number)
        }
        await withCheckedContinuation { continuation in
            waiters.append(Waiter(number: number, continuation: continuation))
        }
        timer.cancel()
    }

    private func release(_ number: Int) {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: place).continuation.resume()
    }

    /// Wakes all calls that wait; those without news wait on.
    func wakeWaiters() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Asks again and again, until there is something or the time is over.
    func poll<Page>(
        wait: Double, _ page: () throws(StoreProblem) -> Page, isEmpty: (Page) -> Bool
    ) async throws(StoreProblem) -> Page {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(max(0, min(wait, Self.waitLimit))))
        while true {
            catchUp()
            let found = try page()
            let left = clock.now.duration(to: end)
            guard isEmpty(found), left > .zero else { return found }
            await waitForNews(
                seconds: Double(left.components.seconds) + Double(left.components.attoseconds)
                    / 1e18)
        }
    }
}
