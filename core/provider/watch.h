/* SPDX-License-Identifier: Apache-2.0 */
/* watch - attributes that somebody wants to know about, whether they are managed or not.
 *
 * What is told of each is a hash, so that nothing secret and nothing large leaves this room:
 *
 *   {value: ...}          small, and no secret
 *   {sha256: ..., bytes: n}  large, or not fit for JSON
 *   {hash: ..., salt: ...}   secret: a salted digest
 *   {}                    the provider says nothing of it, or the resource is absent */
#ifndef RH_PROVIDER_WATCH_H
#define RH_PROVIDER_WATCH_H

#include <stdbool.h>

struct rh_arena;
struct rh_job;
struct rh_runtime;
struct rh_value;

/* What job->is says of what is watched. */
struct rh_value *rh_watch_take(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job);

/* The same after the job's change, read again. NULL when that can't be known. */
struct rh_value *rh_watch_again(struct rh_runtime *rt, struct rh_arena *a,
                                const struct rh_job *job);

#endif
