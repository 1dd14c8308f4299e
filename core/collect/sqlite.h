/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite - what the files about SQLite share. */
#ifndef RH_COLLECT_SQLITE_H
#define RH_COLLECT_SQLITE_H

#include "collect/store-parts.h"

#include <sqlite3.h>

enum rh_statement {
    RH_SQL_BEGIN,
    RH_SQL_COMMIT,
    RH_SQL_ROLLBACK,
    RH_SQL_ADD_HOST,
    RH_SQL_FIND_HOST,
    RH_SQL_ADD_REPORT,
    RH_SQL_ADD_EVENT,
    RH_SQL_SEE_HOST,
    RH_SQL_UPDATE_HOST,
    RH_STATEMENTS,
};

struct rh_sqlite {
    struct rh_store store;
    sqlite3 *db;
    sqlite3_stmt *statements[RH_STATEMENTS]; /* prepared when they are used first */
};

/* Sets the error of the connection's last failure; -1. */
int rh_sqlite_fail(const struct rh_sqlite *s, enum rh_store_fault *fault, struct rh_error *err);

/* Runs statements without results. */
RH_CHECKED int rh_sqlite_run(const struct rh_sqlite *s, const char *sql, enum rh_store_fault *fault,
                             struct rh_error *err);

/* sqlite-put.c */
RH_CHECKED int rh_sqlite_put(struct rh_store *store, const struct rh_record *const *records, size_t n,
                             size_t *added, enum rh_store_fault *fault, struct rh_error *err);

/* sqlite-query.c */
RH_CHECKED int rh_sqlite_query(struct rh_store *store, const char *sql, const char *const *parameters,
                               size_t n, rh_store_row row, void *data, struct rh_error *err);

#endif
