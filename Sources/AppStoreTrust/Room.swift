// AppStoreTrust
