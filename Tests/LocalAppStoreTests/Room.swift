// LocalAppStoreTests
