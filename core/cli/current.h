/* SPDX-License-Identifier: Apache-2.0 */
/* current - what is there now, for expressions of a manifest that ask. */
#ifndef RH_CLI_CURRENT_H
#define RH_CLI_CURRENT_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;
struct rh_value;

/* For struct rh_manifest_types; `data` is the session. */
RH_CHECKED const struct rh_value *rh_session_current(void *data, const char *type, const char *title,
                                                     struct rh_arena *a, struct rh_error *err);

#endif
