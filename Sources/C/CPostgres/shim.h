#ifndef TILL_CPOSTGRES_SHIM_H
#define TILL_CPOSTGRES_SHIM_H
#include <libpq-fe.h>

/* A callback that keeps the library from writing notices to standard error. */
static inline void till_pq_drop_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}

static inline void till_pq_silence(PGconn *connection) {
    PQsetNoticeReceiver(connection, till_pq_drop_notice, NULL);
}
#endif
