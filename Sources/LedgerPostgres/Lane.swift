import Dispatch
import PostgresDriver
import Synchronization
import TillLedger

/// A session on a queue of its own, so that calls that block never take a thread of the cooperative pool.
final class Lane: Sendable {
    private let queue: DispatchQueue
    private let session: Mutex<Session>

    init(_ name: String, address: String, options: PostgresLedgerStore.Options) {
        queue = DispatchQueue(label: "till.ledger.\(name)")
        session = Mutex(Session(address: address, options: options))
    }

    /// Puts work at the end of the queue.
    func submit(_ work: @escaping @Sendable (inout Session) -> Void) {
        // The lock is never waited for, since the queue does one thing at a time.
        queue.async { self.session.withLock { work(&$0) } }
    }

    /// Does something in its turn and gives what came of it.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (inout Session) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, LedgerError>, Never>) in
            submit { session in
                guard !session.isClosed else {
                    let closed = LedgerError(.closed, "the ledger was closed")
                    return continuation.resume(returning: .failure(closed))
                }
                do throws(LedgerError) {
                    continuation.resume(returning: .success(try work(&session)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Closes the session when everything before it is done.
    func close() async {
        await withCheckedContinuation { continuation in
            submit { session in
                session.isClosed = true
                session.disconnect()
                continuation.resume()
            }
        }
    }
}

extension Session {
    /// Reads, and reads again on a new connection when the old one turns out to be lost.
    mutating func read<Value>(
        _ body: (inout Session) throws(PostgresError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(PostgresError) {
            do throws(PostgresError) {
                return try body(&self)
            } catch  where error.endsConnection {
                return try body(&self)
            }
        } catch {
            rollBack()
            throw LedgerError(error)
        }
    }

    /// Writes in a transaction of its own, once more where others were in the way.
    ///
    /// A connection that turns out to be lost at the beginning is made anew; later nobody knows what is
    /// recorded, and the caller is told.
    mutating func write<Value>(
        _ body: (inout Session) throws(PostgresError) -> Value
    ) throws(LedgerError) -> Value {
        var attempts = 0
        while true {
            do throws(PostgresError) {
                try beginWriting()
                let value = try body(&self)
                _ = try run([PostgresQuery("COMMIT")])
                return value
            } catch {
                rollBack()
                attempts += 1
                let isContention = error.kind == .serialization || error.kind == .duplicateKey
                guard isContention, attempts < Self.mostAttempts else { throw LedgerError(error) }
                Self.pause(after: attempts)
            }
        }
    }

    private mutating func beginWriting() throws(PostgresError) {
        do throws(PostgresError) {
            _ = try run([PostgresQuery("BEGIN")])
        } catch  where error.endsConnection {
            _ = try run([PostgresQuery("BEGIN")])
        }
    }

    /// Sends statements that read one moment of the database, and understands what they gave.
    mutating func moment<Value>(
        _ queries: [PostgresQuery],
        _ understand: ([PostgresRows]) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let results = try run([Self.begin] + queries + [PostgresQuery("COMMIT")])
        return try understand(Array(results.dropFirst().dropLast()))
    }
}
