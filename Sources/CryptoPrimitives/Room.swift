// CryptoPrimitives
