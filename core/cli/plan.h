/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what 'rhost plan' and 'rhost apply PLAN' share: making a plan of manifests. */
#ifndef RH_CLI_PLAN_H
#define RH_CLI_PLAN_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_plan_key;
struct rh_session;
struct rh_settings;
struct rh_value;

/* plan-head.c: what a plan has beside its resources: machine, host, plugins, options and inputs. */

/* The machine: {id, name}. */
struct rh_value *rh_plan_machine(struct rh_arena *a);

/* All of it, of manifests that are loaded. Names below `directory` stand without it. NULL after an error. */
RH_CHECKED struct rh_value *rh_plan_head(struct rh_session *s, const struct rh_plan_key *key,
                                         const char *directory, const char *const *files, size_t n,
                                         struct rh_error *err);

/* plan-options.c: the options that decide what manifests mean. */

struct rh_value *rh_plan_options(struct rh_arena *a, const struct rh_settings *s);

/* Sets them as the plan has them; relative names are those below `directory`. The texts stay where they are,
 * or go into `a`. -1: one of them was given beside the plan, or the plan has it otherwise. */
RH_CHECKED int rh_plan_options_take(struct rh_arena *a, struct rh_settings *s, const struct rh_value *options,
                                    const char *directory, struct rh_error *err);

/* plan-apply.c: rhost apply PLAN. Returns the exit status. */
int rh_plan_apply(struct rh_settings *settings, const char *path);

/* plan-show.c: rhost show PLAN. */
int rh_plan_show(const struct rh_settings *settings, const char *path);

/* output.c: an output that would overwrite what must stay: one of the `files` that are read, or, where a plan
 * is written (`plan`), what is no plan. -1 after telling so. */
RH_CHECKED int rh_output_check(const char *path, const char *const *files, size_t n, bool plan);

#endif
