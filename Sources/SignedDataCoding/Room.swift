// SignedDataCoding
