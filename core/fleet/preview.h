/* SPDX-License-Identifier: Apache-2.0 */
/* preview - dry runs of a revision on the hosts of a fleet. */
#ifndef RH_FLEET_PREVIEW_H
#define RH_FLEET_PREVIEW_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_channel_request;
struct rh_error;

/* Asks the hosts that are chosen for a dry run: makes preview.json, and has it signed. */
RH_CHECKED int rh_fleet_ask_preview(const struct rh_channel_request *r, struct rh_error *err);

/* Prints what the dry runs of the last preview would change, the same on several hosts in one line. */
RH_CHECKED int rh_fleet_show_preview(const char *directory, const char *signers, const char *database,
                                     bool json, struct rh_error *err);

#endif
