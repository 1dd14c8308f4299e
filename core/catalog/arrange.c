/* SPDX-License-Identifier: Apache-2.0 */
/* arrange - the action list with every entry at its place. */
#include "config.h"

#include "catalog/catalog.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "catalog/order.h"

#include <stdlib.h>

/* The list while entries move: each knows its neighbours. The head is entry n. */
struct links {
    uint32_t *next, *before;
};

static void
unlink_entry(struct links *l, uint32_t e)
{
    l->next[l->before[e]] = l->next[e];
    l->before[l->next[e]] = l->before[e];
}

static void
link_after(struct links *l, uint32_t e, uint32_t at)
{
    l->next[e] = l->next[at];
    l->before[e] = at;
    l->before[l->next[at]] = e;
    l->next[at] = e;
}

/* The first, or last, entry of a resource that was not inserted itself, else of all. */
static uint32_t
entry_of(const struct rh_catalog *c, const struct rh_resource *r, bool last)
{
    uint32_t found = RH_NO_ENTRY;

    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = c->list[e].next)
        if (found == RH_NO_ENTRY || last)
            found = e;
    return found;
}

static void
move(struct rh_catalog *c, struct links *l, uint32_t *tail, uint32_t e, struct rh_complaints *complaints)
{
    const struct rh_todo *todo = &c->list[e];
    const struct rh_resource *to = rh_catalog_find(c, todo->anchor->type, todo->anchor->title);
    uint32_t at;

    if (!to && rh_catalog_is_refused(c, todo->anchor))
        return;
    if (!to) {
        rh_relation_refuse_missing(c, todo->resource, todo->anchor_after ? "insert_after" : "insert_before",
                                   todo->anchor, complaints);
        return;
    }
    at = to == todo->resource ? RH_NO_ENTRY : entry_of(c, to, todo->anchor_after);
    if (at == RH_NO_ENTRY) {
        rh_autofree char *text = rh_resource_text(to);

        rh_complain(complaints, todo->anchor->place, NULL,
                    to == todo->resource ? "%s cannot be inserted before or after itself"
                                         : "cannot insert next to %s: it is not in the list of actions",
                    text);
        return;
    }
    unlink_entry(l, e);
    if (todo->anchor_after) {
        /* Behind those that were inserted after it already. */
        link_after(l, e, tail[at] == RH_NO_ENTRY ? at : tail[at]);
        tail[at] = e;
    } else {
        link_after(l, e, l->before[at]);
    }
}

/* The list in the order of the links; what was taken back has no resource any more. */
static void
rebuild(struct rh_catalog *c, const struct links *l)
{
    struct rh_todo *old = c->list;
    size_t n = c->n_list;

    c->list = NULL;
    c->n_list = c->cap_list = 0;
    for (size_t i = 0; i < c->n_resources; i++)
        c->resources[i]->first_entry = c->resources[i]->last_entry = RH_NO_ENTRY;
    for (uint32_t e = l->next[n]; e != n; e = l->next[e])
        if (old[e].action)
            rh_catalog_trigger(c, old[e].resource, old[e].action);
    c->unarranged = false;
    free(old);
}

void
rh_catalog_arrange(struct rh_catalog *c, struct rh_complaints *complaints)
{
    size_t n = c->n_list;
    rh_autofree uint32_t *next = NULL, *before = NULL, *tail = NULL;
    struct links l;

    if (!c->unarranged)
        return;
    l.next = next = rh_xalloc(rh_xmul(n + 1, sizeof *next));
    l.before = before = rh_xalloc(rh_xmul(n + 1, sizeof *before));
    tail = rh_xalloc(rh_xmul(n + 1, sizeof *tail));
    for (size_t i = 0; i <= n; i++) {
        next[i] = (uint32_t)(i == n ? 0 : i + 1);
        before[i] = (uint32_t)(i ? i - 1 : n);
        tail[i] = RH_NO_ENTRY;
    }
    for (uint32_t i = 0; i < n; i++)
        if (c->list[i].behind != RH_NO_ENTRY) {
            unlink_entry(&l, i);
            link_after(&l, i, c->list[i].behind);
        }
    for (size_t i = 0; i < n; i++)
        if (c->list[i].anchor && c->list[i].action)
            move(c, &l, tail, (uint32_t)i, complaints);
    rebuild(c, &l);
}

void
rh_catalog_retrigger(struct rh_catalog *c, struct rh_resource *r, const char *const *actions, size_t n)
{
    uint32_t first = r->first_entry;
    size_t i = 0;

    if (first == RH_NO_ENTRY) {
        for (; i < n; i++)
            rh_catalog_trigger(c, r, actions[i]);
        return;
    }
    for (uint32_t e = first; e != RH_NO_ENTRY; e = c->list[e].next)
        c->list[e].action = i < n ? actions[i++] : NULL;
    c->unarranged = true;
    for (; i < n; i++) { /* more than there were */
        uint32_t behind = r->last_entry;

        rh_catalog_trigger(c, r, actions[i]);
        c->list[r->last_entry].behind = behind;
    }
}

int
rh_catalog_move(struct rh_catalog *c, const struct rh_resource *r, const struct rh_reference *anchor,
                bool after, struct rh_complaints *complaints)
{
    rh_autofree char *text = NULL;
    bool any = false;

    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = c->list[e].next) {
        if (!c->list[e].action)
            continue;
        c->list[e].anchor = anchor;
        c->list[e].anchor_after = after;
        any = true;
    }
    c->unarranged = true;
    if (any)
        return 0;
    text = rh_resource_text(r);
    rh_complain(complaints, anchor->place, "'action' in the same entry puts it into the list",
                "cannot move %s: it is not in the list of actions", text);
    return -1;
}
