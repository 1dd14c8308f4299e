/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite-error - what a failure of SQLite means. */
#include "config.h"

#include "collect/sqlite.h"

#include "base/error.h"

int
rh_sqlite_fail(const struct rh_sqlite *s, enum rh_store_fault *fault, struct rh_error *err)
{
    int code = sqlite3_errcode(s->db);

    if (fault)
        *fault = code == SQLITE_TOOBIG || code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH
                     ? RH_FAULT_DATA
                     : RH_FAULT_AWAY;
    return rh_error_set(err, RH_ESYSTEM, "the database refused: %s", sqlite3_errmsg(s->db));
}

int
rh_sqlite_run(const struct rh_sqlite *s, const char *sql, enum rh_store_fault *fault, struct rh_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : rh_sqlite_fail(s, fault, err);
}
