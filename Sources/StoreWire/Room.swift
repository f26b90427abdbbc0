// StoreWire
