// SignedDataCodingTests
