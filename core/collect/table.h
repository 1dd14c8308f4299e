/* SPDX-License-Identifier: Apache-2.0 */
/* table - what a query gives, for people and for programs. */
#ifndef RH_COLLECT_TABLE_H
#define RH_COLLECT_TABLE_H

#include "base/cleanup.h"
#include "collect/store.h"

struct rh_arena;
struct rh_buf;

/* All that it points to is the arena's. */
struct rh_table {
    struct rh_arena *arena;
    size_t n_columns, n; /* n: rows */
    const char **names;
    struct rh_store_cell *cells; /* row by row; the heap's */
    size_t cap;
};

/* Runs a query, and keeps its rows. */
RH_CHECKED int rh_table_query(struct rh_table *t, struct rh_store *s, const char *sql, struct rh_error *err);
const struct rh_store_cell *rh_table_cell(const struct rh_table *t, size_t row, size_t column);

/* Columns side by side, with the names above; control characters are escaped. */
void rh_table_add_text(struct rh_buf *b, const struct rh_table *t);

/* A list of hashes. */
void rh_table_add_json(struct rh_buf *b, const struct rh_table *t);

/* A <table>, with the first 500 bytes of each text. */
void rh_table_add_html(struct rh_buf *b, const struct rh_table *t);

void rh_table_clear(struct rh_table *t);
#define rh_autotable __attribute__((cleanup(rh_table_clear)))

#endif
