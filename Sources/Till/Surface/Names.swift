public import AppStoreModel
public import TillAPI

// The words of the floors below that appear in this surface, so that an app imports `Till` alone.

/// Names a product of the app's catalog; a string literal makes one.
public typealias ProductID = AppStoreModel.ProductID
/// Names one transaction of the store.
public typealias TransactionID = AppStoreModel.TransactionID
/// Names an app.
public typealias BundleID = AppStoreModel.BundleID
/// Names a group of subscriptions of which a person holds one at a time.
public typealias SubscriptionGroupID = AppStoreModel.SubscriptionGroupID
/// What kind of thing a product is.
public typealias ProductType = AppStoreModel.ProductType
/// Which of Apple's environments signed a purchase.
public typealias AppStoreEnvironment = AppStoreModel.AppStoreEnvironment
/// A moment in milliseconds since 1970.
public typealias Timestamp = AppStoreModel.Timestamp
/// One analytics value that travels with a purchase.
public typealias TrackValue = TillAPI.TrackValue
