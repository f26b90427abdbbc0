import CPostgres

extension PostgresConnection {
    /// An answer that is to come.
    private enum Expected {
        case preparation(String)
        case rows(Int)
    }

    /// Sends statements one behind the other without waiting, and gives what each gave: one journey to the
    /// server for all of them.
    ///
    /// When one fails, those behind it are not run. Outside a transaction they are one of their own,
    /// all or nothing; one that `BEGIN` or an earlier call opened stays open, and failed.
    ///
    /// - Parameter queries: The statements, `BEGIN` and `COMMIT` among them if wanted.
    /// - Returns: As many results, in the same order.
    /// - Throws: The first refusal, with the place of its statement.
    @discardableResult
    public mutating func run(_ queries: [PostgresQuery]) throws(PostgresError) -> [PostgresRows] {
        guard !queries.isEmpty else { return [] }
        guard !isBroken else { throw lost() }
        let deadline = ContinuousClock.now.advanced(by: options.callTime)
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost() }
        var expected: [Expected] = []
        for (place, query) in queries.enumerated() { try send(query, place, &expected) }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        try flush(until: deadline)
        let rows = try receive(expected, until: deadline)
        guard unsafe PQexitPipelineMode(handle) == 1 else { throw lost() }
        return try rows.get()
    }

    /// Runs one statement.
    public mutating func run(
        _ sql: String, _ parameters: PostgresValue...
    ) throws(PostgresError) -> PostgresRows {
        guard let rows = try run([PostgresQuery(sql, parameters)]).first else { throw lost() }
        return rows
    }

    /// Runs statements without parameters, separated by semicolons, and drops their rows; outside a
    /// transaction they are one of their own.
    public mutating func execute(_ script: String) throws(PostgresError) {
        guard !isBroken else { throw lost() }
        guard !script.utf8.contains(0) else {
            throw PostgresError(sqlState: "22021", message: "a NUL is no character of SQL")
        }
        let deadline = ContinuousClock.now.advanced(by: options.callTime)
        guard unsafe PQsendQuery(handle, script) == 1 else { throw lost() }
        try flush(until: deadline)
        var refusal: PostgresError?
        while let result = unsafe try nextResult(until: deadline) {
            let error = unsafe error(in: result)
            unsafe PQclear(result)
            if refusal == nil { refusal = error }
        }
        if let refusal { throw noted(refusal) }
    }

    /// Does something in a transaction, which is rolled back when it throws.
    public mutating func inTransaction<Value>(
        _ begin: String = "BEGIN",
        _ body: (inout PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        try execute(begin)
        do throws(PostgresError) {
            let value = try body(&self)
            try execute("COMMIT")
            return value
        } catch {
            if !isBroken, isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    // MARK: Sending

    private mutating func send(
        _ query: PostgresQuery, _ place: Int, _ expected: inout [Expected]
    ) throws(PostgresError) {
        var name: String?
        if !preparesStatements {
            name = nil
        } else if let known = prepared[query.sql] {
            name = known
        } else {
            namesGiven += 1
            let given = "s\(namesGiven)"
            name = given
            let types = query.parameters.map(\.type)
            guard
                unsafe PQsendPrepare(handle, given, query.sql, Int32(types.count), types) == 1
            else { throw lost() }
            // Counted on at once, for the same text further on; taken back when it was refused.
            prepared[query.sql] = given
            expected.append(.preparation(query.sql))
        }
        let parameters = EncodedParameters(query.parameters)
        let formats = [Int32](repeating: 1, count: parameters.lengths.count)
        let isSent = unsafe parameters.bytes.withUnsafeBytes { bytes in
            let values = unsafe parameters.starts.map { start -> UnsafePointer<CChar>? in
                guard let start, let base = bytes.baseAddress else { return nil }
                return unsafe (base + start).assumingMemoryBound(to: CChar.self)
            }
            guard let name else {
                return unsafe PQsendQueryParams(
                    handle, query.sql, Int32(values.count), query.parameters.map(\.type), values,
                    parameters.lengths, formats, 1)
            }
            return unsafe PQsendQueryPrepared(
                handle, name, Int32(values.count), values, parameters.lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        expected.append(.rows(place))
    }

    /// Sends what waits to be sent, and takes in what comes meanwhile, so that neither side waits for
    /// the other for ever.
    private mutating func flush(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                guard try wait(for: .either, until: deadline) else { continue }
                guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    // MARK: Receiving

    private mutating func receive(
        _ expected: [Expected], until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Result<[PostgresRows], PostgresError> {
        var rows: [PostgresRows] = []
        var refusal: PostgresError?
        for answer in expected {
            guard let result = unsafe try nextResult(until: deadline) else { throw lost() }
            let status = unsafe PQresultStatus(result)
            if status == PGRES_PIPELINE_ABORTED {
                unsafe PQclear(result)
                if case .preparation(let sql) = answer { prepared[sql] = nil }
            } else if var error = unsafe error(in: result) {
                unsafe PQclear(result)
                switch answer {
                case .preparation(let sql):
                    prepared[sql] = nil
                    error.statement = rows.count
                case .rows(let place): error.statement = place
                }
                guard !noted(error).endsConnection else { throw error }
                if refusal == nil { refusal = error }
            } else if case .rows = answer {
                unsafe rows.append(PostgresRows(result))
            } else {
                unsafe PQclear(result)
            }
            // Behind each answer stands an end.
            if let surplus = unsafe try nextResult(until: deadline) {
                unsafe PQclear(surplus)
                throw lost()
            }
        }
        guard let end = unsafe try nextResult(until: deadline) else { throw lost() }
        let isEnd = unsafe PQresultStatus(end) == PGRES_PIPELINE_SYNC
        unsafe PQclear(end)
        guard isEnd else { throw lost() }
        if let refusal { return .failure(refusal) }
        return .success(rows)
    }

    private mutating func nextResult(
        until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> OpaquePointer? {
        while unsafe PQisBusy(handle) == 1 {
            try wait(for: .input, until: deadline)
            guard unsafe PQconsumeInput(handle) == 1 else { throw farewell() }
        }
        return unsafe PQgetResult(handle)
    }

    /// Why the server went away: the last that it said, when it said something.
    private mutating func farewell() -> PostgresError {
        var said: PostgresError?
        while unsafe PQisBusy(handle) == 0, let result = unsafe PQgetResult(handle) {
            said = unsafe error(in: result) ?? said
            unsafe PQclear(result)
        }
        let loss = lost()
        if let said, said.endsConnection { return said }
        return loss
    }

    /// The refusal in a result; nil when it is none.
    private func error(in result: OpaquePointer) -> PostgresError? {
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        func field(_ letter: Unicode.Scalar) -> String? {
            guard let text = unsafe PQresultErrorField(result, Int32(letter.value)) else {
                return nil
            }
            return unsafe String(cString: text)
        }
        // The letters are PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
        guard let code = field("C") else { return PostgresError(.connectionLost, words) }
        return PostgresError(sqlState: code, message: field("M") ?? "")
    }

    /// Notes what a refusal means for the connection.
    @discardableResult
    private mutating func noted(_ error: PostgresError) -> PostgresError {
        if error.endsConnection { isBroken = true }
        return error
    }
}
