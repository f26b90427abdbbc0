// AppStoreCoding
