// TillServer
