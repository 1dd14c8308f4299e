/* SPDX-License-Identifier: Apache-2.0 */
/* connection - one connection to a server: how it is made, and kept. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "sql.h"

struct sql {
    struct sql *next;
    MYSQL *conn;
    int timeout; /* seconds, that the server knows as well */
    char key[];  /* server and login */
};

/* Why the last call failed, in one line, in memory of the call. It took `seconds`. */
const char *sql_reason(rhost_ctx *ctx, const struct sql *sql, double seconds);

/* A time that only goes forward, in seconds. */
double sql_now(void);

/* Tells the host how long a call may take. */
void sql_may_take(rhost_ctx *ctx, int seconds);

enum { SQL_GRACE = 5 };

#endif
