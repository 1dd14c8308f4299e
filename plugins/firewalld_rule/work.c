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

/* Tries each step of a call that was refused by itself. What the call has removed nevertheless is done:
 * firewalld would say that it has it not. */
static int32_t
call_each(rhost_ctx *ctx, const struct step *steps, const size_t *which, size_t n, const char **whys)
{
    const struct step *first = &steps[which[0]];
    struct zones now;
    int32_t answer = first->add ? TOOL_DONE : zones_read(ctx, first->tool, &now);

    if (answer < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct step *step = &steps[which[i]];

        if (answer == TOOL_DONE && !step->add && !zones_find(&now, step->zone, step->kind, step->named, 1))
            continue;
        if (call(ctx, steps, &which[i], 1, &whys[step->of]) < 0)
            return -1;
    }
    return 0;
}

/* Does the steps that add, or those that remove. */
static int32_t
do_those(rhost_ctx *ctx, struct step *steps, size_t n, int add, const char **whys)
{
    size_t *which = rhost_alloc(ctx, MOST_AT_ONCE * sizeof *which);

    for (size_t i = 0; i < n; i++) {
        const char *why = NULL;
        size_t k = 0;

        if (steps[i].add != add || steps[i].done || whys[steps[i].of])
            continue;
        for (size_t j = i; j < n && k < MOST_AT_ONCE; j++)
            if (!steps[j].done && !whys[steps[j].of] && (j == i || go_together(&steps[i], &steps[j]))) {
                which[k++] = j;
                steps[j].done = 1;
            }
        if (call(ctx, steps, which, k, &why) < 0)
            return -1;
        if (why && k == 1)
            whys[steps[i].of] = why;
        else if (why && call_each(ctx, steps, which, k, whys) < 0)
            return -1;
    }
    return 0;
}

/* Whether something was to be added to the zone, and was refused. */
static int
is_refused(const struct rhost_change *const *changes, size_t n, const char *const *whys, const char *zone)
{
    for (size_t i = 0; i < n; i++)
        if (whys[i] && !rhost_gone(changes[i]) && strcmp(rhost_str(changes[i]->name, "zone"), zone) == 0)
            return 1;
    return 0;
}

/* Whether another step has moved out of its zone what this one removes from there. */
static int
has_moved(const struct step *steps, size_t n, const struct step *step)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].add && steps[i].done && step->kind->moves && steps[i].kind == step->kind
            && steps[i].tool == step->tool && strcmp(steps[i].value, step->value) == 0)
            return 1;
    return 0;
}

int32_t
work_do(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n_changes, struct step *steps,
        size_t n, const char **whys)
{
    if (do_those(ctx, steps, n, 1, whys) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct step *step = &steps[i];

        if (step->add || whys[step->of])
            continue;
        if (is_refused(changes, n_changes, whys, step->zone))
            whys[step->of] = rhost_fmt(ctx,
                                       "nothing is removed from zone '%s': what was to be added to it was "
                                       "refused",
                                       step->zone);
        else
            step->done = has_moved(steps, n, step);
    }
    return do_those(ctx, steps, n, 0, whys);
}
