/// The attributes of an app receipt that have a field in `AppReceipt`.
///
/// Apple documents 2, 3, 4, 5, 12, 17, 18, 19 and 21; the others are known from real receipts.
enum AppAttribute: Int64, CaseIterable {
    case receiptType = 0
    case appItemID = 1
    case bundleID = 2
    case applicationVersion = 3
    case opaqueValue = 4
    case hash = 5
    case transactionDate = 8
    case fulfillmentToolVersion = 9
    case ageRating = 10
    case developerID = 11
    case creationDate = 12
    case downloadID = 15
    case versionExternalIdentifier = 16
    case inApp = 17
    case originalPurchaseDate = 18
    case originalApplicationVersion = 19
    case expirationDate = 21
}

/// The attributes of a purchase that have a field in `InAppPurchase`.
///
/// Apple documents 1701 to 1706, 1708, 1711, 1712 and 1719; the others are known from real receipts.
enum InAppAttribute: Int64, CaseIterable {
    case quantity = 1701
    case productID = 1702
    case transactionID = 1703
    case purchaseDate = 1704
    case originalTransactionID = 1705
    case originalPurchaseDate = 1706
    case productType = 1707
    case expiresDate = 1708
    case inAppItemID = 1710
    case webOrderLineItemID = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isInIntroOfferPeriod = 1719
    case promotionalOfferID = 1721
}
