// SQLiteDriverTests
