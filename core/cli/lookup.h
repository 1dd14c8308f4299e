/* SPDX-License-Identifier: Apache-2.0 */
/* lookup - the lookups and facts of plugins, for expressions of a manifest and for 'rhost facts'. */
#ifndef RH_CLI_LOOKUP_H
#define RH_CLI_LOOKUP_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;
struct rh_session;
struct rh_value;

/* For struct rh_manifest_types; `data` is the session. Each is asked once in a session. */
RH_CHECKED const struct rh_value *rh_session_lookup(void *data, const char *name,
                                                    const struct rh_value *arguments, struct rh_arena *a,
                                                    struct rh_error *err);

/* For struct rh_facts_plugins, likewise. What can't be read is a warning. */
const struct rh_value *rh_session_fact(void *data, const char *name);
void rh_session_fact_names(void *data, void (*one)(void *to, const char *name), void *to);

#endif
