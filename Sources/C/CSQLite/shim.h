#ifndef TILL_CSQLITE_SHIM_H
#define TILL_CSQLITE_SHIM_H
#include <sqlite3.h>

/* Variadic, and so not callable from Swift: every piece of memory is counted under one lock otherwise. */
static inline int till_sqlite3_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
#endif
