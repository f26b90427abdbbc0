// CryptoPrimitivesTests
