/* SPDX-License-Identifier: Apache-2.0 */
/* store-parts - what each kind of database does for store.h, and the SQL that both are given. */
#ifndef RH_COLLECT_STORE_PARTS_H
#define RH_COLLECT_STORE_PARTS_H

#include "collect/store.h"

struct rh_buf;

struct rh_store_kind {
    struct rh_store *(*open)(const char *where, bool writes, enum rh_store_fault *fault,
                             struct rh_error *err);
    int (*put)(struct rh_store *s, const struct rh_record *const *records, size_t n, size_t *added,
               enum rh_store_fault *fault, struct rh_error *err);
    int (*retain)(struct rh_store *s, unsigned seconds, size_t *removed, enum rh_store_fault *fault,
                  struct rh_error *err);
    int (*set_silence)(struct rh_store *s, unsigned seconds, enum rh_store_fault *fault,
                       struct rh_error *err);
    int (*query)(struct rh_store *s, const char *sql, const char *const *parameters, size_t n,
                 rh_store_row row, void *data, struct rh_error *err);
    void (*close)(struct rh_store *s);
};

/* The first member of each. */
struct rh_store {
    const struct rh_store_kind *kind;
    unsigned retention; /* seconds; 0: reports are kept */
};

#if HAVE_SQLITE
extern const struct rh_store_kind rh_store_sqlite;
#endif
#if HAVE_PQ
extern const struct rh_store_kind rh_store_postgresql;
#endif

/* The version of the tables and views that this program makes and reads. */
enum { RH_SCHEMA = 1 };

/* Whether a database of this version can be used: 0 has no tables yet, which is an error unless it `writes`.
 */
RH_CHECKED int rh_schema_check(long version, bool writes, struct rh_error *err);

/* The tables, from sqlite.sql and postgresql.sql. */
extern const char rh_schema_sqlite[], rh_schema_postgresql[];

/* views.sql, where a few words stand for what the databases write differently; and the statements. */
extern const char rh_schema_views[];
void rh_schema_add_views(struct rh_buf *b, bool server);

#endif
