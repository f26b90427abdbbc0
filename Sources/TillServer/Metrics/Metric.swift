/// What the server tells of itself, by Prometheus's conventions: base units, and `_total` where a number only
/// grows.
enum Metric: String, CaseIterable {
    // Counted since the start
    case httpResponses = "till_http_responses_total"
    case requests = "till_requests_total"
    case transactions = "till_transactions_total"
    case refusedProofs = "till_refused_proofs_total"
    case receiptAnswers = "till_verify_receipt_answers_total"
    case notifications = "till_notifications_total"
    case refusedNotifications = "till_refused_notifications_total"
    case signals = "till_signals_total"
    case ledgerErrors = "till_ledger_errors_total"
    case tasks = "till_tasks_total"
    case deliveries = "till_webhook_deliveries_total"
    case repairs = "till_repaired_transactions_total"
    case processorTime = "process_cpu_seconds_total"

    // Measured since the start
    case requestTime = "till_request_seconds"

    // As it stands now
    case isReady = "till_ready"
    case connections = "till_http_connections"
    case failingTasks = "till_failing_tasks"
    case waitingDeliveries = "till_webhook_waiting"
    case oldestDelivery = "till_webhook_oldest_waiting_seconds"
    case deadDeliveries = "till_webhook_dead"
    case disabledEndpoint = "till_webhook_disabled"
    case version = "till_info"
    case memory = "process_resident_memory_bytes"
    case openFiles = "process_open_fds"
    case startTime = "process_start_time_seconds"

    /// How its numbers are to be read.
    enum Kind: String {
        case counter, gauge, histogram
    }

    var kind: Kind {
        if self == .requestTime { return .histogram }
        return rawValue.hasSuffix("_total") ? .counter : .gauge
    }

    /// The names of its labels, in the order of their values.
    var labels: [String] {
        switch self {
        case .httpResponses: ["status"]
        case .requests: ["route", "status", "code"]
        case .requestTime: ["route"]
        case .transactions: ["app", "environment", "by", "outcome", "reason"]
        case .refusedProofs: ["code"]
        case .receiptAnswers: ["status"]
        case .notifications: ["app", "type", "effect", "repeated"]
        case .refusedNotifications: ["code"]
        case .signals: ["kind"]
        case .ledgerErrors: ["code"]
        case .tasks: ["kind", "result"]
        case .deliveries: ["app", "endpoint", "result"]
        case .repairs: ["kind", "outcome"]
        case .failingTasks: ["kind"]
        case .waitingDeliveries, .oldestDelivery, .deadDeliveries, .disabledEndpoint:
            ["app", "endpoint"]
        case .version: ["version"]
        case .isReady, .connections, .processorTime, .memory, .openFiles, .startTime: []
        }
    }

    /// What it is, in a sentence.
    var help: String {
        switch self {
        case .httpResponses: "Every response, those that HTTP itself refused included"
        case .requests: "Requests that reached a route, and the code of their problem if any"
        case .requestTime: "From a request that was read to its answer"
        case .transactions: "Transactions and what became of them, each time that it was told"
        case .refusedProofs: "Proofs of payment that were not believed"
        case .receiptAnswers: "Answers of verifyReceipt, by Apple's status"
        case .notifications: "Notifications of the App Store that were recorded"
        case .refusedNotifications: "Notifications that were not taken"
        case .signals: "What was noted about customers for requests of theirs"
        case .ledgerErrors: "Requests that the database could not answer"
        case .tasks: "Pieces of work in the background, by how they ended"
        case .deliveries: "Attempts to send an event to an endpoint, by how they ended"
        case .repairs: "Transactions that Apple told of when it was asked, and no app had brought"
        case .isReady: "Whether the database can be read and written"
        case .connections: "Connections that are open"
        case .failingTasks: "Tasks that failed and are tried again, 1000 at the most"
        case .waitingDeliveries: "Events that wait for an endpoint"
        case .oldestDelivery: "How long the oldest of them waits"
        case .deadDeliveries: "Events that were put aside"
        case .disabledEndpoint: "Whether the endpoint is sent nothing any more"
        case .version: "Always 1; the label says which Till this is"
        case .processorTime: "Processor time that the process has used"
        case .memory: "Memory that the process holds"
        case .openFiles: "Files and sockets that the process has open"
        case .startTime: "When the process started, in seconds since 1970"
        }
    }
}
