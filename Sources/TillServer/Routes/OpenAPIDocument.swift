import AppStoreModel
import HTTPMessage
import TillAPI
import TillLedger

/// `/openapi.json` (OpenAPI 3.1), made from the route table, the table of problems and the schemas.
enum OpenAPIDocument {
    static let value: JSONValue = [
        "openapi": "3.1.0",
        "info": [
            "title": "Till", "version": "1",
            "description": "Orders, proofs of payment, entitlements.",
        ],
        "paths": paths,
        "components": [
            "schemas": schemas,
            "securitySchemes": [
                "customerToken": [
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "HS256, `sub` is the customer's id",
                ],
                "secretKey": [
                    "type": "http", "scheme": "bearer",
                    "description": "a backend's secret key, with `Till-Customer: <id>`",
                ],
            ],
        ],
    ]

    private static var paths: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for endpoint in Endpoint.allCases {
            let path = endpoint.pattern.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
                .joined(separator: "/")
            paths[path, default: [:]][endpoint.method.rawValue.lowercased()] = operation(endpoint)
        }
        return .object(paths.mapValues { .object($0) })
    }

    private static func operation(_ endpoint: Endpoint) -> JSONValue {
        var operation: [String: JSONValue] = [
            "operationId": .string(endpoint.rawValue), "summary": .string(endpoint.summary),
            "responses": responses(endpoint), "parameters": .array(parameters(endpoint)),
        ]
        if let schema = endpoint.schemas.request {
            operation["requestBody"] = [
                "required": true,
                "content": ["application/json": ["schema": reference(schema)]],
            ]
        }
        if endpoint.needsCaller {
            let customer: [JSONValue] = endpoint.isForBackends ? [] : [["customerToken": []]]
            operation["security"] = .array(customer + [["secretKey": []]])
        }
        return .object(operation)
    }

    private static func parameters(_ endpoint: Endpoint) -> [JSONValue] {
        var parameters: [JSONValue] = endpoint.pattern.split(separator: "/")
            .filter { $0.hasPrefix(":") }
            .map { parameter(String($0.dropFirst()), in: "path", isRequired: true) }
        parameters += endpoint.queryNames.map { parameter($0, in: "query") }
        if endpoint.needsCaller {
            parameters.append(parameter(APIWire.customerField, in: "header"))
            parameters.append(parameter(APIWire.publishableKeyField, in: "header"))
        }
        if endpoint.isWrite { parameters.append(parameter(APIWire.idempotencyField, in: "header")) }
        if endpoint.isSigned { parameters.append(parameter(APIWire.nonceField, in: "header")) }
        return parameters
    }

    private static func parameter(
        _ name: String, in place: String, isRequired: Bool = false
    ) -> JSONValue {
        [
            "name": .string(name), "in": .string(place), "required": .bool(isRequired),
            "schema": ["type": "string"],
        ]
    }

    private static func responses(_ endpoint: Endpoint) -> JSONValue {
        var responses: [String: JSONValue] = [:]
        var success: [String: JSONValue] = ["description": "done"]
        if let schema = endpoint.schemas.response {
            success["content"] = ["application/json": ["schema": reference(schema)]]
        }
        responses[String(endpoint.success.rawValue)] = .object(success)
        let byStatus = Dictionary(grouping: endpoint.problems, by: \.facts.status)
        for (status, kinds) in byStatus {
            let codes = kinds.map(\.rawValue).joined(separator: ", ")
            responses[String(status)] = [
                "description": .string(codes),
                "content": [APIWire.problemMediaType: ["schema": reference("Problem")]],
            ]
        }
        return .object(responses)
    }

    private static func reference(_ schema: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(schema)")]
    }
}

// MARK: Schemas

extension OpenAPIDocument {
    /// The shape of one field.
    private enum Shape {
        case string, uuid, integer, number, time, flag, strings
        case list(String)
        case one(String)
        case words([String])
        case counts
        case countsByName
        case scalars

        var value: JSONValue {
            switch self {
            case .string: ["type": "string"]
            case .uuid: ["type": "string", "format": "uuid"]
            case .integer: ["type": "integer"]
            case .number: ["type": "number"]
            case .time:
                [
                    "type": "integer", "description": "milliseconds since 1970-01-01T00:00:00Z",
                ]
            case .flag: ["type": "boolean"]
            case .strings: ["type": "array", "items": ["type": "string"]]
            case .list(let schema): ["type": "array", "items": OpenAPIDocument.reference(schema)]
            case .one(let schema): OpenAPIDocument.reference(schema)
            case .words(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
            case .counts: ["type": "object", "additionalProperties": ["type": "integer"]]
            case .countsByName:
                [
                    "type": "object", "additionalProperties": Shape.counts.value,
                ]
            case .scalars:
                [
                    "type": "object",
                    "additionalProperties": ["type": ["string", "number", "boolean"]],
                ]
            }
        }
    }

    /// An object of fields; a name that ends in `?` may be absent.
    private static func object(_ fields: KeyValuePairs<String, Shape>) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        var required: [JSONValue] = []
        for (name, shape) in fields {
            let isOptional = name.hasSuffix("?")
            let name = isOptional ? String(name.dropLast()) : name
            properties[name] = shape.value
            if !isOptional { required.append(.string(name)) }
        }
        return [
            "type": "object", "properties": .object(properties), "required": .array(required),
        ]
    }

    private static let owner = Shape.words(["you", "another", "nobody"])
    private static let outcome = Shape.words(["granted", "alreadyGranted", "pending", "refused"])

    private static var schemas: JSONValue {
        [
            "OrderRequest": object([
                "bundleId?": .string, "productId": .string, "quantity?": .integer,
                "price?": .integer, "currency?": .string, "environment?": .string,
            ]),
            "Order": object([
                "orderId": .uuid,
                "status": .words(["open", "deferred", "paid", "fulfilled", "refunded", "expired"]),
                "bundleId?": .string, "productId": .string, "quantity": .integer,
                "expiresAt": .time, "createdAt?": .time, "transactionId?": .string,
                "flags?": .strings,
            ]),
            "LostOrders": object(["suspects": .list("LostOrder")]),
            "LostOrder": object([
                "order": .one("Order"), "customerId": .string,
                "suspicion": .words(["paidNotFulfilled", "unclaimedPayment"]),
                "transactionId": .string, "environment": .string,
            ]),
            "PurchaseRequest": object([
                "bundleId?": .string, "receipt?": .string, "signedTransactions?": .strings,
                "orderId?": .uuid, "transactionIds?": .strings, "restore?": .flag,
                "track?": .scalars,
            ]),
            "PurchaseResponse": object([
                "results": .list("TransactionReport"), "refusedProofs?": .list("RefusedProof"),
                "absentTransactionIds?": .strings, "customer": .one("Customer"),
            ]),
            "TransactionReport": object([
                "transactionId": .string, "originalTransactionId": .string, "productId": .string,
                "outcome": outcome, "reason?": .string, "orderId?": .uuid, "finish": .flag,
                "environment?": .string,
            ]),
            "RefusedProof": object([
                "proof": .string, "code": .string, "detail?": .string, "finish": .flag,
                "retryable": .flag,
            ]),
            "Customer": object([
                "customerId": .string, "entitlements": .list("Entitlement"),
                "subscriptions": .list("Subscription"), "balances": .counts,
                "balancesByEnvironment": .countsByName, "debtsByEnvironment?": .countsByName,
                "signedEntitlements?": .string, "transactions": .list("Transaction"),
            ]),
            "Entitlement": object([
                "entitlement": .string, "active": .flag, "expiresAt?": .time, "productId": .string,
                "bundleId": .string, "environment": .string, "promotionId?": .string,
            ]),
            "SpendRequest": object([
                "bundleId?": .string, "environment?": .string, "currency": .string,
                "amount": .integer, "spendId?": .string, "reason?": .string,
            ]),
            "CreditRequest": object([
                "bundleId?": .string, "environment?": .string, "currency": .string,
                "amount": .integer, "creditId?": .string, "reason": .string,
            ]),
            "Movement": object([
                "id": .string, "currency": .string, "amount": .integer, "balance": .integer,
                "environment": .string, "at": .time,
            ]),
            "Statement": object(["entries": .list("StatementLine"), "next?": .string]),
            "StatementLine": object([
                "bundleId": .string, "environment": .string, "currency": .string,
                "amount": .integer, "debt?": .integer,
                "account": .words(["sales", "refunds", "spent", "promotions"]),
                "cause": .string, "reason?": .string, "at": .time,
            ]),
            "PromotionRequest": object([
                "bundleId?": .string, "environment?": .string, "entitlement": .string,
                "endsAt?": .time, "promotionId?": .string, "reason": .string,
            ]),
            "Promotion": object([
                "promotionId": .string, "entitlement": .string, "environment": .string,
                "at": .time, "endsAt?": .time, "reason": .string,
            ]),
            "Subscription": object([
                "originalTransactionId": .string, "productId": .string, "groupId?": .string,
                "status": .words([
                    "active", "inGracePeriod", "inBillingRetry", "expired", "revoked",
                ]),
                "expiresAt": .time, "gracePeriodExpiresAt?": .time, "autoRenew?": .flag,
                "autoRenewProductId?": .string, "willExpireReason?": .string,
                "offer?": .one("SubscriptionOffer"), "nextOffer?": .one("SubscriptionOffer"),
                "priceIncrease?": .words(["awaitingConsent", "accepted"]), "familyShared": .flag,
                "bundleId": .string, "environment": .string,
            ]),
            "SubscriptionOffer": object(["type": .string, "id?": .string]),
            "Notification": [
                "type": "object",
                "properties": [
                    "signedPayload": ["type": "string"], "notification_type": ["type": "string"],
                ],
                "description": "version 2 has `signedPayload`, version 1 `notification_type`",
            ],
            "NotificationResponse": object([
                "notificationUUID": .string, "effect": .string, "repeated": .flag,
            ]),
            "Transaction": object([
                "transactionId": .string, "originalTransactionId": .string, "bundleId": .string,
                "productId": .string, "quantity": .integer, "environment": .string,
                "outcome": outcome, "reason?": .string, "purchaseDate?": .time,
                "expiresDate?": .time, "revocationDate?": .time, "orderId?": .uuid,
                "recordedAt?": .time,
            ]),
            "WebhookList": object(["endpoints": .list("Webhook")]),
            "Webhook": object([
                "name": .string, "url?": .string, "events?": .strings,
                "state": .words(["enabled", "disabled", "unconfigured"]), "waiting": .integer,
                "oldestWaiting?": .time, "dead": .integer, "pausedUntil?": .time,
                "disabledAt?": .time, "disabledBecause?": .string,
            ]),
            "DeadLetterList": object(["deadLetters": .list("DeadLetter")]),
            "DeadLetter": object([
                "eventId": .uuid, "endpoint": .string, "type": .string, "customerId": .string,
                "sequence": .integer, "happenedAt": .time, "putAsideAt": .time,
                "attempts": .integer, "status?": .integer, "error": .string,
            ]),
            "TaskList": object(["tasks": .list("Task"), "next?": .string]),
            "Task": object([
                "kind": .string, "subject": .string,
                "state": .words(["due", "waiting", "running"]), "dueAt": .time,
                "attempts": .integer, "lastError?": .string, "bundleId?": .string,
                "environment?": .string, "name?": .string,
            ]),
            "TaskRequest": object(["kind": .string, "subject": .string]),
            "ReplayRequest": object(["eventIds?": .strings, "since?": .time]),
            "ReplayAnswer": object(["replayed": .integer]),
            "EndpointRequest": object(["endpoint?": .string]),
            "TestAnswer": object(["eventId": .uuid, "results": .list("TestResult")]),
            "TestResult": object([
                "endpoint": .string, "delivered": .flag, "status?": .integer, "error?": .string,
            ]),
            "Problem": object([
                "type": .string, "title": .string, "status": .integer, "detail?": .string,
                "code": .words(ProblemKind.allCases.map(\.rawValue)), "finish": .flag,
                "retryable": .flag, "retryAfter?": .integer, "requestId?": .string,
                "refusedProofs?": .list("RefusedProof"),
            ]),
            "OfferSignatureRequest": object([
                "bundleId?": .string,
                "kind?": .words(["promotional", "introductoryEligibility"]),
                "productId": .string, "offerId?": .string, "orderId?": .uuid,
                "transactionId?": .string, "allowIntroductoryOffer?": .flag,
            ]),
            "OfferSignature": object([
                "keyId": .string, "nonce": .uuid, "timestamp": .time, "signature?": .string,
                "compactJws?": .string, "allowIntroductoryOffer?": .flag,
            ]),
            "VerifyReceiptRequest": object([
                "receipt-data": .string, "password?": .string, "exclude-old-transactions?": .flag,
            ]),
            "VerifyReceiptResponse": [
                "type": "object", "properties": ["status": ["type": "integer"]],
                "required": ["status"],
                "description": "as Apple describes it; every error is 200 with a `status`",
            ],
            "OwnerRequest": object([
                "bundleId?": .string, "receipt?": .string, "signedTransactions?": .strings,
                "transactionIds?": .strings,
            ]),
            "OwnerResponse": object([
                "owner": owner, "transactions": .list("OwnedTransaction"),
                "refusedProofs?": .list("RefusedProof"),
            ]),
            "OwnedTransaction": object([
                "transactionId": .string, "originalTransactionId": .string, "productId": .string,
                "environment": .string, "expiresDate?": .time, "owner": owner,
            ]),
            "Unclaimed": object([
                "transactions": .list("UnclaimedTransaction"), "next?": .string,
            ]),
            "UnclaimedTransaction": object([
                "transactionId": .string, "originalTransactionId": .string, "productId": .string,
                "quantity": .integer, "environment": .string, "purchaseDate": .time,
                "recordedAt": .time,
            ]),
            "ClaimRequest": object([
                "transactionId": .string, "environment?": .string, "bundleId?": .string,
            ]),
            "MergeRequest": object(["from": .string, "fromToken?": .string]),
            "Signals": object([
                "customerId": .string, "score": .number, "signals": .list("Signal"),
            ]),
            "Signal": object([
                "kind": .words(SignalKind.allCases.map(\.rawValue)), "subject": .string,
                "count": .integer, "weight": .number, "firstAt": .time, "lastAt": .time,
            ]),
            "Offers": object([
                "customerId": .string, "usedIntroductoryOffers": .list("OfferUse"),
            ]),
            "OfferUse": object([
                "bundleId": .string, "environment": .string, "subscriptionGroupId?": .string,
                "productId": .string, "transactionId": .string, "originalTransactionId": .string,
                "usedAt": .time,
            ]),
            "Status": object(["status": .string]),
        ]
    }
}
