// HTTPFetchTests
