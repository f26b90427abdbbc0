import AppStoreModel
import PostgresDriver
import TillLedger

extension FactWriting {
    // MARK: News of the store

    func recording(_ observation: RenewalObservation, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "renewals", ["book_id"] + Columns.renewal,
            [
                book, .word(observation.originalID.rawValue), .int64(Int64(observation.number)),
                .int64(observation.signedAt.milliseconds), .word(observation.fields.text),
                .bytes(observation.proof.rawValue),
            ])
    }

    func raisingRenewal(
        _ number: Int, of original: TransactionID, _ book: PostgresValue, to time: Timestamp
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE renewals SET signed_at_ms = $4
            WHERE book_id = $1 AND original_transaction_id = $2 AND number = $3
                AND signed_at_ms < $4
            """,
            [
                book, .word(original.rawValue), .int64(Int64(number)), .int64(time.milliseconds),
            ])
    }

    /// Puts what was told in the place of what was told before.
    func telling(_ tale: SubscriptionTale, _ book: PostgresValue) -> PostgresQuery {
        // Where that is not it, a row is inserted beside the one that is there, which its key refuses.
        PostgresQuery(
            """
            WITH next AS (
                UPDATE subscription_tales SET number = $3, told = $4
                WHERE book_id = $1 AND original_transaction_id = $2 AND number = $3 - 1
                RETURNING 1)
            INSERT INTO subscription_tales (book_id, original_transaction_id, number, told)
            SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM next)
            """,
            [
                book, .word(tale.originalID.rawValue), .int64(Int64(tale.number)),
                .word(tale.text),
            ])
    }

    func recording(
        _ notification: RecordedNotification, _ book: PostgresValue
    ) -> PostgresQuery {
        insert(
            "notifications", ["book_id"] + Columns.notification,
            [
                book, .word(notification.id.rawValue), .word(notification.type.rawValue),
                .word(notification.subtype?.rawValue),
                .int64(notification.signedAt?.milliseconds),
                .word(notification.originalID?.rawValue),
                .word(notification.transactionID?.rawValue),
                .word(notification.effect.rawValue),
                .int64(notification.answerBefore?.milliseconds),
                .bytes(notification.proof.rawValue), .int64(notification.receivedAt.milliseconds),
            ])
    }

    // MARK: News of customers

    func recording(_ share: Share, _ book: PostgresValue) -> PostgresQuery {
        insert(
            "shares", ["book_id"] + Columns.share,
            [
                book, .word(share.originalID.rawValue), .int64(Int64(share.number)),
                .word(share.customer.rawValue), .int64(share.since.milliseconds),
            ])
    }

    func recording(_ merge: Merge) -> PostgresQuery {
        insert(
            "aliases", ["customer_id", "into_customer_id", "at_ms"],
            [
                .word(merge.from.rawValue), .word(merge.into.rawValue),
                .int64(merge.at.milliseconds),
            ])
    }

    /// Counts a signal; one too many, or too close to its like, changes nothing.
    func counting(_ signal: Signal) -> PostgresQuery {
        PostgresQuery(
            """
            WITH known AS (
                UPDATE signals SET count = count + 1, last_ms = $1
                WHERE customer_id = $2 AND kind = $3 AND subject = $4 AND last_ms <= $1 - $5
                RETURNING 1)
            INSERT INTO signals (customer_id, kind, subject, count, first_ms, last_ms)
            SELECT $2, $3, $4, 1, $1, $1
            WHERE NOT EXISTS (SELECT 1 FROM known)
                AND (SELECT count(*) FROM signals WHERE customer_id = $2 AND kind = $3) < $6
            ON CONFLICT DO NOTHING
            """,
            [
                .int64(signal.at.milliseconds), .word(signal.customer.rawValue),
                .word(signal.kind.rawValue), .word(signal.subject), .int64(Signal.interval),
                .int64(Int64(Signal.mostSubjects)),
            ])
    }

    /// Records an event under its customer's next number, and a delivery to each endpoint; one that is known
    /// stays as it was.
    ///
    /// Behind what fails, an event is due no sooner than that; who claims looks at the line all the same.
    /// `+ 0` keeps the planner from seeking the latest among all that wait for the endpoint.
    func recording(_ event: CustomerEvent, to endpoints: [WebhookName]) -> PostgresQuery {
        PostgresQuery(
            """
            WITH counter AS (
                INSERT INTO event_counters (bundle_id, customer_id, last_sequence)
                SELECT $2, $3, 1 WHERE NOT EXISTS (SELECT 1 FROM events WHERE event_id = $1)
                ON CONFLICT (customer_id, bundle_id)
                    DO UPDATE SET last_sequence = event_counters.last_sequence + 1
                RETURNING last_sequence),
            event AS (
                INSERT INTO events (\(Columns.event.joined(separator: ", ")))
                SELECT $1, $2, $3, last_sequence, $4, $5, $6, $7 FROM counter
                RETURNING sequence)
            INSERT INTO webhook_deliveries
                (event_id, endpoint, bundle_id, customer_id, sequence, state, due_at_ms)
            SELECT $1, e.endpoint, $2, $3, event.sequence, 'waiting', greatest($7, (
                SELECT max(d.due_at_ms + 0) FROM webhook_deliveries d
                WHERE d.bundle_id = $2 AND d.endpoint = e.endpoint AND d.customer_id = $3
                    AND d.state = 'waiting' AND d.lease_owner IS NULL))
            FROM event CROSS JOIN unnest($8::text[]) AS e (endpoint)
            """,
            [
                .word(event.id.rawValue), .word(event.bundleID.rawValue),
                .word(event.customer.rawValue), .word(event.kind.rawValue),
                .word(event.environment?.rawValue), .word(event.data),
                .int64(event.at.milliseconds), .words(endpoints.map(\.rawValue)),
            ])
    }

    /// Schedules a task; one that waits stays as it is, and one that is held runs once more.
    func scheduling(_ task: ScheduledTask) -> PostgresQuery {
        insert(
            "tasks", ["kind", "subject", "due_at_ms", "payload"],
            [
                .word(task.key.kind.rawValue), .word(task.key.subject),
                .int64(task.due.milliseconds), .word(task.payload),
            ],
            """
            ON CONFLICT (kind, subject) DO UPDATE SET generation = tasks.generation + 1
                WHERE tasks.lease_owner IS NOT NULL
            """)
    }
}
