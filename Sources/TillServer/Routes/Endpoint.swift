import HTTPMessage
import TillAPI

/// Every route of the server: the one table from which the router and `/openapi.json` are made.
enum Endpoint: String, CaseIterable, Sendable {
    case openOrder
    case showOrder
    case deferOrder
    case recordPurchases
    case askOwner
    case listUnclaimed
    case showCustomer
    case listWebhooks
    case listDeadLetters
    case replayWebhooks
    case testWebhooks
    case enableWebhook
    case signOffer
    case showSuspects
    case spend
    case credit
    case showWallet
    case promote
    case endPromotion
    case eraseCustomer
    case claimPurchase
    case mergeCustomer
    case showSignals
    case showOffers
    case listTasks
    case runTask
    case recordNotification
    case verifyReceipt
    case verifySandboxReceipt
    case signingKeys
    case health
    case readiness
    case metrics
    case openAPI

    var method: HTTPMethod {
        switch self {
        case .openOrder, .deferOrder, .recordPurchases, .recordNotification: .post
        case .signOffer, .runTask: .post
        case .spend, .credit, .promote: .post
        case .replayWebhooks, .testWebhooks, .enableWebhook: .post
        case .askOwner, .claimPurchase, .mergeCustomer: .post
        case .endPromotion, .eraseCustomer: .delete
        case .verifyReceipt, .verifySandboxReceipt: .post
        default: .get
        }
    }

    /// The path, parameters as `:name`.
    var pattern: String {
        switch self {
        case .openOrder: APIWire.orders
        case .showOrder: "\(APIWire.orders)/:orderId"
        case .deferOrder: "\(APIWire.orders)/:orderId/deferred"
        case .recordPurchases: APIWire.purchases
        case .showCustomer, .eraseCustomer: "\(APIWire.customers)/:customerId"
        case .listWebhooks: "\(APIWire.apps)/:app/webhooks"
        case .listDeadLetters: "\(APIWire.apps)/:app/webhooks/deadLetters"
        case .replayWebhooks: "\(APIWire.apps)/:app/webhooks/replay"
        case .testWebhooks: "\(APIWire.apps)/:app/webhooks/test"
        case .enableWebhook: "\(APIWire.apps)/:app/webhooks/enable"
        case .signOffer: APIWire.offerSignatures
        case .showSuspects: "\(APIWire.apps)/:app/orders/suspects"
        case .spend: "\(APIWire.customers)/:customerId/spend"
        case .credit: "\(APIWire.customers)/:customerId/credits"
        case .showWallet: "\(APIWire.customers)/:customerId/wallet"
        case .promote: "\(APIWire.customers)/:customerId/promotions"
        case .endPromotion: "\(APIWire.customers)/:customerId/promotions/:promotionId"
        case .askOwner: APIWire.purchaseOwner
        case .listUnclaimed: "\(APIWire.apps)/:app/unclaimed"
        case .claimPurchase: "\(APIWire.customers)/:customerId/claims"
        case .mergeCustomer: "\(APIWire.customers)/:customerId/merge"
        case .showSignals: "\(APIWire.customers)/:customerId/signals"
        case .showOffers: "\(APIWire.customers)/:customerId/offers"
        case .listTasks: "/v1/tasks"
        case .runTask: "/v1/tasks/run"
        case .recordNotification: "\(APIWire.apps)/:app/notifications"
        case .verifyReceipt: "/verifyReceipt"
        case .verifySandboxReceipt: "/sandbox/verifyReceipt"
        case .signingKeys: APIWire.signingKeys
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        case .openAPI: "/openapi.json"
        }
    }

    /// Bytes that a request body may have.
    var bodyLimit: Int {
        switch self {
        case .recordPurchases, .askOwner, .recordNotification, .verifyReceipt,
            .verifySandboxReceipt:
            APILimits.proofBodyBytes
        case .openOrder: APILimits.bodyBytes
        case .signOffer: APILimits.bodyBytes
        case .spend, .credit, .promote: APILimits.bodyBytes
        case .replayWebhooks: APILimits.bodyBytes
        case .claimPurchase, .mergeCustomer: APILimits.bodyBytes
        default: 4_096
        }
    }

    /// Whether the caller must say who it is.
    var needsCaller: Bool {
        self == .metrics || pattern.hasPrefix("/v1/") && self != .recordNotification
    }

    /// Whether a secret key alone opens it.
    var isForBackends: Bool {
        if pattern.hasPrefix("\(APIWire.apps)/") { return needsCaller }
        switch self {
        case .claimPurchase, .eraseCustomer, .showSignals, .credit, .promote, .endPromotion,
            .listTasks, .runTask, .metrics:
            return true
        default: return false
        }
    }

    /// Whether it writes, and so takes an `Idempotency-Key`.
    var isWrite: Bool {
        [.openOrder, .recordPurchases, .spend, .credit, .promote].contains(self)
    }

    /// What it reads behind the `?`.
    var queryNames: [String] {
        switch self {
        case .showCustomer, .mergeCustomer: ["bundleId"]
        case .showWallet, .listUnclaimed: ["limit", "after"]
        case .endPromotion: ["bundleId", "environment"]
        case .listDeadLetters: ["limit"]
        case .listTasks: ["kind", "app", "failed", "limit", "after"]
        default: []
        }
    }

    /// Whether its answer holds signed entitlements, and so takes a `Till-Nonce`.
    var isSigned: Bool { [.showCustomer, .recordPurchases, .mergeCustomer].contains(self) }

    /// Whether it stands in for Apple's `verifyReceipt`.
    var isReceiptEndpoint: Bool { self == .verifyReceipt || self == .verifySandboxReceipt }

    var summary: String {
        switch self {
        case .openOrder: "Open an order: what the customer is about to pay for"
        case .showOrder: "Follow an order of one's own"
        case .deferOrder: "Say that the buyer waits for approval, so that the order does not expire"
        case .recordPurchases: "Hand in proofs of payment and have the goods handed out, once"
        case .askOwner: "Whose the purchases of a proof are: yours, another's, nobody's"
        case .listUnclaimed: "What was paid and nobody owns"
        case .eraseCustomer: "Take a customer's names out of the records, for good"
        case .claimPurchase: "Say whose an unclaimed transaction is"
        case .mergeCustomer: "Make an anonymous customer part of this one"
        case .showSignals: "What was noted about a customer, and what it adds up to"
        case .showOffers: "The introductory offers that a customer has used up"
        case .showCustomer: "Entitlements, balances and history of a customer"
        case .signOffer: "Sign a promotional offer, or who may have the introductory one"
        case .showSuspects: "Orders that look as if somebody paid and got nothing (backends)"
        case .spend: "Spend from a customer's wallet, once for each name, never below zero"
        case .credit: "Give a customer a credit without a purchase (backends)"
        case .showWallet: "A customer's wallet entry by entry, newest first"
        case .promote: "Let a customer use something without a purchase (backends)"
        case .endPromotion: "End a promotional grant early (backends)"
        case .listTasks: "What waits to be done, when, how often it was tried, and why it failed"
        case .runTask: "Have one task done now"
        case .recordNotification: "App Store Server Notifications, version 2 and 1"
        case .listWebhooks: "An app's endpoints, how they stand and what waits for them"
        case .listDeadLetters: "Events that were put aside after their last attempt"
        case .replayWebhooks: "Send events again, by name or those put aside since a moment"
        case .testWebhooks: "Send a test message now and see how each endpoint answers"
        case .enableWebhook: "Send to an endpoint again that was disabled or paused"
        case .verifyReceipt: "Apple's verifyReceipt, answered offline"
        case .verifySandboxReceipt: "Apple's verifyReceipt for the sandbox, answered offline"
        case .signingKeys: "The public keys under which answers about entitlements are signed"
        case .health: "Whether the process is alive"
        case .readiness: "Whether the database can be read and written"
        case .metrics: "What the server counts and measures of itself, for Prometheus"
        case .openAPI: "This description"
        }
    }

    /// The status of success.
    var success: HTTPStatus {
        switch self {
        case .openOrder, .promote: .created
        case .eraseCustomer: .noContent
        default: .ok
        }
    }

    /// The schemas of the request's and the answer's body, by name.
    var schemas: (request: String?, response: String?) {
        switch self {
        case .openOrder: ("OrderRequest", "Order")
        case .showOrder, .deferOrder: (nil, "Order")
        case .recordPurchases: ("PurchaseRequest", "PurchaseResponse")
        case .askOwner: ("OwnerRequest", "OwnerResponse")
        case .listUnclaimed: (nil, "Unclaimed")
        case .eraseCustomer: (nil, nil)
        case .claimPurchase: ("ClaimRequest", "PurchaseResponse")
        case .mergeCustomer: ("MergeRequest", "Customer")
        case .showSignals: (nil, "Signals")
        case .showOffers: (nil, "Offers")
        case .showCustomer: (nil, "Customer")
        case .listWebhooks: (nil, "WebhookList")
        case .listDeadLetters: (nil, "DeadLetterList")
        case .replayWebhooks: ("ReplayRequest", "ReplayAnswer")
        case .testWebhooks: ("EndpointRequest", "TestAnswer")
        case .enableWebhook: ("EndpointRequest", "Webhook")
        case .signOffer: ("OfferSignatureRequest", "OfferSignature")
        case .showSuspects: (nil, "LostOrders")
        case .spend: ("SpendRequest", "Movement")
        case .credit: ("CreditRequest", "Movement")
        case .showWallet: (nil, "Statement")
        case .promote: ("PromotionRequest", "Promotion")
        case .endPromotion: (nil, "Promotion")
        case .listTasks: (nil, "TaskList")
        case .runTask: ("TaskRequest", "Task")
        case .recordNotification: ("Notification", "NotificationResponse")
        case .verifyReceipt, .verifySandboxReceipt:
            ("VerifyReceiptRequest", "VerifyReceiptResponse")
        case .signingKeys: (nil, nil)
        case .health, .readiness: (nil, "Status")
        case .metrics, .openAPI: (nil, nil)
        }
    }

    /// The problems that a caller should expect, beside those that any request can meet.
    var problems: [ProblemKind] {
        let caller: [ProblemKind] = [.unauthenticated, .invalidToken, .tokenExpired, .forbidden]
        let storage: [ProblemKind] = [.storageUnavailable, .overloaded]
        let body: [ProblemKind] = [.malformedJSON, .invalidRequest, .contentTooLarge]
        let write: [ProblemKind] =
            caller + storage + body
            + [.customerRequired, .invalidCustomer, .bundleRequired, .unknownApp]
            + [.invalidIdempotencyKey, .idempotencyKeyReused]
        return switch self {
        case .openOrder: write + [.unknownProduct]
        case .showOrder, .deferOrder:
            caller + storage + [.customerRequired, .invalidCustomer, .orderNotFound]
        case .recordPurchases:
            write + [.proofMissing] + ProblemKind.proofRefusals
        case .listWebhooks: caller + storage + [.unknownApp]
        case .listDeadLetters: caller + storage + [.unknownApp, .invalidRequest]
        case .replayWebhooks, .testWebhooks, .enableWebhook:
            caller + storage + body + [.unknownApp]
        case .signOffer:
            caller + storage + body
                + [.customerRequired, .invalidCustomer, .bundleRequired, .unknownApp]
                + [.unknownProduct, .orderNotFound, .offersNotConfigured, .unknownOffer]
        case .showSuspects: caller + storage + [.unknownApp]
        case .spend: write + [.nameMissing, .nameTaken, .insufficientBalance]
        case .credit, .promote: write + [.nameMissing, .nameTaken]
        case .showWallet: caller + storage + [.invalidCustomer, .invalidRequest]
        case .endPromotion:
            caller + storage
                + [.invalidCustomer, .invalidRequest, .bundleRequired, .unknownApp]
                + [.promotionNotFound]
        case .askOwner:
            caller + storage + body
                + [.customerRequired, .invalidCustomer, .unknownApp, .proofMissing]
                + ProblemKind.proofRefusals
        case .listUnclaimed: caller + storage + [.unknownApp, .invalidRequest]
        case .claimPurchase:
            caller + storage + body
                + [.invalidCustomer, .bundleRequired, .unknownApp]
                + [.transactionNotFound, .belongsToAnother]
        case .mergeCustomer:
            caller + storage + body + [.invalidCustomer, .mergeRefused, .unknownApp]
        case .showCustomer: caller + storage + [.invalidCustomer, .invalidRequest, .unknownApp]
        case .eraseCustomer, .showSignals, .showOffers:
            caller + storage + [.invalidCustomer]
        case .listTasks: caller + storage + [.invalidRequest, .unknownApp]
        case .runTask: caller + storage + body + [.taskNotFound]
        case .recordNotification:
            storage + body + [.unknownApp, .wrongSharedSecret] + ProblemKind.proofRefusals
        case .readiness: storage
        case .metrics: caller
        case .verifyReceipt, .verifySandboxReceipt: [.contentTooLarge]
        case .health, .openAPI, .signingKeys: []
        }
    }
}
