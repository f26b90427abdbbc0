// TillAPI
