// LedgerSQLite
