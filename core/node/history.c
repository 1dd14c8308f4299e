/* SPDX-License-Identifier: Apache-2.0 */
/* history - what was done to a node, step by step, in a form that can be done again. */
#include "config.h"

#include "node/history.h"

#include "base/alloc.h"
#include "node/cell.h"

#include <stdlib.h>

void
rh_history_clear(struct rh_history *h)
{
    free(h->steps);
    free(h->changes);
    *h = (struct rh_history){ 0 };
}

uint32_t
rh_history_add(struct rh_history *h, const struct rh_step *step)
{
    h->steps = rh_xgrow(h->steps, &h->cap_steps, h->n_steps, sizeof *h->steps);
    h->steps[h->n_steps++] = *step;
    return (uint32_t)h->n_steps;
}

void
rh_history_note(struct rh_history *h, const struct rh_change *change)
{
    h->changes = rh_xgrow(h->changes, &h->cap_changes, h->n_changes, sizeof *h->changes);
    h->changes[h->n_changes++] = *change;
}

const struct rh_step *
rh_history_step(const struct rh_history *h, uint32_t number)
{
    return number && number <= h->n_steps ? &h->steps[number - 1] : NULL;
}

size_t
rh_change_apply(const struct rh_change *c, struct rh_tree *t, struct rh_arena *a)
{
    size_t n = c->path.n;

    switch (c->kind) {
    case RH_CHANGE_PUT:
        return rh_tree_put(t, a, c->path, c->value, c->step);
    case RH_CHANGE_REMOVE:
        rh_tree_remove(t, c->path);
        /* In a list the others have moved. */
        return c->path.keys[n - 1].text ? n : n - 1;
    case RH_CHANGE_APPEND:
        rh_tree_append(t, a, c->path, c->value, c->step);
        return n;
    case RH_CHANGE_MERGE:
    case RH_CHANGE_OVERLAY:
        rh_tree_merge(t, a, c->value, c->step, c->kind == RH_CHANGE_OVERLAY);
        break;
    }
    return 0;
}
