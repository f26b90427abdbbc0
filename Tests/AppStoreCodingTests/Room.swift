// AppStoreCodingTests
