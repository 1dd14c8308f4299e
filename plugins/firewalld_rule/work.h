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
    int add;
    size_t of; /* which change it belongs to */
    int done;
};

/* Does the steps, many of one zone and one kind in one call. Where a call is refused, each is tried by
 * itself. whys[OF] is why a step was refused, and the further steps of that change are left out; it is NULL
 * at first. -1 where a program could not be run, with the reason given. */
int32_t work_do(rhost_ctx *ctx, struct step *steps, size_t n, const char **whys);

#endif
