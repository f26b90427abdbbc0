// AppStoreModelTests
