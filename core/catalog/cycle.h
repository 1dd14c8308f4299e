/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - the shortest way by which resources wait for each other in a ring. */
#ifndef RH_CATALOG_CYCLE_H
#define RH_CATALOG_CYCLE_H

#include <stdint.h>

struct rh_catalog;
struct rh_complaints;
struct rh_order;

/* Complains about the shortest cycle among the resources whose `waits` is not zero. */
void rh_cycle_complain(const struct rh_catalog *c, const struct rh_order *order,
                       const uint32_t *waits, struct rh_complaints *complaints);

#endif
