// AppStoreSigning
