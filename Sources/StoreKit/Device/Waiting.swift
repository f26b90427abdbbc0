import Foundation

/// Runs `work` and waits for it on the calling thread, which may be one of the concurrency pool's.
///
/// Apple's synchronous properties ask a daemon of the system and wait for its answer; here the store is
/// asked. The work runs on threads of its own, so a pool whose threads all wait cannot stop it.
func waited<Value: Sendable>(
    seconds: Int, for work: @escaping @Sendable () async -> Value?
) -> Value? {
    let answer = Guarded<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: StoreExecutor.shared) {
        let value = await work()
        answer.withLock { $0 = value }
        done.signal()
    }
    _ = done.wait(timeout: .now() + .seconds(seconds))
    return answer.value
}

/// Threads for work that somebody may wait for.
final class StoreExecutor: TaskExecutor {
    static let shared = StoreExecutor()

    private let queue = DispatchQueue(label: "StoreKit.store", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
