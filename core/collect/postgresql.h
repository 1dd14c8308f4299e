/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql - what the files about PostgreSQL share. */
#ifndef RH_COLLECT_POSTGRESQL_H
#define RH_COLLECT_POSTGRESQL_H

#include "base/text.h"
#include "collect/store-parts.h"

#include <libpq-fe.h>

enum { RH_DAY = 11 };

struct rh_postgresql {
    struct rh_store store;
    PGconn *connection;
    struct rh_buf reports, events; /* what COPY sends: kept, as the next batch is as large */
    char (*days)[RH_DAY];          /* that have partitions */
    size_t n_days, cap_days;
    double days_at; /* when partitions are made again, after one could not be made */
};

/* Sets the error of a result, or (NULL) of the connection; -1. */
int rh_postgresql_fail(const struct rh_postgresql *s, const PGresult *result, enum rh_store_fault *fault,
                       struct rh_error *err);

/* Runs statements without results. */
RH_CHECKED int rh_postgresql_run(const struct rh_postgresql *s, const char *sql, enum rh_store_fault *fault,
                                 struct rh_error *err);

/* The first number that a query gives. */
RH_CHECKED int rh_postgresql_number(const struct rh_postgresql *s, const char *sql, long *to,
                                    enum rh_store_fault *fault, struct rh_error *err);

/* Only one program at a time makes tables, partitions or writes reports: until the end of the transaction. */
#define RH_POSTGRESQL_LOCK "SELECT pg_advisory_xact_lock(5936374018235)"

/* postgresql-put.c */
RH_CHECKED int rh_postgresql_put(struct rh_store *store, const struct rh_record *const *records, size_t n,
                                 size_t *added, enum rh_store_fault *fault, struct rh_error *err);

/* postgresql-copy.c: the records as rows for COPY. */
void rh_postgresql_rows(struct rh_postgresql *s, const struct rh_record *const *records, size_t n);
extern const char rh_postgresql_report_columns[], rh_postgresql_event_columns[];

/* postgresql-days.c: makes the partitions for these records, within a transaction. */
RH_CHECKED int rh_postgresql_make_days(struct rh_postgresql *s, const struct rh_record *const *records,
                                       size_t n, enum rh_store_fault *fault, struct rh_error *err);
RH_CHECKED int rh_postgresql_retain(struct rh_store *store, unsigned seconds, size_t *removed,
                                    enum rh_store_fault *fault, struct rh_error *err);

/* postgresql-query.c */
RH_CHECKED int rh_postgresql_query(struct rh_store *store, const char *sql, const char *const *parameters,
                                   size_t n, rh_store_row row, void *data, struct rh_error *err);

#endif
