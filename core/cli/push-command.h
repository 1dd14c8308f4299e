/* SPDX-License-Identifier: Apache-2.0 */
/* push-command - what a push runs on its targets: the command, with the options that are handed on, and the
 * files that it needs. */
#ifndef RH_CLI_PUSH_COMMAND_H
#define RH_CLI_PUSH_COMMAND_H

#include "base/cleanup.h"
#include "reach/push.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_settings;

struct rh_push_command {
    const char **words; /* the arena's */
    size_t n;
    const char *report; /* the file that it writes its report to; NULL: none */
    bool changes;       /* it may change something */
    bool attributes;    /* it takes attributes */
    struct rh_plans plans;
    bool makes_plans, applies_plans; /* those of `plans` */
};

/* "apply" with these manifests, or with a directory of plans. -1 with an error. */
RH_CHECKED int rh_push_command_apply(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site,
                                     const struct rh_settings *s, char *const *files, size_t n,
                                     struct rh_error *err);

/* The command line that stands after "--". */
RH_CHECKED int rh_push_command_parse(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site,
                                     const struct rh_settings *s, struct rh_error *err);

/* Names each command that can stand after "--". */
void rh_push_each_command(void (*take)(void *data, const char *name, const char *summary), void *data);

/* Whether an operand of a push is a file, and no target: it has a directory, or the ending of a manifest. */
bool rh_push_is_file(const char *word);

#endif
