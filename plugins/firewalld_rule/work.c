/* SPDX-License-Identifier: Apache-2.0 */
/* work - starting firewall-cmd takes a quarter of a second, so that one call does as much as it can. */

#include "work.h"

enum { MOST_AT_ONCE = 500 };

static const char *
option_of(rhost_ctx *ctx, const struct step *step)
{
    const struct kind *kind = step->kind;
    const char *verb = !step->add ? "remove" : kind->moves ? "change" : "add";
    const char *suffix = !step->add && kind->offline_zone && step->tool == TOOL_OFFLINE ? "-from-zone" : "";

    if (kind->flag)
        return rhost_fmt(ctx, "--%s-%s", verb, kind->option);
    return rhost_fmt(ctx, "--%s-%s%s=%s", verb, kind->option, suffix, step->value);
}

static int
go_together(const struct step *a, const struct step *b)
{
    return a->tool == b->tool && a->add == b->add && a->kind == b->kind && !a->kind->flag
           && strcmp(a->zone, b->zone) == 0;
}

/* Does the steps that `which` names; where they are refused: *why. */
static int32_t
call(rhost_ctx *ctx, const struct step *steps, const size_t *which, size_t n, const char **why)
{
    const struct step *first = &steps[which[0]];
    const char *const options[] = { rhost_fmt(ctx, "--zone=%s", first->zone), NULL };
    const char **repeated = rhost_alloc(ctx, n * sizeof *repeated), *out;
    int32_t answer;

    for (size_t i = 0; i < n; i++)
        repeated[i] = option_of(ctx, &steps[which[i]]);
    answer = tool_run(ctx, first->tool, options, repeated, n, 0, &out, why);
    if (answer == TOOL_NOT_RUNNING)
        *why = "firewalld has ended while it was changed";
    return answer < 0 ? -1 : 0;
}

int32_t
work_do(rhost_ctx *ctx, struct step *steps, size_t n, const char **whys)
{
    size_t *which = rhost_alloc(ctx, MOST_AT_ONCE * sizeof *which);

    for (size_t i = 0; i < n; i++) {
        const char *why = NULL;
        size_t k = 0;

        for (size_t j = i; j < n && k < MOST_AT_ONCE; j++)
            if (!steps[j].done && !whys[steps[j].of] && (j == i || go_together(&steps[i], &steps[j]))) {
                which[k++] = j;
                steps[j].done = 1;
            }
        if (k == 0 || which[0] != i) { /* it has been done, or is left out */
            while (k)
                steps[which[--k]].done = 0;
            continue;
        }
        if (call(ctx, steps, which, k, &why) < 0)
            return -1;
        if (why && k == 1)
            whys[steps[i].of] = why;
        for (size_t j = 0; why && k > 1 && j < k; j++)
            if (call(ctx, steps, &which[j], 1, &whys[steps[which[j]].of]) < 0)
                return -1;
    }
    return 0;
}
