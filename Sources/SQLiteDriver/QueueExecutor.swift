import Dispatch

/// Runs an actor on a queue of its own, so that calls that block never take a thread of the cooperative
/// pool.
public final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Makes a serial queue; the label is for debuggers.
    public init(label: String) { queue = DispatchQueue(label: label) }

    /// Puts a job at the end of the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
