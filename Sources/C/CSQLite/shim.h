#ifndef TILL_CSQLITE_SHIM_H
#define TILL_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
