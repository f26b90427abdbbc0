public import AppStoreModel
public import TillLedger

extension Worker {
    /// A worker on a ledger: for its tasks, and for every endpoint of the configuration.
    ///
    /// - Parameters:
    ///   - configuration: The apps and their endpoints.
    ///   - ledger: Where the work waits.
    ///   - sender: The way out.
    ///   - handlers: Handlers beside the ledger's own upkeep, one for each kind.
    ///   - owner: A name that no other worker has.
    ///   - options: How much it does at once.
    ///   - clock: The time.
    ///   - sleep: Waits so many milliseconds, less when its task is cancelled.
    ///   - log: Where lines go.
    ///   - metrics: What is counted.
    public convenience init(
        _ configuration: ServerConfiguration, ledger: Ledger, sender: WebhookSender,
        handlers: [TaskHandler] = [], owner: String, options: Options = Options(),
        clock: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Int64) async -> Void, log: ServerLog = .silent,
        metrics: Metrics = Metrics()
    ) {
        let desk = WorkDesk(
            ledger: ledger, owner: owner, options: options, clock: clock, log: log,
            metrics: metrics)
        var sources = [desk.tasks(Upkeep.handlers(ledger) + handlers)]
        for app in configuration.apps {
            for webhook in app.webhooks {
                sources.append(desk.deliveries(to: webhook, of: app.bundleID, by: sender))
            }
        }
        self.init(
            sources: sources, options: options,
            prepare: { await desk.schedule(Upkeep.tasks(at: clock())) }, sleep: sleep)
    }
}

/// Turns what waits in a ledger into jobs.
struct WorkDesk: Sendable {
    let ledger: Ledger
    let owner: String
    let options: Worker.Options
    let clock: @Sendable () -> Timestamp
    let log: ServerLog
    let metrics: Metrics

    private func claim(_ limit: Int, lease: Int64) -> WorkClaim {
        WorkClaim(owner: owner, now: clock(), lease: lease, limit: limit)
    }

    private func complain(_ what: String, _ error: LedgerError) {
        log.write(
            .error, what,
            ["code": .string(error.code.rawValue), "detail": .string(error.detail)])
    }

    /// Schedules what recurs.
    func schedule(_ tasks: [ScheduledTask]) async {
        do throws(LedgerError) {
            try await ledger.schedule(tasks)
        } catch {
            complain("upkeepNotScheduled", error)
        }
    }

    // MARK: Tasks

    /// The tasks for which there is a handler.
    func tasks(_ handlers: [TaskHandler]) -> Worker.Source {
        var byKind: [TaskKind: TaskHandler] = [:]
        for handler in handlers {
            precondition(byKind[handler.kind] == nil, "two handlers for \(handler.kind)")
            byKind[handler.kind] = handler
        }
        let kinds = byKind.keys.sorted()
        return Worker.Source(places: options.parallelTasks) { [byKind] limit in
            do throws(LedgerError) {
                let tasks = try await ledger.work.claimTasks(
                    claim(limit, lease: options.taskLease), of: kinds)
                var jobs: [Worker.Job] = []
                for task in tasks {
                    guard let handler = byKind[task.key.kind] else { continue }
                    jobs.append { await run(task, by: handler) }
                }
                return jobs
            } catch {
                complain("tasksNotRead", error)
                return []
            }
        }
    }

    private func run(_ task: ClaimedTask, by handler: TaskHandler) async {
        if task.wasAbandoned { note(.warning, "taskAbandoned", task) }
        var settlement: TaskSettlement
        do {
            switch try await handler.run(task, clock()) {
            case .finished: settlement = .finished(at: clock())
            case .again(let due): settlement = .again(at: due)
            case .resume(let due, let payload):
                settlement = .resumed(at: due, payload: payload)
            case .failed(let text): settlement = failed(task, text)
            }
        } catch {
            settlement = failed(task, "\(error)")
        }
        if Task.isCancelled, case .failed = settlement { settlement = .released(at: clock()) }
        metrics.count(.tasks, [task.key.kind.rawValue, settlement.word])
        do throws(LedgerError) {
            // The server may be stopping: what was done must be written down all the same.
            let isHeld = try await detached { [settlement] in
                try await ledger.work.settle(task, settlement)
            }
            if !isHeld { note(.warning, "taskHoldLost", task) }
        } catch {
            complain("taskNotSettled", error)
        }
    }

    private func failed(_ task: ClaimedTask, _ text: String) -> TaskSettlement {
        note(.warning, "taskFailed", task, detail: text)
        let pause = RetrySchedule.taskPause(after: task.lease.attempt, key: task.key)
        return .failed(
            String(text.prefix(DeliveryFailure.longest)),
            until: clock().advanced(byMilliseconds: pause))
    }

    private func note(
        _ level: LogLevel, _ event: String, _ task: ClaimedTask, detail: String? = nil
    ) {
        log.write(
            level, event,
            [
                "kind": .string(task.key.kind.rawValue), "subject": .string(task.key.subject),
                "attempt": .integer(Int64(task.lease.attempt)),
                "detail": detail.map { .string($0) } ?? .null,
            ])
    }

    // MARK: Deliveries

    /// What waits for an endpoint.
    func deliveries(
        to webhook: WebhookConfiguration, of app: BundleID, by sender: WebhookSender
    ) -> Worker.Source {
        let place = WebhookPlace(bundleID: app, name: webhook.name)
        return Worker.Source(places: options.parallelDeliveries) { limit in
            do throws(LedgerError) {
                let deliveries = try await ledger.work.claimDeliveries(
                    claim(limit, lease: options.deliveryLease), to: place)
                var jobs: [Worker.Job] = []
                for delivery in deliveries {
                    jobs.append { await deliver(delivery, to: webhook, by: sender) }
                }
                return jobs
            } catch {
                complain("deliveriesNotRead", error)
                return []
            }
        }
    }

    private func deliver(
        _ delivery: ClaimedDelivery, to webhook: WebhookConfiguration, by sender: WebhookSender
    ) async {
        let message = WebhookMessage(delivery.event)
        let answer = await sender.send(message, to: webhook, at: clock())
        var settlement: DeliverySettlement
        var change: EndpointChange?
        if let answer {
            (settlement, change) = delivery.settlement(for: answer, now: clock())
        } else {
            settlement = .released(at: clock())
        }
        metrics.count(
            .deliveries,
            [
                delivery.endpoint.bundleID.rawValue, delivery.endpoint.name.rawValue,
                settlement.word,
            ])
        note(delivery, settlement, change)
        do throws(LedgerError) {
            let isHeld = try await detached { [settlement, change] in
                try await ledger.work.settle(delivery, settlement, change)
            }
            if !isHeld { note(delivery, .warning, "deliveryHoldLost") }
        } catch {
            complain("deliveryNotSettled", error)
        }
    }

    private func note(
        _ delivery: ClaimedDelivery, _ settlement: DeliverySettlement, _ change: EndpointChange?
    ) {
        if case .disabled? = change { note(delivery, .error, "endpointDisabled") }
        switch settlement {
        case .delivered, .released: break
        case .postponed(let failure, _): note(delivery, .warning, "deliveryFailed", failure)
        case .dead(let failure, _): note(delivery, .error, "deliveryGivenUp", failure)
        }
    }

    private func note(
        _ delivery: ClaimedDelivery, _ level: LogLevel, _ event: String,
        _ failure: DeliveryFailure? = nil
    ) {
        log.write(
            level, event,
            [
                "app": .string(delivery.endpoint.bundleID.rawValue),
                "endpoint": .string(delivery.endpoint.name.rawValue),
                "eventId": .string(delivery.event.event.id.rawValue),
                "attempt": .integer(Int64(delivery.lease.attempt)),
                "detail": failure.map { .string($0.text) } ?? .null,
            ])
    }
}

extension TaskSettlement {
    /// How the attempt ended, as it is counted.
    fileprivate var word: String {
        switch self {
        case .finished: "finished"
        case .again, .resumed: "again"
        case .failed: "failed"
        case .released: "released"
        }
    }
}

extension DeliverySettlement {
    /// How the attempt ended, as it is counted.
    fileprivate var word: String {
        switch self {
        case .delivered: "delivered"
        case .postponed: "failed"
        case .dead: "givenUp"
        case .released: "released"
        }
    }
}

/// Does something in a task of its own, which a cancelled caller does not cancel.
private func detached<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws(LedgerError) -> Value {
    let result = await Task.detached { () -> Result<Value, LedgerError> in
        do {
            return .success(try await body())
        } catch let error as LedgerError {
            return .failure(error)
        } catch {
            return .failure(LedgerError(.unexpected, "\(error)"))
        }
    }.value
    return try result.get()
}
