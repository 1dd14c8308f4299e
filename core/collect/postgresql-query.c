/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql-query - one statement that reads, in a transaction that cannot write. */
#include "config.h"

#include "collect/postgresql.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The OIDs of types, as pg_type.dat of PostgreSQL has them; they never change. */
enum {
    BOOL = 16,
    INT8 = 20,
    INT2 = 21,
    INT4 = 23,
    JSON = 114,
    FLOAT4 = 700,
    FLOAT8 = 701,
    NUMERIC = 1700,
    JSONB = 3802,
};

static enum rh_store_cell_kind
kind_of(Oid type, const char *text)
{
    switch (type) {
    case BOOL:
        return RH_CELL_BOOLEAN;
    case INT2:
    case INT4:
    case INT8:
    case FLOAT4:
    case FLOAT8:
    case NUMERIC: /* which may be NaN or Infinity */
        return text[strspn(text, "+-0123456789.eE")] ? RH_CELL_TEXT : RH_CELL_NUMBER;
    case JSON:
    case JSONB:
        return RH_CELL_JSON;
    default:
        return RH_CELL_TEXT;
    }
}

static int
give_row(const PGresult *result, rh_store_row row, void *data, const char *const *names,
         struct rh_store_cell *cells)
{
    int n = PQnfields(result);

    for (int i = 0; i < n; i++) {
        cells[i] = (struct rh_store_cell){ .kind = RH_CELL_NULL, .text = "" };
        if (PQgetisnull(result, 0, i))
            continue;
        cells[i].text = PQgetvalue(result, 0, i);
        cells[i].n = (size_t)PQgetlength(result, 0, i);
        cells[i].kind = kind_of(PQftype(result, i), cells[i].text);
    }
    return row(data, (size_t)n, names, cells);
}

/* All results are fetched, also when no more rows are taken. */
static int
give_rows(const struct rh_postgresql *s, rh_store_row row, void *data, struct rh_error *err)
{
    PGresult *result;
    struct rh_store_cell *cells = NULL;
    bool more = true, copies = false;
    int rc = 0;

    /* A COPY gives the same result again and again; ROLLBACK ends it. */
    while (!copies && (result = PQgetResult(s->connection))) {
        ExecStatusType status = PQresultStatus(result);
        size_t n = (size_t)PQnfields(result);
        const char **names = rh_xalloc(rh_xmul(n + 1, sizeof *names));
        bool first = !cells;

        for (size_t i = 0; i < n; i++)
            names[i] = PQfname(result, (int)i);
        if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
            copies = status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
            rc = copies                       ? rh_error_set(err, RH_EINPUT, "a query must not be a COPY")
                 : status == PGRES_COMMAND_OK ? rh_error_set(err, RH_EINPUT, "a query must be one statement")
                                              : rh_postgresql_fail(s, result, NULL, err);
            more = false;
        }
        if (first)
            cells = rh_xalloc(rh_xmul(n + 1, sizeof *cells));
        if (more && first && row(data, n, names, NULL) < 0)
            more = false;
        if (more && status == PGRES_SINGLE_TUPLE && give_row(result, row, data, names, cells) < 0)
            more = false;
        free(names);
        PQclear(result);
    }
    free(cells);
    return rc;
}

int
rh_postgresql_query(struct rh_store *store, const char *sql, const char *const *parameters, size_t n,
                    rh_store_row row, void *data, struct rh_error *err)
{
    const struct rh_postgresql *s = (const struct rh_postgresql *)store;
    int rc = rh_postgresql_run(s, "BEGIN READ ONLY", NULL, err);

    if (rc < 0)
        return -1;
    /* This way of sending takes one statement only: none can end the transaction and go on. */
    if (PQsendQueryParams(s->connection, sql, (int)n, NULL, parameters, NULL, NULL, 0) != 1
        || PQsetSingleRowMode(s->connection) != 1)
        rc = rh_postgresql_fail(s, NULL, NULL, err);
    else
        rc = give_rows(s, row, data, err);
    rh_discard(rh_postgresql_run(s, "ROLLBACK", NULL, NULL));
    return rc;
}
