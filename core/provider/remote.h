/* SPDX-License-Identifier: Apache-2.0 */
/* remote - the transport of a runtime, as the rest of this room sees it. */
#ifndef RH_PROVIDER_REMOTE_H
#define RH_PROVIDER_REMOTE_H

#include "provider/runtime-parts.h"

/* Takes over the transport that the runtime is to use, if any, with its description. */
int rh_remote_take(struct rh_runtime *rt, const struct rh_remote *remote,
                   struct rh_value **description, struct rh_error *err);

int rh_remote_open(struct rh_runtime *rt, struct rh_error *err); /* once; then held */
void rh_remote_close(struct rh_runtime *rt);

/* What host->transport() hands out; NULL without a device. */
const void *rh_remote_api(struct rh_runtime *rt, struct rh_arena *a, const char *id);

#endif
