// TillLedger
