/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite-query - one statement that reads. */
#include "config.h"

#include "collect/sqlite.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The file of the reports, and no other. */
static int
allow(void *data, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)data;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

static struct rh_store_cell
cell(sqlite3_stmt *st, int i)
{
    const char *type = sqlite3_column_decltype(st, i);
    struct rh_store_cell c = { .kind = RH_CELL_TEXT };

    switch (sqlite3_column_type(st, i)) {
    case SQLITE_NULL:
        return (struct rh_store_cell){ .kind = RH_CELL_NULL, .text = "" };
    case SQLITE_INTEGER:
        if (type && strcmp(type, "BOOLEAN") == 0)
            return (struct rh_store_cell){ RH_CELL_BOOLEAN, sqlite3_column_int(st, i) ? "t" : "f", 1 };
        c.kind = RH_CELL_NUMBER;
        break;
    case SQLITE_FLOAT:
        c.kind = RH_CELL_NUMBER;
        break;
    default:
        if (type && strcmp(type, "JSON_TEXT") == 0)
            c.kind = RH_CELL_JSON;
        break;
    }
    c.text = (const char *)sqlite3_column_text(st, i);
    c.n = (size_t)sqlite3_column_bytes(st, i);
    if (!c.text)
        c.text = "";
    return c;
}

/* Calls back for each row; SQLITE_DONE when that was all. */
static int
give_rows(sqlite3_stmt *st, rh_store_row row, void *data)
{
    int n = sqlite3_column_count(st), rc;
    struct rh_store_cell *cells = rh_xalloc(rh_xmul((size_t)n + 1, sizeof *cells));
    const char **names = rh_xalloc(rh_xmul((size_t)n + 1, sizeof *names));

    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(st, i);
    rc = row(data, (size_t)n, names, NULL) < 0 ? SQLITE_DONE : SQLITE_ROW;
    while (rc == SQLITE_ROW && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            cells[i] = cell(st, i);
        if (row(data, (size_t)n, names, cells) < 0)
            rc = SQLITE_DONE;
    }
    free(cells);
    free(names);
    return rc;
}

int
rh_sqlite_query(struct rh_store *store, const char *sql, const char *const *parameters, size_t n,
                rh_store_row row, void *data, struct rh_error *err)
{
    struct rh_sqlite *s = (struct rh_sqlite *)store;
    sqlite3_stmt *st = NULL;
    const char *rest = NULL;
    int rc, result = 0;

    (void)sqlite3_set_authorizer(s->db, allow, NULL);
    rc = sqlite3_prepare_v2(s->db, sql, -1, &st, &rest);
    if (rc == SQLITE_OK && (!st || rest[strspn(rest, " \t\r\n;")]))
        result = rh_error_set(err, RH_EINPUT, "a query must be one statement");
    for (size_t i = 0; result == 0 && rc == SQLITE_OK && i < n; i++)
        rc = sqlite3_bind_text(st, (int)i + 1, parameters[i], -1, SQLITE_STATIC);
    if (result == 0 && rc == SQLITE_OK)
        rc = give_rows(st, row, data);
    if (result == 0 && rc != SQLITE_DONE)
        result = rh_sqlite_fail(s, NULL, err);
    (void)sqlite3_finalize(st);
    (void)sqlite3_set_authorizer(s->db, NULL, NULL);
    return result;
}
