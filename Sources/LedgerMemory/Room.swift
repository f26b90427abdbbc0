// LedgerMemory
