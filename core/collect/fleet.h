/* SPDX-License-Identifier: Apache-2.0 */
/* fleet - what the database of a fleet says. All of it is read through the views. */
#ifndef RH_COLLECT_FLEET_H
#define RH_COLLECT_FLEET_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_buf;
struct rh_error;
struct rh_store;

/* Each adds to `b`, and returns -1 with an error. */

/* A row for each host, and how many there are of each state. */
RH_CHECKED int rh_fleet_status(struct rh_store *s, bool json, struct rh_buf *b, struct rh_error *err);

/* The name of a view, with or without "fleet_", or a statement of SQL that reads. */
RH_CHECKED int rh_fleet_query(struct rh_store *s, const char *what, bool json, struct rh_buf *b,
                              struct rh_error *err);

/* A page for browsers, which needs nothing else. */
RH_CHECKED int rh_fleet_page(struct rh_store *s, struct rh_buf *b, struct rh_error *err);

/* Metrics for the textfile collector of Prometheus. */
RH_CHECKED int rh_fleet_metrics(struct rh_store *s, struct rh_buf *b, struct rh_error *err);

/* In what two hosts differ: their last runs, and what of the last week only one of them has reported. */
RH_CHECKED int rh_fleet_diff(struct rh_store *s, const char *one, const char *other, bool json,
                             struct rh_buf *b, struct rh_error *err);

#endif
