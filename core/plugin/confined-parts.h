/* SPDX-License-Identifier: Apache-2.0 */
/* confined-parts - the list of privileges (privileges.h), read by the process that it is for. */
#ifndef RH_PLUGIN_CONFINED_PARTS_H
#define RH_PLUGIN_CONFINED_PARTS_H

#include "plugin/confined.h"
#include "sandbox/confinement.h"

enum { RH_PRIVILEGE_KIND = 16 }; /* bytes of the longest kind, with the NUL */

/* A line of the list: its kind, and the value; that of "filter" goes to the end. False: there are no more. */
bool rh_privilege_next(const char **at, const char *end, char kind[RH_PRIVILEGE_KIND], const char **value);

/* Permits what the list has, besides what every process needs. */
RH_CHECKED int rh_privileges_permit(struct rh_confinement *c, const char *text, size_t n,
                                    struct rh_error *err);

#endif
