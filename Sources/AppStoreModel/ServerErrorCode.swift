/// The number in an error of the App Store Server API; its first three digits are the HTTP status.
public struct ServerErrorCode: OpenNumber {
    /// Apple's number.
    public let rawValue: Int64
    /// Takes any number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status that goes with it.
    public var httpStatus: Int { Int(rawValue / 10_000) }

    /// Apple's name of the error, where it is known.
    public var name: String? { Self.byCode[rawValue]?.name }

    /// What Apple writes on the wire, where it is known.
    public var message: String? { Self.byCode[rawValue]?.message }

    /// Whether the same request may succeed later; unknown ones by their status.
    public var isRetryable: Bool {
        if let name, name.contains("Retryable") { return true }
        return httpStatus == 429 || httpStatus >= 500
    }

    /// Every code that Apple is known to send.
    public static let known: [ServerErrorCode] = table.map { ServerErrorCode(rawValue: $0.code) }

    private static let byCode = Dictionary(
        table.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

    struct Row {
        let code: Int64
        let name: String
        let message: String?

        init(_ code: Int64, _ name: String, _ message: String? = nil) {
            self.code = code
            self.name = name
            self.message = message
        }
    }

    /// Codes, names and texts; where nobody has seen the text, there is none.
    static let table: [Row] = [
        Row(4_000_000, "generalBadRequest", "Bad request."),
        Row(4_000_002, "invalidAppIdentifier", "Invalid request app identifier."),
        Row(4_000_005, "invalidRequestRevision", "Invalid request revision."),
        Row(4_000_006, "invalidTransactionId", "Invalid transaction id."),
        Row(4_000_008, "invalidOriginalTransactionId", "Invalid original transaction id."),
        Row(4_000_009, "invalidExtendByDays", "Invalid extend by days value."),
        Row(4_000_010, "invalidExtendReasonCode", "Invalid extend reason code."),
        Row(4_000_011, "invalidRequestIdentifier", "Invalid request identifier."),
        Row(
            4_000_012, "startDateTooFarInPast",
            "Invalid request. The start date is earlier than the allowed start date."),
        Row(
            4_000_013, "startDateAfterEndDate",
            "Invalid request. The end date precedes the start date or the dates are the same."),
        Row(
            4_000_014, "invalidPaginationToken",
            "Invalid request. The pagination token is invalid."),
        Row(
            4_000_015, "invalidStartDate",
            "Invalid request. The start date is not a timestamp value represented in "
                + "milliseconds."),
        Row(
            4_000_016, "invalidEndDate",
            "Invalid request. The end date is not a timestamp value represented in milliseconds."),
        Row(
            4_000_017, "paginationTokenExpired",
            "Invalid request. The pagination token is expired."),
        Row(
            4_000_018, "invalidNotificationType",
            "Invalid request. The notification type or subtype is invalid."),
        Row(
            4_000_019, "multipleFiltersSupplied",
            "Invalid request. Supply either a transaction id or a notification type, but "
                + "not both."),
        Row(
            4_000_020, "invalidTestNotificationToken",
            "Invalid request. The test notification token is invalid."),
        Row(4_000_021, "invalidSort", "Invalid request. The sort parameter is invalid."),
        Row(
            4_000_022, "invalidProductType",
            "Invalid request. The product type parameter is invalid."),
        Row(4_000_023, "invalidProductId", "Invalid request. The product id parameter is invalid."),
        Row(
            4_000_024, "invalidSubscriptionGroupIdentifier",
            "Invalid request. The subscription group identifier parameter is invalid."),
        Row(
            4_000_025, "invalidExcludeRevoked",
            "Invalid request. The exclude revoked parameter is invalid."),
        Row(
            4_000_026, "invalidInAppOwnershipType",
            "Invalid request. The in-app ownership type parameter is invalid."),
        Row(
            4_000_027, "invalidEmptyStorefrontCountryCodeList",
            "Invalid request. If provided, the list of storefront country codes must not "
                + "be empty."),
        Row(
            4_000_028, "invalidStorefrontCountryCode",
            "Invalid request. A storefront country code was invalid."),
        Row(4_000_030, "invalidRevoked", "Invalid request. The revoked parameter is invalid."),
        Row(4_000_031, "invalidStatus", "Invalid request. The status parameter is invalid."),
        Row(
            4_000_032, "invalidAccountTenure",
            "Invalid request. The account tenure field is invalid."),
        Row(
            4_000_033, "invalidAppAccountToken",
            "Invalid request. The app account token field must contain a valid UUID or an "
                + "empty string."),
        Row(
            4_000_034, "invalidConsumptionStatus",
            "Invalid request. The consumption status field is invalid."),
        Row(
            4_000_035, "invalidCustomerConsented",
            "Invalid request. The customer consented field is required and must indicate "
                + "the customer consented."),
        Row(
            4_000_036, "invalidDeliveryStatus",
            "Invalid request. The delivery status field is invalid."),
        Row(
            4_000_037, "invalidLifetimeDollarsPurchased",
            "Invalid request. The lifetime dollars purchased field is invalid."),
        Row(
            4_000_038, "invalidLifetimeDollarsRefunded",
            "Invalid request. The lifetime dollars refunded field is invalid."),
        Row(4_000_039, "invalidPlatform", "Invalid request. The platform field is invalid."),
        Row(4_000_040, "invalidPlayTime", "Invalid request. The playtime field is invalid."),
        Row(
            4_000_041, "invalidSampleContentProvided",
            "Invalid request. The sample content provided field is invalid."),
        Row(4_000_042, "invalidUserStatus", "Invalid request. The user status field is invalid."),
        Row(
            4_000_043, "invalidTransactionNotConsumable",
            "Invalid request. The transaction id parameter must represent a consumable "
                + "in-app purchase."),
        Row(
            4_000_044, "invalidRefundPreference",
            "Invalid request. The refund preference field is invalid."),
        Row(
            4_000_047, "invalidTransactionTypeNotSupported",
            "Invalid request. The transaction id doesn't represent a supported in-app "
                + "purchase type."),
        Row(
            4_000_048, "appTransactionIdNotSupported",
            "Invalid request. App transactions aren't supported by this endpoint."),
        Row(4_000_161, "invalidImage"),
        Row(4_000_162, "headerTooLong"),
        Row(4_000_163, "bodyTooLong"),
        Row(4_000_164, "invalidLocale"),
        Row(4_000_175, "altTextTooLong"),
        Row(
            4_000_183, "invalidAppAccountTokenUuid",
            "Invalid request. The app account token field must be a valid UUID."),
        Row(
            4_000_185, "familyTransactionNotSupported",
            "Invalid request. Family Sharing transactions aren't supported by this endpoint."),
        Row(
            4_000_187, "transactionIdIsNotOriginalTransactionId",
            "Invalid request. The transaction ID provided is not an original transaction ID."),
        Row(
            4_000_209, "consumptionPercentageAutoRenewableSubscription",
            "Invalid request. The consumption percentage field is not supported for "
                + "auto-renewable subscription transactions."),
        Row(4_000_211, "invalidPerformanceTestRequest"),
        Row(4_000_212, "invalidRequestId"),
        Row(4_000_213, "existingPerformanceTestRun"),
        Row(4_000_215, "badRequestRealtimeUrl"),
        Row(4_000_216, "badRequestImageSize"),
        Row(4_000_218, "badRequestTooManyBulletPoints"),
        Row(4_000_219, "badRequestBulletPointTextTooLong"),
        Row(4_000_224, "badRequestAboveImageRequiresAnImage"),
        Row(4_000_225, "invalidGroupId", "Invalid request. The group ID is invalid."),
        Row(
            4_000_227, "invalidAssignedTransactionNotSupported",
            "Invalid request. Assigned transactions aren't supported by this endpoint."),
        Row(
            4_030_004, "subscriptionExtensionIneligible",
            "Forbidden - subscription state ineligible for extension."),
        Row(
            4_030_005, "subscriptionMaxExtension",
            "Forbidden - subscription has reached maximum extension count."),
        Row(
            4_030_007, "familySharedSubscriptionExtensionIneligible",
            "Subscriptions that users obtain through Family Sharing can't get a renewal "
                + "date extension directly."),
        Row(4_030_014, "maximumNumberOfImagesReached"),
        Row(4_030_016, "maximumNumberOfMessagesReached"),
        Row(4_030_017, "messageNotApproved"),
        Row(4_030_018, "imageNotApproved"),
        Row(4_030_019, "imageInUse"),
        Row(4_030_026, "forbiddenNoPassingTest"),
        Row(4_040_001, "accountNotFound", "Account not found."),
        Row(4_040_002, "accountNotFoundRetryable", "Account not found. Please try again."),
        Row(4_040_003, "appNotFound", "App not found."),
        Row(4_040_004, "appNotFoundRetryable", "App not found. Please try again."),
        Row(4_040_005, "originalTransactionIdNotFound", "Original transaction id not found."),
        Row(
            4_040_006, "originalTransactionIdNotFoundRetryable",
            "Original transaction id not found. Please try again."),
        Row(
            4_040_007, "serverNotificationURLNotFound",
            "No App Store Server Notification URL found for provided app. Check that a URL "
                + "is configured in App Store Connect for this environment."),
        Row(
            4_040_008, "testNotificationNotFound",
            "Either the test notification token is expired or the notification and status "
                + "are not yet available."),
        Row(
            4_040_009, "statusRequestNotFound",
            "The server didn't find a subscription-renewal-date extension request for this "
                + "requestIdentifier and productId combination."),
        Row(4_040_010, "transactionIdNotFound", "Transaction id not found."),
        Row(4_040_014, "imageNotFound"),
        Row(4_040_015, "messageNotFound"),
        Row(4_040_018, "performanceTestRunNotFound"),
        Row(4_040_019, "appTransactionDoesNotExist", "No AppTransaction exists for the customer."),
        Row(4_040_020, "defaultMessageNotFound"),
        Row(4_040_021, "realtimeUrlNotFound"),
        Row(4_090_000, "imageAlreadyExists"),
        Row(4_090_001, "messageAlreadyExists"),
        Row(4_290_000, "rateLimitExceeded", "Rate limit exceeded."),
        Row(5_000_000, "generalInternal", "An unknown error occurred."),
        Row(5_000_001, "generalInternalRetryable", "An unknown error occurred. Please try again."),
    ]
}

extension ServerErrorCode {
    /// Bad request.
    public static let generalBadRequest = Self(rawValue: 4_000_000)
    /// Invalid transaction id.
    public static let invalidTransactionID = Self(rawValue: 4_000_006)
    /// Rate limit exceeded.
    public static let rateLimitExceeded = Self(rawValue: 4_290_000)
    /// Apple's server failed.
    public static let generalInternal = Self(rawValue: 5_000_000)
    /// Apple's server failed; the same request may succeed later.
    public static let generalInternalRetryable = Self(rawValue: 5_000_001)
    /// Transaction id not found.
    public static let transactionIDNotFound = Self(rawValue: 4_040_010)
    /// Original transaction id not found.
    public static let originalTransactionIDNotFound = Self(rawValue: 4_040_005)
    /// The app has no address for notifications in this environment.
    public static let serverNotificationURLNotFound = Self(rawValue: 4_040_007)
    /// Either the test notification token is expired or the notification and status are not yet available.
    public static let testNotificationNotFound = Self(rawValue: 4_040_008)
    /// The app account token field must be a valid UUID.
    public static let invalidAppAccountTokenUUID = Self(rawValue: 4_000_183)
    /// The transaction ID provided is not an original transaction ID.
    public static let transactionIDIsNotOriginalTransactionID = Self(rawValue: 4_000_187)
    /// Family Sharing transactions aren't supported by this endpoint.
    public static let familyTransactionNotSupported = Self(rawValue: 4_000_185)
    /// No AppTransaction exists for the customer.
    public static let appTransactionDoesNotExist = Self(rawValue: 4_040_019)
}
