// TillCLITests
