/* SPDX-License-Identifier: Apache-2.0 */
/* work - changes of zones, as few calls of the program as possible. */
#ifndef FIREWALLD_WORK_H
#define FIREWALLD_WORK_H

#include "zones.h"

/* One option of one call: to add something to a zone of a configuration, or to remove it. */
struct step {
    enum tool tool;
    const char *zone;
    const struct kind *kind;
    const char *value; /* as the program shall get it; "" of a flag */
    const char *named; /* as the resource has it */
    int add;
    size_t of; /* which change it belongs to */
    int done;
};

/* Does the steps, many of one zone and one kind in one call: those that add in all configurations, then those
 * that remove. Nothing is removed from a zone to which a change was to add something, and was refused. Where
 * a call is refused, each step is tried by itself. whys[OF] is why a step was refused, and the further steps
 * of that change are left out; it is set for what was refused before, else NULL. -1 where a program could not
 * be run, with the reason given. */
int32_t work_do(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n_changes,
                struct step *steps, size_t n, const char **whys);

#endif
