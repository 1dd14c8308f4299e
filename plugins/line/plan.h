/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what is to be done to the lines of a file for one resource. */
#ifndef LINE_PLAN_H
#define LINE_PLAN_H

#include <rhost/lines.h>

struct plan {
    enum { PLAN_FINE, PLAN_ADD, PLAN_CHANGE, PLAN_DROP } what;
    size_t *which; /* lines to change or to drop, ascending; in memory of the call */
    size_t n;
    struct plan_text {
        const char *text;
        size_t len;
    } * becomes; /* for each of these what it becomes, in memory of the call */
    size_t at;   /* where to add */
};

/* Refuses `backrefs` that can't be done: 0, or -1 after the reason was given. */
int plan_check_backrefs(rhost_ctx *ctx, const rhost_value *resource);

/* What a line becomes with `backrefs`, in memory of the call. 1; 0: it does not match; -1: it could not be
 * told. */
int plan_expand(rhost_ctx *ctx, const rhost_value *wanted, const char *line, size_t len,
                struct plan_text *becomes);

/* `wanted` has all attributes, or the namevars alone. 0, or -1 with the reason in *why (memory of
 * the call) and the attribute at fault in *attribute. */
int plan_make(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, int gone,
              struct plan *plan, const char **attribute, const char **why);

/* Does it. */
void plan_carry_out(struct rhost_lines *l, const struct plan *plan, const char *line, size_t len);

#endif
