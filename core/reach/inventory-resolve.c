/* SPDX-License-Identifier: Apache-2.0 */
/* inventory-resolve - who is in which group, and what follows from that. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/value.h"
#include "reach/inventory-parts.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool
rh_push_target_is_in(const struct rh_push_target *t, const char *group)
{
    for (size_t i = 0; i < t->n_groups; i++)
        if (strcmp(t->groups[i], group) == 0)
            return true;
    return false;
}

const struct rh_target_group *
rh_inventory_group(const struct rh_inventory *inv, const char *name)
{
    return rh_map_get(&inv->groups_by_name, name);
}

/* Each group knows those that it is in. */
static void
link_group(struct rh_inventory *inv, struct rh_target_group *g)
{
    for (size_t i = 0; i < rh_value_count(g->children); i++) {
        const struct rh_value *v = rh_value_at(g->children, i);
        struct rh_target_group *child = rh_map_get(&inv->groups_by_name, rh_value_str(v, ""));
        struct rh_suggest s;
        rh_autofree char *hint = NULL;

        if (child && strcmp(child->name, "all") != 0) {
            child->above =
                rh_xgrow(child->above, &child->cap_above, child->n_above, sizeof(struct rh_target_group *));
            child->above[child->n_above++] = g;
            continue;
        }
        rh_suggest_init(&s, rh_value_str(v, ""));
        for (size_t k = 0; k < inv->n_groups; k++)
            rh_suggest_try(&s, inv->groups[k]->name);
        hint = rh_did_you_mean(s.best, NULL);
        rh_complain(inv->complaints, rh_value_place(v), hint, "unknown group '%s' in group '%s'",
                    rh_value_str(v, ""), g->name);
    }
}

/* False after a complaint: the group is within itself. */
static bool
is_tree(struct rh_inventory *inv, struct rh_target_group *g)
{
    bool is = true;

    if (g->checked)
        return true;
    if (g->active) {
        rh_complain(inv->complaints, g->place, NULL, "group '%s' contains itself", g->name);
        return false;
    }
    g->active = true;
    for (size_t i = 0; i < g->n_above && is; i++)
        is = is_tree(inv, g->above[i]);
    g->active = false;
    g->checked = is;
    return is;
}

/* The outer groups before it, each once. */
static void
join(struct rh_push_target *t, const struct rh_target_group *g)
{
    if (rh_push_target_is_in(t, g->name))
        return;
    for (size_t i = 0; i < g->n_above; i++)
        join(t, g->above[i]);
    t->groups[t->n_groups++] = g->name;
}

/* A name, or a pattern such as web*. */
static void
join_members(struct rh_inventory *inv, const struct rh_target_group *g, const struct rh_value *v)
{
    const char *word = rh_value_str(v, "");
    struct rh_push_target *one = rh_map_get(&inv->by_name, word);
    struct rh_suggest s;
    rh_autofree char *hint = NULL;
    bool some = false;

    if (one) {
        join(one, g);
        return;
    }
    rh_suggest_init(&s, word);
    for (size_t i = 0; i < inv->n_targets; i++) {
        rh_suggest_try(&s, inv->targets[i]->name);
        if (strpbrk(word, "*?[") && fnmatch(word, inv->targets[i]->name, 0) == 0) {
            join(inv->targets[i], g);
            some = true;
        }
    }
    hint = rh_did_you_mean(s.best, NULL);
    if (!some)
        rh_complain(inv->complaints, rh_value_place(v), hint, "unknown target '%s' in group '%s'", word,
                    g->name);
}

/* What the nearest group says counts where the target itself says nothing. */
static void
inherit(struct rh_target_settings *s, const struct rh_target_settings *from)
{
    if (!s->has_become && from->has_become) {
        s->has_become = true;
        s->become = from->become;
    }
    if (!s->become_user)
        s->become_user = from->become_user;
    if (!s->rhost)
        s->rhost = from->rhost;
    if (!s->options)
        s->options = from->options;
}

static void
resolve_target(struct rh_inventory *inv, struct rh_push_target *t)
{
    struct rh_target_attributes *all =
        rh_arena_alloc(inv->arena, (t->n_groups + t->n_attributes + 1) * sizeof *all);
    size_t n = 0;

    for (size_t i = t->n_groups; i-- > 0;) {
        const struct rh_target_group *g = rh_inventory_group(inv, t->groups[i]);

        if (g)
            inherit(&t->settings, &g->settings);
    }
    for (size_t i = 0; i < t->n_groups; i++) {
        const struct rh_target_group *g = rh_inventory_group(inv, t->groups[i]);

        if (g && g->attributes)
            all[n++] = (struct rh_target_attributes){ g->name, g->attributes };
    }
    for (size_t i = 0; i < t->n_attributes; i++)
        all[n++] = t->attributes[i];
    t->attributes = all;
    t->n_attributes = n;
}

int
rh_inventory_resolve(struct rh_inventory *inv)
{
    size_t before = rh_complaints_count(inv->complaints);

    for (size_t i = 0; i < inv->n_groups; i++) {
        if (rh_map_get(&inv->by_name, inv->groups[i]->name))
            rh_complain(inv->complaints, inv->groups[i]->place, "selections could not tell them apart",
                        "'%s' is a target and a group", inv->groups[i]->name);
        link_group(inv, inv->groups[i]);
    }
    for (size_t i = 0; i < inv->n_groups; i++)
        if (!is_tree(inv, inv->groups[i]))
            return -1;
    for (size_t i = 0; i < inv->n_targets; i++) {
        inv->targets[i]->groups = rh_arena_alloc(inv->arena, (inv->n_groups + 1) * sizeof(char *));
        inv->targets[i]->groups[inv->targets[i]->n_groups++] = "all";
    }
    for (size_t i = 0; i < inv->n_groups; i++)
        for (size_t k = 0; k < rh_value_count(inv->groups[i]->members); k++)
            join_members(inv, inv->groups[i], rh_value_at(inv->groups[i]->members, k));
    for (size_t i = 0; i < inv->n_targets; i++)
        resolve_target(inv, inv->targets[i]);
    return rh_complaints_count(inv->complaints) > before ? -1 : 0;
}
