/* SPDX-License-Identifier: Apache-2.0 */
/* fleet-database - which database has the reports of the fleet. */
#ifndef RH_CLI_FLEET_DATABASE_H
#define RH_CLI_FLEET_DATABASE_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;

#define RH_FLEET_SETTINGS "/etc/rhost/fleet.yaml"

/* The URL: `argument` (may be NULL), else that of RHOST_FLEET_DB, else `database` of /etc/rhost/fleet.yaml or
 * of the file that RHOST_FLEET_SETTINGS names. The arena's; NULL with an error. */
RH_CHECKED const char *rh_fleet_database(struct rh_arena *a, const char *argument, struct rh_error *err);

#endif
