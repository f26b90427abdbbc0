// TillServerTests
