// StoreKitTests
