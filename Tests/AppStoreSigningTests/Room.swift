// AppStoreSigningTests
