/* SPDX-License-Identifier: Apache-2.0 */
/* arrange - the action list with every entry at its place. */
#ifndef RH_CATALOG_ARRANGE_H
#define RH_CATALOG_ARRANGE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_catalog;
struct rh_complaints;
struct rh_reference;
struct rh_resource;

/* These actions, from the place of the first on, instead of those that were triggered. */
void rh_catalog_retrigger(struct rh_catalog *c, struct rh_resource *r, const char *const *actions,
                          size_t n);

/* All entries of the resource go before or after those of another one, in the order that they have. A
 * complaint when it has none. */
int rh_catalog_move(struct rh_catalog *c, const struct rh_resource *r,
                    const struct rh_reference *anchor, bool after, struct rh_complaints *complaints);

/* Puts entries that were inserted before or after those of another resource there, in the order in
 * which they were written, and leaves out what was taken back. What they name and is not in the
 * list is a complaint. */
int rh_catalog_arrange(struct rh_catalog *c, struct rh_complaints *complaints);

#endif
