// AppStoreTrustTests
