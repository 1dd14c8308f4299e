/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql-error - statements without rows, and what a failure of PostgreSQL means. */
#include "config.h"

#include "collect/postgresql.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* By the class of the SQLSTATE: data that no column takes, and everything else. */
static enum rh_store_fault
fault_of(const PGresult *result)
{
    const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;

    return state
                   && (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0
                       || strncmp(state, "54", 2) == 0)
               ? RH_FAULT_DATA
               : RH_FAULT_AWAY;
}

int
rh_postgresql_fail(const struct rh_postgresql *s, const PGresult *result, enum rh_store_fault *fault,
                   struct rh_error *err)
{
    const char *primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    rh_autofree char *message = rh_xstrdup(primary && *primary ? primary : PQerrorMessage(s->connection));
    size_t n = strlen(message);

    while (n && message[n - 1] == '\n')
        message[--n] = '\0';
    if (fault)
        *fault = fault_of(result);
    return rh_error_set(err, RH_ESYSTEM, "the database refused: %s", n ? message : "the connection was lost");
}

int
rh_postgresql_run(const struct rh_postgresql *s, const char *sql, enum rh_store_fault *fault,
                  struct rh_error *err)
{
    PGresult *result = PQexec(s->connection, sql);
    ExecStatusType status = PQresultStatus(result);
    int rc = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
                 ? 0
                 : rh_postgresql_fail(s, result, fault, err);

    PQclear(result);
    return rc;
}

int
rh_postgresql_number(const struct rh_postgresql *s, const char *sql, long *to, enum rh_store_fault *fault,
                     struct rh_error *err)
{
    PGresult *result = PQexec(s->connection, sql);
    int rc = 0;

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) < 1)
        rc = rh_postgresql_fail(s, result, fault, err);
    else
        *to = strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return rc;
}
