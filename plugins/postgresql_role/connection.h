/* SPDX-License-Identifier: Apache-2.0 */
/* connection - one connection to a server: how it is made, kept, and waited for. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "pg.h"

struct pg {
    struct pg *next;
    PGconn *conn;
    int timeout; /* seconds, that the server knows as well */
    char key[];  /* server, login, database */
};

/* Why the connection or its last statement failed, in one line, in memory of the call. */
const char *pg_reason(rhost_ctx *ctx, const struct pg *pg);

/* Ends a transaction that has failed, as far as the connection can. */
void pg_roll_back(struct pg *pg);

#endif
