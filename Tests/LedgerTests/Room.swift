// LedgerTests
