/* SPDX-License-Identifier: Apache-2.0 */
/* budget - how much may come of a manifest. A few lines can ask for very much: aliases of long texts,
 * definitions that use each other twice, loops within loops. */
#ifndef RH_MANIFEST_LOAD_BUDGET_H
#define RH_MANIFEST_LOAD_BUDGET_H

#include "base/place.h"

#include <stddef.h>

struct rh_load;
struct rh_value;

struct rh_budget {
    size_t resources; /* that definitions and loops make */
    size_t elements;  /* that loops go through, those of loops within each other multiplied */
    size_t memory;    /* in bytes, besides 64 times the size of the files */
    size_t text;      /* the longest text that expressions make */
};

/* What has been read so far fits the budget; else a complaint, once, and -1: nothing more is read
 * then. */
int rh_budget_check(struct rh_load *load, struct rh_place place);

/* The same when one more resource is declared. */
int rh_budget_add_resource(struct rh_load *load, struct rh_place place);

/* The same when a loop goes on to its next element. */
int rh_budget_add_element(struct rh_load *load, struct rh_place place);

/* A text of so many bytes may be made here. */
int rh_budget_check_text(struct rh_load *load, const struct rh_value *v, size_t n);

#endif
